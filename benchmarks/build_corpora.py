"""The corpora of the benchmarks, built from their public sources.

    python benchmarks/build_corpora.py corpora                                  # all of them
    python benchmarks/build_corpora.py corpora --only captions-en-fr newstest-en-es
    python benchmarks/build_corpora.py corpora --only europarl-en-es --days all # all debates, about two million pairs

A source is a public repository at one commit. It is cloned by git, without the files that are not needed, into
`--clones` (by default corpora/.clones) and taken from there the next time. Nothing here says what you may do with the
text: read the licence that is named, and the source's own.

captions, eutrans, gold and newstest are the files themselves; europarl and pydocs are cut into sentences and matched by
`sentence_pairs`. Each corpus is a directory of `train.en.gz`, `train.es.gz` and so on, with a README of its origin.
"""

from __future__ import annotations

import argparse
import gzip
import io
import re
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path, PurePosixPath
from xml.etree import ElementTree

sys.path.append(str(Path(__file__).parents[1]))
from benchmarks.sentence_pairs import match, split

Pair = tuple[str, str]
Parts = dict[str, list[Pair]]
MOST_WORDS, MOST_RATIO = 80, 3.0  # of a pair cut out of a longer text
EUROPARL_DAYS = "20000117", "20000518"  # of the benchmarks' own corpus
DEV, TEST = 1000, 2000  # pairs at the end of a corpus that has no parts of its own


@dataclass(frozen=True)
class Source:
    """A public repository at a commit, and what is known of its licence."""

    repository: str  # owner/name
    commit: str
    licence: str

    def files(self, clones: Path, *paths: str) -> Iterator[tuple[str, bytes]]:
        """Path and contents of all files at or under these paths, in order."""
        clone = clones / self.repository.replace("/", "+")
        if not clone.exists():
            address = f"https://github.com/{self.repository}"
            _git("clone", "--filter=blob:none", "--no-checkout", address, str(clone))
        packed = _git("-C", str(clone), "archive", "--format=tar", self.commit, *paths)
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            for member in sorted(archive.getmembers(), key=lambda each: each.name):
                if (file := archive.extractfile(member)) is not None:
                    yield member.name, file.read()

    def lines(self, clones: Path, path: str) -> list[str]:
        """The lines of one text file."""
        ((_, data),) = self.files(clones, path)
        text = data.decode().replace("\u200b", "").removesuffix("\n")
        return [" ".join(line.split()) for line in text.split("\n")]


def _git(*arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], check=True, stdout=subprocess.PIPE).stdout  # noqa: S607


MULTI30K = Source("multi30k/dataset", "a3d2e0d26b56f3846f66a952536ffed4e401d05a", "none named")
EUTRANS = Source("lvapeab/nmt-keras", "865613dd5d23eb87674b602e690f1df9d61cfee8", "MIT")
HANSARDS = Source("neulab/awesome-align", "5f150d45bbe51e167daf0a84abebaeb07c3323d1", "BSD-3-Clause; of the data, none")
WMT = Source("Helsinki-NLP/OPUS-MT-testsets", "ac0f19c0be3cb4e0d9450fcb2d7a9847c4bdd180", "none named")
EUROPARL = Source(
    "UDS-SFB-B6-Datasets/Multilingual-Parallel-Direct-Europarl",
    "4e284f102c5d37259c55b667cff9e866366eca53",
    "none named; debates of the European Parliament",
)
PYDOCS = {
    "es": Source("python/python-docs-es", "91f4ccc0baa8c7cbeb739e696c641388264caa30", "CC0-1.0 (translations)"),
    "fr": Source("python/python-docs-fr", "b279d876e2a3381605d38ea62b863f60abadc92c", "CC0-1.0 (translations)"),
}
NEWS_YEARS = {"train": ("news-test2008", *(f"newstest{y}" for y in (2009, 2010, 2011))), "dev": ("newstest2012",)}
LONG_CODES = {"en": "eng", "es": "spa", "fr": "fra"}


@dataclass(frozen=True)
class Options:
    """What was asked for."""

    clones: Path
    days: tuple[str, str] | None  # of europarl, first and last; None: all


