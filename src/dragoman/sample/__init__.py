"""The bilingual sample that ships with dragoman: the manual of an imaginary espresso machine."""

from importlib.resources import files

ENGINE = "engine:en-es"  # the engine in the box, whose answers are kept with the sample: asking for them takes a minute


def pairs() -> list[tuple[str, str]]:
    """The sample's (English, Spanish) segments in the order of the manual."""
    text = files(__name__).joinpath("espresso.tsv").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in text.splitlines())
    return [(english, spanish) for _section, english, spanish in rows]


def answers() -> list[str]:
    """What the engine in the box says of each segment; empty if it says nothing that can be used."""
    return files(__name__).joinpath("espresso.engine-en-es.txt").read_text(encoding="utf-8").splitlines()
