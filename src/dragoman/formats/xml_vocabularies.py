"""XML by rules: DITA, DocBook, TTML, and any other whose ITS 2.0 rules stand in the document.

A vocabulary says which elements are tags of the text around them and which are left alone; all others are blocks.
Local `translate="no"` and `its:translate="no"` hold everywhere. Of the rules in a document, those are read whose
selectors are paths to elements or attributes by name (`//code`, `//menu/@label`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from dragoman.formats.codes import words
from dragoman.formats.contents import DECLARED
from dragoman.formats.division import Parts
from dragoman.formats.html import MarkupVocabulary, Scan, escape
from dragoman.formats.piece_document import Piece, PieceDocument, Replacement

DITA = MarkupVocabulary(
    inline=words(
        "abbreviated-form b boolean cite dt1 fn hazardsymbol i indexterm keyword line-through menucascade overline ph "
        "q shortcut sort-as sub sup term tm u uicontrol wintitle xref link-text state image text"
    ),
    fixed=words(
        "apiname cmdname codeph delim filepath kwd markupname msgnum msgph numcharref oper option parameterentity "
        "parmname repsep sep synph systemoutput textentity userinput var varname xmlatt xmlelement xmlnsname xmlpi "
        "equation-inline draft-comment required-cleanup data foreign unknown"
    ),
    opaque=words("codeblock screen msgblock lines pre equation-block syntaxdiagram metadata prolog reltable keydef"),
    readable=words("alt navtitle"),
)
DOCBOOK = MarkupVocabulary(
    inline=words(
        "abbrev acronym citation citetitle emphasis firstterm foreignphrase footnote footnoteref glossterm guibutton "
        "guiicon guilabel guimenu guimenuitem guisubmenu indexterm inlinemediaobject keycap keycombo link menuchoice "
        "mousebutton olink phrase primary quote remark secondary see seealso subscript superscript tertiary trademark "
        "ulink wordasword xref anchor productname application"
    ),
    fixed=words(
        "classname code command computeroutput constant email envar errorcode exceptionname filename function "
        "interfacename literal markup methodname option parameter prompt property replaceable returnvalue sgmltag "
        "symbol systemitem tag type uri userinput varname version inlineequation biblioref"
    ),
    opaque=words(
        "programlisting screen literallayout synopsis cmdsynopsis funcsynopsis classsynopsis equation informalequation "
        "programlistingco screenco revhistory pubdate releaseinfo"
    ),
)
TTML = MarkupVocabulary(inline=words("span br"), opaque=words("styling layout metadata head"))
_ROOTS = {
    "DITA": words("topic concept task reference map bookmap dita glossentry glossgroup troubleshooting subjectscheme"),
    "DocBook": words("book article chapter section sect1 refentry set part appendix preface glossary reference"),
    "TTML": words("tt"),
}
VOCABULARIES = {"DITA": DITA, "DocBook": DOCBOOK, "TTML": TTML}
_ROOT = re.compile(r"<(?:[\w.-]+:)?([A-Za-z][\w.-]*)[\s/>]")
_HEAD = re.compile(r"\A\s*+(?:<\?[^>]*\?>\s*+|<!--.*?-->\s*+|<!DOCTYPE[^\[>]*+(?:\[[^\]]*+\]\s*+)?>\s*+)*", re.DOTALL)
_RULE = re.compile(r"<its:(translateRule|withinTextRule)\b([^<>]*)>")
_ATTRIBUTE = re.compile(r"""(?<!\w)(\w++)\s*+=\s*+(?:"([^"]*)"|'([^']*)')""")
_ITS = "http://www.w3.org/2005/11/its"


def find_vocabulary(text: str, ending: str) -> str | None:
    """The vocabulary of a document, by its declaration, its root or the ending of its name; "ITS" if it has rules."""
    head = text[:20_000]
    start = _HEAD.match(head)
    root = _ROOT.search(head, start.end() if start else 0)
    name = root[1].lower() if root else ""
    if (
        "dita" in ending
        or "//DTD DITA" in head
        or ("/DTD/" not in head and name in _ROOTS["DITA"] and "ditaarch" in head)
    ):
        return "DITA"
    if ("docbook" in head.lower() and name in _ROOTS["DocBook"]) or ending in (".dbk", ".docbook"):
        return "DocBook"
    if (name == "tt" and "ns/ttml" in head) or ending in (".ttml", ".dfxp"):
        return "TTML"
    return "ITS" if _ITS in text and "<its:rules" in text else None


def rules_of(text: str, base: MarkupVocabulary) -> MarkupVocabulary:
    """A vocabulary with the rules of a document."""
    for kind, written in _RULE.findall(text):
        about = {name: one or other for name, one, other in _ATTRIBUTE.findall(written)}
        for path in about.get("selector", "").split("|"):
            last = path.strip().rpartition("/")[2]
            name = re.sub(r"\[.*", "", last).rpartition(":")[2].lower()
            if last.startswith("@"):
                chosen = frozenset({last[1:].rpartition(":")[2].lower()})
                readable = base.readable | chosen if about.get("translate") == "yes" else base.readable - chosen
                base = base._replace(readable=readable)
            elif kind == "translateRule" and about.get("translate") == "no":
                if name in base.inline:
                    base = base._replace(fixed=base.fixed | {name})
                else:
                    base = base._replace(opaque=base.opaque | {name})
            elif kind == "translateRule":
                base = base._replace(fixed=base.fixed - {name}, opaque=base.opaque - {name})
            elif about.get("withinText") in ("yes", "nested"):
                base = base._replace(inline=base.inline | {name})
    return base._replace(fixed=base.fixed | (base.inline & base.opaque))


class RuledDocument(PieceDocument):
    """A document in XML whose texts are replaced by their translations, as the rules of its vocabulary say."""

    kind = "xml"
    prose = True
    hint = DECLARED
    _lacking = "xmlcharrefreplace"

    def _find_pieces(self) -> Iterable[Piece]:
        text = self.contents.text
        ending = self.contents.name[self.contents.name.rfind(".") :].lower()
        named = find_vocabulary(text, ending)
        base = VOCABULARIES.get(named or "", MarkupVocabulary(frozenset()))
        yield from Scan(text, "", vocabulary=rules_of(text, base)).pieces()

    def _normal(self, text: str) -> str:
        return re.sub(r"\s+", " ", text).strip()

    def _render(self, piece: Piece, parts: Parts, inner: list[Replacement]) -> str:
        quote = piece.style or ""
        return "".join(escape(part, quote) if isinstance(part, str) else self.raw(part, inner) for part in parts)