def captions(options: Options, source: str, target: str) -> Parts:
    """Captions of pictures, tokenised and in lower case."""
    names = {"train": "train", "dev": "val", "test": "test_2016_flickr"}
    return {
        part: _zipped(
            *(MULTI30K.lines(options.clones, f"data/task1/tok/{name}.lc.norm.tok.{code}") for code in (source, target))
        )
        for part, name in names.items()
    }


def eutrans(options: Options, source: str, target: str) -> Parts:
    """What travellers say, made by a grammar."""
    names = {"train": "training", "dev": "dev", "test": "test"}
    return {
        part: _zipped(*(EUTRANS.lines(options.clones, f"examples/EuTrans/{name}.{code}") for code in (source, target)))
        for part, name in names.items()
    }


def newstest(options: Options, source: str, target: str) -> Parts:
    """News, the test sets of WMT."""
    codes = LONG_CODES[source], LONG_CODES[target]
    parts: Parts = {}
    for part, years in (NEWS_YEARS | {"test": ("newstest2013",)}).items():
        place = f"testsets/{codes[0]}-{codes[1]}"
        texts = [[WMT.lines(options.clones, f"{place}/{year}.{code}") for year in years] for code in codes]
        parts[part] = _zipped(*(list(chain.from_iterable(each)) for each in texts))
    return parts


def gold(options: Options, *_: str) -> Parts:
    """Sentences whose words were linked by people; the links are written beside them by `write_links`."""
    lines = (line.partition(" ||| ") for line in HANSARDS.lines(options.clones, "examples/enfr.src-tgt"))
    return {"test": [(source, target) for source, _, target in lines]}


def europarl(options: Options, source: str, target: str) -> Parts:
    """Debates: speeches by their ids, paragraphs one by one if both have as many, then sentences by length."""
    sides = [f"proceedings/xml/{code}" for code in (source, target)]
    pairs: list[Pair] = []
    names = {name for name, _ in _days(options, sides[1], contents=False)}
    for day, data in _days(options, sides[0]):
        if day in names:
            ((_, other),) = EUROPARL.files(options.clones, f"{sides[1]}/{day}.{target.upper()}.xml")
            pairs += _debate(data, other)
    return _divided(pairs)


def _days(options: Options, folder: str, *, contents: bool = True) -> Iterator[tuple[str, bytes]]:
    """The files of the sitting days that were asked for, by date."""
    clone = options.clones / EUROPARL.repository.replace("/", "+")
    if not clone.exists():
        next(EUROPARL.files(options.clones, "README.md"))
    listed = _git("-C", str(clone), "ls-tree", "--name-only", EUROPARL.commit, f"{folder}/").decode().split()
    first, last = options.days or ("", "9")
    for path in sorted(listed):
        day = PurePosixPath(path).name.split(".")[0]
        if first <= day <= last:
            yield day, next(EUROPARL.files(options.clones, path))[1] if contents else b""


def _debate(source: bytes, target: bytes) -> Iterator[Pair]:
    """The sentence pairs of one day."""
    theirs = dict(_speeches(target))
    for speech, paragraphs in _speeches(source):
        others = theirs.get(speech, [])
        if len(paragraphs) != len(others):
            paragraphs, others = [" ".join(paragraphs)], [" ".join(others)]
        for one, other in zip(paragraphs, others, strict=True):
            yield from filter(_is_useful, match(split(one), split(other)))


def _speeches(data: bytes) -> Iterator[tuple[tuple[str, str], list[str]]]:
    """Section and number of each speech, and its paragraphs without remarks such as (Applause) and (DE)."""
    for section in ElementTree.fromstring(data).iter("section"):  # noqa: S314 - from a commit that is named
        for speech in section.iter("intervention"):
            texts = (" ".join("".join(p.itertext()).split()) for p in speech.iter("p"))
            paragraphs = [re.sub(r"^\([^)]{1,40}\)\s*|\s*\([^)]{1,40}\)$", "", text) for text in texts]
            yield (section.get("id", ""), speech.get("id", "")), [text for text in paragraphs if text]


