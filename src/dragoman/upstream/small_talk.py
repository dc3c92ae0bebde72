"""What language models say around a translation: preambles, remarks, emphasis.

What the source has too is part of the text and stays: "Note: …" is translated, "**Close**" keeps its asterisks.

>>> bare("Close the lid.", "Sure! Here is the translation: **Cierre la tapa.**")
'Cierre la tapa.'
>>> bare("Note: close the **lid**.", "Nota: cierre la **tapa**.")
'Nota: cierre la **tapa**.'
"""

from __future__ import annotations

import re
from collections.abc import Sequence

QUOTES = ('""', "“”", "«»", "''", "‘’", "「」", "``", "„“")
OPENING = "\"“«'‘「`„"
# "translation" and "translated" in the languages that models answer in
TRANSLATION = (
    r"translat\w*|traducci[oó]n|traduc\w+|traduction|traduit\w*|traduzion\w*|tradotto|tradu[çc][ãa]o|traduzid\w*|"
    r"übersetz\w*|vertaling|vertaald|oversætt\w*|oversatt|översätt\w*|käännös|tłumaczeni\w*|překlad\w*|preklad\w*|"
    r"fordítás|traducere\w*|перевод\w*|переклад\w*|превод\w*|μετάφραση|çeviri\w*|terjemahan|bản dịch|翻译|翻譯|訳|번역"
)
_ASSENT = r"sure|certainly|of course|absolutely|okay|ok|gladly|claro|por supuesto|natürlich|gerne|bien sûr|certo|sicher"
PREAMBLE = re.compile(
    rf"(?:(?:{_ASSENT})\b[!,.]?\s*)?[^:：\n]{{0,80}}(?:{TRANSLATION})[^:：\n]{{0,60}}[:：]\s*"
    rf"|(?:{_ASSENT})\b[!.]\s+(?:[^:：\n]{{0,80}}[:：]\s*)?"
    rf"|(?:{_ASSENT})\b[^:：\n]{{0,80}}[:：]\s*"
    r"|here(?:'s|’s| is| are| you go)\b[^:：\n]{0,80}[:：]\s*"
    r"|aquí (?:tiene|tienes|está)\b[^:：\n]{0,80}[:：]\s*"
    r"|(?:hier ist|voici)\b[^:：\n]{0,80}[:：]\s*",
    re.IGNORECASE,
)
REMARK = re.compile(
    r"\W{0,3}(?:note|notes|explanation|let me know|i hope|feel free|if you (?:need|have|would)|please note|"
    r"this translation|the translation|alternativ\w+|nota|hinweis|anmerkung|remarque)\b",
    re.IGNORECASE,
)
EMPHASIS = ("***", "**", "__", "~~", "*", "_", "`")


def without_remarks(lines: Sequence[str], count: int) -> list[str]:
    """The lines of an answer without those that only introduce or explain it, if there are more than were asked for."""
    found = list(lines)
    while len(found) > count and (found[0].endswith((":", "：")) or PREAMBLE.fullmatch(found[0])):
        found = found[1:]
    while len(found) > count and REMARK.match(found[-1]):
        found = found[:-1]
    return found


def bare(source: str, answer: str) -> str:
    """A translation without preamble, emphasis and quotation marks that the source has not."""
    text = answer.strip()
    preamble = PREAMBLE.match(text)
    if preamble and text[preamble.end() :].strip() and not _introduces(source):
        text = text[preamble.end() :].strip()
    before = None
    while before != text:
        before, text = text, _without_frame(source, text)
    return text


def _introduces(source: str) -> bool:
    """Whether a source itself begins like a preamble: anything before a colon, or an assent."""
    return PREAMBLE.match(source) is not None or 0 < source.find(":") < 100


def _without_frame(source: str, text: str) -> str:
    for mark in EMPHASIS:
        if mark in source:
            continue
        if len(text) > 2 * len(mark) and text.startswith(mark) and text.endswith(mark):
            return text[len(mark) : -len(mark)].strip()
        if len(mark) > 1 and text.count(mark) >= 1:  # around some of the words, or left over on one side
            return text.replace(mark, "")
    for quotes in QUOTES:
        if len(text) > 2 and text[0] + text[-1] == quotes and source[:1] not in OPENING:
            return text[1:-1].strip()
    if text.startswith("#") and not source.startswith("#"):
        return text.lstrip("#").strip()
    return text
