"""The table of formats: a new one is a module with its class, and a line here.

A module is loaded when a file needs it.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import PurePath
from typing import TYPE_CHECKING

from dragoman.errors import BadInputError

if TYPE_CHECKING:
    from dragoman.formats.document import Document

# Each class, and the endings of its files; other packages add some by entry points of the group `dragoman.formats`.
FORMATS = {
    "dragoman.formats.xml_document:XmlDocument": ".xlf .xliff .sdlxliff .mqxliff .mxliff .tmx .ts .xml",
    "dragoman.formats.po:PoDocument": ".po .pot",
    "dragoman.formats.lines:TsvDocument": ".tsv .tab",
    "dragoman.formats.lines:TextDocument": ".txt .text",
    "dragoman.formats.html:HtmlDocument": ".html .htm .xhtml",
    "dragoman.formats.markdown:MarkdownDocument": ".md .markdown .mdx",
    "dragoman.formats.restructured_text:RstDocument": ".rst .rest",
    "dragoman.formats.latex:LatexDocument": ".tex .ltx",
    "dragoman.formats.asciidoc:AsciiDocDocument": ".adoc .asciidoc .asc",
    # and .xml, by its root or the rules in it:
    "dragoman.formats.xml_vocabularies:RuledDocument": ".dita .ditamap .dbk .docbook .ttml .dfxp",
    "dragoman.formats.subtitles:SubtitlesDocument": ".srt",
    "dragoman.formats.subtitles:VttDocument": ".vtt",
    "dragoman.formats.json_files:JsonDocument": ".json",
    "dragoman.formats.json_files:ArbDocument": ".arb",
    "dragoman.formats.yaml_files:YamlDocument": ".yml .yaml",
    "dragoman.formats.apple:StringsDocument": ".strings",
    "dragoman.formats.stringsdict:StringsDictDocument": ".stringsdict",
    "dragoman.formats.xcstrings:XcstringsDocument": ".xcstrings",
    "dragoman.formats.properties:PropertiesDocument": ".properties",
    "dragoman.formats.resx:ResxDocument": ".resx .resw",
    "dragoman.formats.fluent:FluentDocument": ".ftl",
    "dragoman.formats.csv_files:CsvDocument": ".csv",
    "dragoman.formats.php_arrays:PhpDocument": ".php",
    "dragoman.formats.settings_files:TomlDocument": ".toml",
    "dragoman.formats.settings_files:IniDocument": ".ini",
    "dragoman.formats.office:DocxDocument": ".docx .docm .dotx .dotm",
    "dragoman.formats.office:PptxDocument": ".pptx .pptm .ppsx .ppsm .potx .potm",
    "dragoman.formats.office:XlsxDocument": ".xlsx .xlsm .xltx .xltm",
    "dragoman.formats.opendocument:OpenDocument": ".odt .ott .ods .ots .odp .otp .odg",
    "dragoman.formats.epub:EpubDocument": ".epub",
    "dragoman.formats.idml:IdmlDocument": ".idml",
}
ADDED = "dragoman.formats"  # entry points: the name is the ending, the value a class
_RESOURCES = re.compile(rb"<resources[\s>/]")


@cache
def by_ending() -> dict[str, str]:
    """The class for each ending, as `module:class`."""
    added = {each.name: each.value for each in entry_points(group=ADDED)}
    return {ending: kind for kind, endings in FORMATS.items() for ending in endings.split()} | added


def load_kind(kind: str) -> type[Document]:
    """A class that reads files."""
    module, _, name = kind.partition(":")
    found: type[Document] = getattr(import_module(module), name)
    return found


def find_kind(data: bytes, name: str) -> type[Document]:
    """The class that reads a file; resources of Android are told from other XML by their root."""
    ending = PurePath(name).suffix.lower()
    kind = by_ending().get(ending)
    if kind is None:
        way = "convert it to XLIFF or PO with translate-toolkit or Okapi, fill that, and convert it back"
        what = "cannot tell the file type from its name"
        raise BadInputError(what, where=name, remedy=f"{way}, or use {_endings()}")
    if ending == ".xml":
        kind = _kind_of_xml(data, kind)
    return load_kind(kind)


def _kind_of_xml(data: bytes, kind: str) -> str:
    from dragoman.formats.xml_vocabularies import find_vocabulary

    if _RESOURCES.search(data[:20_000]):
        return "dragoman.formats.android:AndroidDocument"
    if find_vocabulary(data.decode("utf-8", "replace"), ".xml"):
        return "dragoman.formats.xml_vocabularies:RuledDocument"
    return kind


def _endings() -> str:
    *some, last = by_ending()
    return f"{', '.join(some)} or {last}"
