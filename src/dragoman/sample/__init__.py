"""The bilingual sample that ships with dragoman: the manual of an imaginary espresso machine."""

from importlib.resources import files


def pairs() -> list[tuple[str, str]]:
    """The sample's (English, Spanish) segments in the order of the manual."""
    text = files(__name__).joinpath("espresso.tsv").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in text.splitlines())
    return [(english, spanish) for _section, english, spanish in rows]
