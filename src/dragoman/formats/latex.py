r"""LaTeX: paragraphs, headings, captions, list items and cells are pieces; mathematics and code are left alone.

Commands that only change how their argument looks (`\emph{…}`), links and footnotes become pairs of tags; formulas,
references and all other commands single ones, with their arguments. What stands before `\begin{document}` is left alone
but for the title. Characters with a meaning are shown as they are (`\%` as `%`, `\'e` as `é`, two grave accents as `“`)
and written so that they mean themselves; accented letters are written in the encoding of the file.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Generator, Iterable, Iterator

from dragoman.formats.codes import pair_up, words
from dragoman.formats.division import Parts
from dragoman.formats.inline import Inline, Tag
from dragoman.formats.line_markup import PieceCount
from dragoman.formats.piece_document import Piece, PieceDocument, Replacement
from dragoman.text.markup import Kind

HEADINGS = words(
    "part chapter section subsection subsubsection paragraph subparagraph caption subcaption title subtitle frametitle "
    "framesubtitle captionof minisec addchap addsec"
)
_STYLES = words(
    "emph textbf textit textsc textsf textrm textsl textup textmd textnormal underline uline mbox enquote footnote "
    "footnotetext marginpar text centerline textcolor href hyperref thanks uppercase textquote foreignquote parbox "
    "fbox raisebox sout alert hl"
)
_SECOND = words("href textcolor foreignquote parbox raisebox")  # whose text is the second argument
_MATHS = words(
    "equation align gather multline eqnarray displaymath math flalign alignat array matrix cases split dmath mathpar "
    "tikzcd IEEEeqnarray subequations"
)
_CODE = words(
    "verbatim Verbatim lstlisting minted alltt comment filecontents tikzpicture picture algorithm algorithmic forest "
    "thebibliography codeblock codeblocktu outputblock code pgfpicture pspicture xymatrix diagram"
)
_TABLES = words("tabular tabularx tabulary longtable supertabular tabu")
_SAID = words(
    "cite citep citet textcite parencite ref eqref cref Cref autoref pageref url nameref verb texttt gls tcode"
)
_GROUP = r"\{(?:[^{}\\]|\\.|\{(?:[^{}\\]|\\.|\{(?:[^{}\\]|\\.)*+\})*+\})*+\}"
_LENGTH = r"(?:\s?=?\s?-?(?:\d++(?:\.\d++)?|\.\d++)\s?(?:true)?(?:pt|in|cm|mm|em|ex|bp|sp)\b)?"  # as in \parskip=3pt
_ARGUMENTS = re.compile(rf"(?:\[[^\[\]\n]{{0,300}}\]|{_GROUP})*+{_LENGTH}", re.DOTALL)
_TITLED = re.compile(r"\[(?=[A-Z][^\[\]=]{2,}|[^\[\]=]+ [^\[\]=]+)[^\[\]=\n]{3,200}\]")  # a theorem's
_OPTIONAL = re.compile(r"(?:\s*+\[[^\[\]]{0,300}+\])*\s*+")
_TOKEN = re.compile(
    r"(?P<blank>\r?\n[ \t]*+\r?\n\s*+)|(?P<comment>%[^\n]*+(?:\n[ \t]*+(?![\r\n]))?)"
    r"|(?P<math>\$\$[^$]{0,20000}\$\$|\$(?:\\.|[^$\\]){1,5000}\$|\\\(.{0,5000}?\\\)|\\\[.{0,20000}?\\\])"
    r"|(?P<verb>\\(?:verb|lstinline)\*?(?P<mark>[^\w\s*{\[]).{0,500}?(?P=mark))|\\(?P<edge>begin|end)\{(?P<name>[^{}\n]{1,60})\}"
    r"|\\(?P<command>[A-Za-z@]+)\*?|(?P<escape>\\[%&$#_{}])|(?P<line>\\\\(?:\[[^\]\n]{0,30}\])?)"
    r"|(?P<accent>\\[\"'`^~=.](?:\{\\?[A-Za-z]\}|\\?[A-Za-z]))|(?P<symbol>\\.)|(?P<open>\{)|(?P<close>\})|(?P<cell>&)"
    r"|(?P<quotes>``|'')|(?P<dash>---?)|(?P<tie>~)|(?P<text>[^\\%$&{}~\n`'-]++|.)",
    re.DOTALL,
)
_ACCENTS = {'"': "\u0308", "'": "\u0301", "`": "\u0300", "^": "\u0302", "~": "\u0303", "=": "\u0304", ".": "\u0307"}
_SHOWN = {"``": "“", "''": "”", "---": "—", "--": "–", "~": "\xa0"}
_NAMED = {"textbackslash": "\\", "textasciitilde": "~", "textasciicircum": "^", "ldots": "…", "dots": "…", "ss": "ß"}
_WRITTEN = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "…": r"\ldots{}",
    **{character: f"\\{character}" for character in "%&$#_{}"},
    **{shown: written for written, shown in _SHOWN.items()},
}
_SPECIAL = re.compile("[" + re.escape("".join(_WRITTEN)) + "]")


class LatexDocument(PieceDocument):
    """A document in LaTeX, or a chapter of one."""

    kind = "latex"
    prose = True
    gap = re.compile(r"\n[ \t]*\r?\n(?=\S)")

    def _find_pieces(self) -> Iterable[Piece]:
        text = self.contents.text
        begins = re.search(r"^[^%\n]*\\begin\{document\}", text, re.MULTILINE)
        ends = re.search(r"^[^%\n]*\\end\{document\}", text, re.MULTILINE)
        stop = ends.start() if ends else len(text)
        count = PieceCount()
        if begins:
            for title in re.finditer(
                r"^[ \t]*+\\(?:title|subtitle)\s*+(?:\[[^\]]{0,500}+\]\s*+)?\{", text[: begins.start()], re.MULTILINE
            ):
                yield from _Paragraphs(self, count).read(title.end(), self.closing(title.end(), stop))
        elif re.search(r"^[ \t]*\\(?:documentclass|ProvidesPackage|ProvidesClass)\b", text, re.MULTILINE):
            return
        yield from _Paragraphs(self, count).read(begins.end() if begins else 0, stop)

    def closing(self, at: int, stop: int) -> int:
        """Where the group ends that begins before a position."""
        depth = 0
        for found in re.compile(r"\\.|%[^\n]*|[{}]", re.DOTALL).finditer(self.contents.text, at, stop):
            depth += (found[0] == "{") - (found[0] == "}")
            if depth < 0:
                return found.start()
        return stop

    def _render(self, _: Piece, parts: Parts, inner: list[Replacement]) -> str:
        written = (_escaped(part) if isinstance(part, str) else self.raw(part, inner) for part in parts)
        return "".join(written)

    def _normal(self, text: str) -> str:
        return re.sub(r"[ \t\r\n]+", " ", text).strip()


class _Paragraphs:
    """Goes through some of a document and makes pieces of its paragraphs."""

    def __init__(self, document: LatexDocument, count: PieceCount) -> None:
        self.document, self.text, self.count = document, document.contents.text, count
        self.parts: Parts = []
        self.start = self.end = self.tags = 0
        self.groups: list[str] = []  # names of pairs that are open
        self.tables = 0
        self.context = "p"

    def read(self, at: int, stop: int) -> Iterator[Piece]:
        """The pieces between two positions."""
        while at < stop and (token := _TOKEN.match(self.text, at, stop)):
            at = yield from self._take(token, stop)
        yield from self._flush()

    def _take(self, token: re.Match[str], stop: int) -> Generator[Piece, None, int]:
        """Follow a token; returns where the next one begins."""
        kind, shown = token.lastgroup, token[0]
        if token["edge"]:
            return (yield from self._edge(token, stop))
        if token["command"]:
            return (yield from self._command(token, stop))
        if kind == "blank" or (self.tables and kind in ("cell", "line")):
            yield from self._flush()
        elif kind in ("text", "cell"):
            self._add(shown, token.start(), token.end())
        elif kind == "escape":
            self._add(shown[1], token.start(), token.end())
        elif kind in ("quotes", "dash", "tie"):
            self._add(_SHOWN.get(shown, shown), token.start(), token.end())
        elif kind == "accent":
            letter = re.sub(r"[\\{}]", "", shown[2:])
            self._add(unicodedata.normalize("NFC", letter + _ACCENTS[shown[1]]), token.start(), token.end())
        elif kind == "open":
            self._open(token.start(), token.end())
        elif kind == "close":
            self._close(token.start(), token.end())
        else:
            self._alone(token.start(), token.end(), "code" if kind in ("math", "verb", "mark") else "x")
        return token.end()

    def _edge(self, token: re.Match[str], stop: int) -> Generator[Piece, None, int]:
        """The beginning or end of an environment."""
        name, at = token["name"].rstrip("*"), token.end()
        is_maths = name in _MATHS
        if token["edge"] == "begin" and (is_maths or name in _CODE):
            at = self._after_environment(token, stop)
            if is_maths and self.parts:
                self._alone(token.start(), at, "code")
                return at
            yield from self._flush()
            return at
        yield from self._flush()
        if name in _TABLES:
            self.tables += 1 if token["edge"] == "begin" else -1 if self.tables else 0
        if token["edge"] == "end":
            return at
        titled = _TITLED.match(self.text, at, stop)
        if titled:
            yield from _Paragraphs(self.document, self.count).read(at + 1, titled.end() - 1)
            return titled.end()
        arguments = _ARGUMENTS.match(self.text, at, stop)
        return arguments.end() if arguments else at

    def _after_environment(self, token: re.Match[str], stop: int) -> int:
        depth = 0
        name = re.escape(token["name"])
        for found in re.compile(rf"\\(begin|end)\{{{name}\}}").finditer(self.text, token.start(), stop):
            depth += 1 if found[1] == "begin" else -1
            if depth == 0:
                return found.end()
        return stop

    def _command(self, token: re.Match[str], stop: int) -> Generator[Piece, None, int]:
        name, at = token["command"], token.end()
        if name in ("item", "par", "bibitem", "hline", "toprule", "midrule", "bottomrule"):
            yield from self._flush()
            found = _ARGUMENTS.match(self.text, at, stop) if name in ("bibitem", "item") else None
            if name == "item" and found and found[0].startswith("["):
                yield from _Paragraphs(self.document, self.count).read(at + 1, self.text.find("]", at, stop))
                return self.text.find("]", at, stop) + 1
            return found.end() if found and name == "bibitem" else at
        if name in HEADINGS:
            opening = _OPTIONAL.match(self.text, at, stop)
            begin = opening.end() if opening else at
            if name == "captionof" and self.text[begin : begin + 1] == "{":
                begin = self.document.closing(begin + 1, stop) + 1
            if self.text[begin : begin + 1] == "{":
                yield from self._flush()
                end = self.document.closing(begin + 1, stop)
                inside = _Paragraphs(self.document, self.count)
                inside.context = "heading"
                yield from inside.read(begin + 1, end)
                return end + 1
        if name in ("def", "gdef", "edef", "let"):
            found = re.compile(rf"\s*+(?:=\s*+)?\\\w+[^{{\n]*+(?:{_GROUP})?").match(self.text, at, stop)
            self._alone(token.start(), found.end() if found else at, "x")
            return found.end() if found else at
        return self._inline(token, name, stop)

    def _inline(self, token: re.Match[str], name: str, stop: int) -> int:
        """A command inside a paragraph: around its text, a character, or a single tag with its arguments."""
        at = token.end()
        if name in _NAMED:
            empty = self.text.startswith("{}", at)
            self._add(_NAMED[name], token.start(), at + 2 * empty)
            return at + 2 * empty
        if name in _STYLES:
            first = re.compile(rf"(?:\[[^\]]{{0,200}}\])*{_GROUP if name in _SECOND else ''}").match(
                self.text, at, stop
            )
            begin = first.end() if first else at
            if self.text[begin : begin + 1] == "{":
                self._open(token.start(), begin + 1)
                return begin + 1
        found = _ARGUMENTS.match(self.text, at, stop)
        end = found.end() if found else at
        self._alone(token.start(), end, "code" if name in _SAID else "x")
        return end

    def _add(self, text: str, start: int, end: int) -> None:
        text = re.sub(r"[ \t\r\n]+", " ", text)
        if not self.parts and not text.strip():
            return
        self._reach(start, end)
        if self.parts and isinstance(self.parts[-1], str):
            joined = self.parts[-1] + text
            self.parts[-1] = joined if "  " not in joined else re.sub(r"  +", " ", joined)
        else:
            self.parts.append(text)

    def _alone(self, start: int, end: int, name: str) -> None:
        self.tags += 1
        self._tag(f"<x{self.tags}/>", "alone", name, start, end)

    def _open(self, start: int, end: int) -> None:
        self.tags += 1
        self.groups.append(f"g{self.tags}")
        self._tag(f"<g{self.tags}>", "start", f"g{self.tags}", start, end)

    def _close(self, start: int, end: int) -> None:
        if self.groups:
            name = self.groups.pop()
            self._tag(f"</{name}>", "end", name, start, end)
        else:
            self._alone(start, end, "x")

    def _tag(self, shown: str, kind: Kind, name: str, start: int, end: int) -> None:
        self._reach(start, end)
        self.parts.append(Tag(shown, b"", kind, name, None, (start, end)))

    def _reach(self, start: int, end: int) -> None:
        self.start = start if not self.parts else self.start
        self.end = end

    def _flush(self) -> Iterator[Piece]:
        parts, self.parts, self.tags, self.groups = self.parts, [], 0, []
        if any(isinstance(part, str) and part.strip() for part in parts):
            if isinstance(parts[-1], str):  # the break after it stays
                parts[-1] = parts[-1].rstrip(" ")
                self.end = self.start + len(self.text[self.start : self.end].rstrip(" \t\r\n"))
            pair_up(parts)
            yield Piece(self.count.next(), Inline(parts), self.start, self.end, self.context)


def _escaped(text: str) -> str:
    return _SPECIAL.sub(lambda found: _WRITTEN[found[0]], text)
