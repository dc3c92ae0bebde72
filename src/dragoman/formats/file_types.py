"""The table of formats: a new one is a module with its class, and a line here."""

from __future__ import annotations

import re
from pathlib import PurePath

from dragoman.errors import BadInputError
from dragoman.formats.android import AndroidDocument
from dragoman.formats.apple import StringsDocument
from dragoman.formats.asciidoc import AsciiDocDocument
from dragoman.formats.captions import AssDocument, SbvDocument
from dragoman.formats.csv_files import CsvDocument
from dragoman.formats.document import Document
from dragoman.formats.epub import EpubDocument
from dragoman.formats.fluent import FluentDocument
from dragoman.formats.html import HtmlDocument
from dragoman.formats.idml import IdmlDocument
from dragoman.formats.json_files import ArbDocument, JsonDocument
from dragoman.formats.latex import LatexDocument
from dragoman.formats.lines import TextDocument, TsvDocument
from dragoman.formats.markdown import MarkdownDocument
from dragoman.formats.mo import MoDocument
from dragoman.formats.office import DocxDocument, PptxDocument, XlsxDocument
from dragoman.formats.opendocument import OpenDocument
from dragoman.formats.php_arrays import PhpDocument
from dragoman.formats.po import PoDocument
from dragoman.formats.properties import PropertiesDocument
from dragoman.formats.renpy import RenpyDocument
from dragoman.formats.restructured_text import RstDocument
from dragoman.formats.resx import ResxDocument
from dragoman.formats.script_modules import ScriptDocument
from dragoman.formats.settings_files import IniDocument, TomlDocument
from dragoman.formats.stringsdict import StringsDictDocument
from dragoman.formats.subtitles import SubtitlesDocument, VttDocument
from dragoman.formats.vue_components import VueDocument
from dragoman.formats.xcstrings import XcstringsDocument
from dragoman.formats.xml_document import XmlDocument
from dragoman.formats.xml_vocabularies import RuledDocument, find_vocabulary
from dragoman.formats.yaml_files import YamlDocument

FORMATS: dict[type[Document], str] = {
    XmlDocument: ".xlf .xliff .sdlxliff .mqxliff .mxliff .tmx .ts .xml",
    PoDocument: ".po .pot",
    MoDocument: ".mo",
    TsvDocument: ".tsv .tab",
    TextDocument: ".txt .text",
    HtmlDocument: ".html .htm .xhtml",
    MarkdownDocument: ".md .markdown .mdx",
    RstDocument: ".rst .rest",
    LatexDocument: ".tex .ltx",
    AsciiDocDocument: ".adoc .asciidoc .asc",
    RuledDocument: ".dita .ditamap .dbk .docbook .ttml .dfxp",  # and .xml, by its root or the rules in it
    SubtitlesDocument: ".srt",
    VttDocument: ".vtt",
    JsonDocument: ".json",
    ArbDocument: ".arb",
    YamlDocument: ".yml .yaml",
    AndroidDocument: "",  # .xml, by its root
    StringsDocument: ".strings",
    StringsDictDocument: ".stringsdict",
    XcstringsDocument: ".xcstrings",
    PropertiesDocument: ".properties",
    ResxDocument: ".resx .resw",
    FluentDocument: ".ftl",
    CsvDocument: ".csv",
    ScriptDocument: ".js .mjs .cjs .mts",  # and .ts, unless it is XML, of Qt
    VueDocument: ".vue",
    RenpyDocument: ".rpy",
    PhpDocument: ".php",
    TomlDocument: ".toml",
    IniDocument: ".ini",
    SbvDocument: ".sbv",
    AssDocument: ".ass .ssa",
    DocxDocument: ".docx .docm .dotx .dotm",
    PptxDocument: ".pptx .pptm .ppsx .ppsm .potx .potm",
    XlsxDocument: ".xlsx .xlsm .xltx .xltm",
    OpenDocument: ".odt .ott .ods .ots .odp .otp .odg",
    EpubDocument: ".epub",
    IdmlDocument: ".idml",
}
BY_ENDING = {ending: kind for kind, endings in FORMATS.items() for ending in endings.split()}
_RESOURCES = re.compile(rb"<resources[\s>/]")


def find_kind(data: bytes, name: str) -> type[Document]:
    """The class that reads a file; resources of Android are told from other XML by their root."""
    ending = PurePath(name).suffix.lower()
    kind = BY_ENDING.get(ending)
    if ending == ".pdf":
        what = "a PDF can only be read, and not here"
        remedy = "dragoman fill PROJECT FILE.pdf OUT.tsv writes its sentences with their translations"
        raise BadInputError(what, where=name, remedy=remedy)
    if kind is None:
        way = "convert it to XLIFF or PO with translate-toolkit or Okapi, fill that, and convert it back"
        what = "cannot tell the file type from its name"
        raise BadInputError(what, where=name, remedy=f"{way}, or use {_endings()}")
    if ending == ".ts" and not data.lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n").startswith(b"<"):
        return ScriptDocument
    if ending == ".xml" and _RESOURCES.search(data[:20_000]):
        return AndroidDocument
    if ending == ".xml" and find_vocabulary(data.decode("utf-8", "replace"), ending):
        return RuledDocument
    return kind


def _endings() -> str:
    *some, last = BY_ENDING
    return f"{', '.join(some)} or {last}"