def pydocs(options: Options, source: str, target: str) -> Parts:
    """Python's documentation, the library last: entries of PO files, cut into sentences if they match one by one."""
    from dragoman.errors import BadInputError
    from dragoman.formats import read_document

    pairs: dict[Pair, None] = {}
    files = [each for each in PYDOCS[target].files(options.clones) if each[0].endswith(".po")]
    for path, data in sorted(files, key=lambda each: (each[0].startswith("library/"), each[0])):
        try:
            segments = read_document(data, path, source=source, target=target).segments
        except BadInputError as error:  # one of the files is broken in this commit
            print(f"left out: {error}", file=sys.stderr)
            continue
        for segment in segments:
            if segment.state == "confirmed":
                pairs |= dict.fromkeys(filter(_is_useful, _entry(segment.source, segment.target)))
    return _divided(list(pairs))


def _entry(source: str, target: str) -> list[Pair]:
    """An entry as pairs of sentences, or whole."""
    source, target = (" ".join(text.replace("\\ ", "").split()) for text in (source, target))
    sentences = split(source), split(target)
    return match(*sentences) if len(sentences[0]) == len(sentences[1]) else [(source, target)]


def _is_useful(pair: Pair) -> bool:
    sizes = [len(text.split()) for text in pair]
    is_short = min(sizes) >= 1 and max(sizes) <= MOST_WORDS
    return is_short and max(sizes) <= MOST_RATIO * min(sizes) + 3 and pair[0] != pair[1]


def _zipped(source: list[str], target: list[str]) -> list[Pair]:
    return list(zip(source, target, strict=True))


def _divided(pairs: list[Pair]) -> Parts:
    return {"train": pairs[: -DEV - TEST], "dev": pairs[-DEV - TEST : -TEST], "test": pairs[-TEST:]}


BUILDERS: dict[str, tuple[Callable[..., Parts], Callable[[str], Source]]] = {
    "captions-en-fr": (captions, lambda _: MULTI30K),
    "eutrans-es-en": (eutrans, lambda _: EUTRANS),
    "gold-en-fr": (gold, lambda _: HANSARDS),
    "newstest-en-es": (newstest, lambda _: WMT),
    "newstest-en-fr": (newstest, lambda _: WMT),
    "europarl-en-es": (europarl, lambda _: EUROPARL),
    "europarl-en-fr": (europarl, lambda _: EUROPARL),
    "pydocs-en-es": (pydocs, PYDOCS.__getitem__),
    "pydocs-en-fr": (pydocs, PYDOCS.__getitem__),
}


def build(corpus: str, directory: Path, options: Options) -> None:
    """Build one corpus."""
    builder, source_of = BUILDERS[corpus]
    languages = corpus.split("-")[-2:]
    origin = source_of(languages[1])
    parts = builder(options, *languages)
    directory.mkdir(parents=True, exist_ok=True)
    for part, pairs in parts.items():
        for n, language in enumerate(languages):
            write(directory / f"{part}.{language}.gz", (pair[n] for pair in pairs))
    if corpus.startswith("gold"):
        write(directory / "test.gold.gz", HANSARDS.lines(options.clones, "examples/enfr.gold"))
    sizes = ", ".join(f"{part} {len(pairs):,}" for part, pairs in parts.items())
    told = f"Origin: github.com/{origin.repository} commit {origin.commit}\nLicence: {origin.licence}\nPairs: {sizes}\n"
    (directory / "README").write_text(f"{corpus}\n\n{told}", encoding="utf-8")
    print(f"{corpus}: {sizes}", flush=True)


def write(path: Path, lines: Iterable[str]) -> None:
    """Write lines to a compressed file, the same bytes for the same lines."""
    text = "".join(f"{line}\n" for line in lines)
    path.write_bytes(gzip.compress(text.encode(), mtime=0))


def main() -> None:
    """Build what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path, help="where the corpora go")
    parser.add_argument("--only", nargs="+", choices=BUILDERS, default=list(BUILDERS), metavar="CORPUS")
    parser.add_argument("--clones", type=Path, help="where repositories are, or go, as owner+name")
    parser.add_argument("--days", default="-".join(EUROPARL_DAYS), help="of europarl: first-last, or all")
    given = parser.parse_args()
    first, _, last = given.days.partition("-")
    options = Options(given.clones or given.directory / ".clones", None if first == "all" else (first, last))
    for corpus in given.only:
        build(corpus, given.directory / corpus, options)


if __name__ == "__main__":
    main()
