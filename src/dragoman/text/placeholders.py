r"""The table of placeholder syntaxes: what programs fill in, and tags; tokens, masks, checks and the editor all use it.

A *slot* is in a translation exactly if it is in the source; the rest is copied, but a person may write it otherwise.
Text has the syntaxes that are unambiguous there; the others only the formats that name them: `$1` is a placeholder
in the messages of browser extensions, and a price elsewhere.

Rows are tried in this order. For the patterns, the rules of `tokens` hold; besides, a slot starts in the middle of a
word or of a run of equal signs only if a token may, because the page looks for slots alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from dragoman.records import Sentence
from dragoman.text.patterns import compile_pattern

NAME = r"A-Za-z0-9_\u00c0-\u0dff"  # \w, but for scripts that are written without spaces, where a name ends


class Syntax(NamedTuple):
    """A way to write placeholders."""

    name: str
    pattern: str
    is_slot: bool = True
    since: int = 2  # the version of tokens that it came with; see `tokens.CURRENT`
    is_plain: bool = True  # whether any text may have it


# A URL does not take the full stop or bracket that follows it along: https://x.org/a_(b).
_URL_CHAR = r"A-Za-z0-9_\u00c0-\u0dff/#~%&=+$@*-"
_URL = rf"(?:[{_URL_CHAR}]++|[.,;:!?'’]++(?=[{_URL_CHAR}])|\([^\s()<>\"`]*+\))++"
_EMAIL_DOMAIN = r"(?:[A-Za-z0-9-]{1,63}+\.){1,9}[A-Za-z]{2,63}+"
_ADDRESS = rf"[A-Za-z0-9][A-Za-z0-9.+_-]{{0,63}}+(?:://{_URL}|@{_EMAIL_DOMAIN})|www\.(?=\w){_URL}"

# /usr/lib but not and/or, ~/x, ./x, ../x, $HOME/x, C:\x
_PATH_STEPS = r"(?:/\.?[A-Za-z0-9_+@%-]++(?:\.[A-Za-z0-9_+@%-]++)*+)++/?"
_PATH = (
    rf"/(?<![{NAME}/].)(?=[A-Za-z._])\.?[A-Za-z0-9_+@%-]++{_PATH_STEPS}"
    rf"|~{_PATH_STEPS}|\.(?<![{NAME}.].)\.?{_PATH_STEPS}"
    rf"|\$[{NAME}]++{_PATH_STEPS}|[A-Za-z]:\\(?:[A-Za-z0-9_-]++(?:\.[A-Za-z0-9_-]++)*+\\?)*+"
)

# ``code``, `code`, `name`_ and what follows a role. A reference that has a title, `title <target>`, is opened up, so
# that the title is translated, unless the title is a piece of code: `open() <io.open>`.
_CODE = (
    r"``(?=[^\s`])(?:[^`]++|`(?!`))*+(?<=\S)``"
    r"|`(?<![A-Za-z0-9`].)(?=[^\s`])(?:(?<!:`)[^`]*+(?<=\S)`(?!_)|[^`<]*+(?<=\S)`_{0,2}+|<[^`<>]*+>`"
    r"|[^\s`<.(_]*+[.(_][^\s`<]*+\s*+<[^`<>]*+>`_{0,2}+)"
)
_TARGET = r"<[^<>`\s][^<>`]*+>`_{0,2}+"
_ROLE = rf":(?<![{NAME}:].)[A-Za-z][\w+.-]{{0,40}}+(?::[A-Za-z][\w+.-]{{0,40}}+){{0,3}}+:(?![\w:])"
_FOOTNOTE = r"\[[#*\w-]++\]_(?!\w)|\[\^[\w-]++\]"

# An attribute needs its value, or "a <b and c> d" would have a tag in it.
_VALUE = r"""(?:\\?"[^"<>]*+"|'[^'<>]*+'|[^\s"'<>=`]++)"""
TAG = rf"</?[A-Za-z][\w:.-]*+(?:\s++[\w:.-]++\s*+=\s*+{_VALUE})*+\s*+/?>|<!--[^<>]*+>(?<=-->)"
# %(name)s and %1$s are beyond doubt; %s is not, after a digit (50%off%) or before a letter (%age).
_SIZE = r"\d{0,4}(?:\.\d{1,4})?[hlLqjzt]{0,2}[A-Za-z@]"
_PERCENT = (
    rf"%(?:\(\w++\)|\d{{1,2}}\$)[#0 +-]*+{_SIZE}"
    rf"|%(?<!\d.)(?:[#0+-]*+{_SIZE}(?![A-Za-z])|[A-Za-z_]\w++%)"
)
_PRINTF = (
    rf"%(?:\([\w.]++\)|<\w++>|\[\d{{1,2}}\])[#0 +-]*+{_SIZE}"  # Python's with dots, Ruby's, Go's
    r"|%(?<!\d.)(?:\d{1,2}\$)?[#0+'-]*+(?:\d{1,4}|\*)?(?:\.(?:\d{1,4}|\*))?(?:hh)?[diouxXeEfFgGaAcsSp](?![A-Za-z])"
)
_CATEGORY = r"(?:=\d++|[\w-]++)"
_ICU_NAME = r"\{\s?[\w.]++\s?,\s?"
_CHOICES = r"(?:plural|selectordinal|select)\s?,"

# Strings of programs have more markup in them, and less that only looks like a placeholder.
_FORMAT = r"[#0+-]*\d{0,4}(?:\.\d{1,4}|\.\*)?(?:hh|h|ll|l|L|q|j|z|t)?[diouxXeEfFgGaAcCsSp@]"
_PROGRAM = (
    r"</?[A-Za-z][\w:.-]{0,40}(?:\s[^<>]{0,2000})?/?>|[%$#@]?\{\{[^{}]{0,400}\}\}|[%$#@]?\{[^{}]{0,400}\}"
    rf"|(?<![\d%])%[-_^]?[A-Za-z](?![A-Za-z])|%\d{{1,2}}\${_FORMAT}|%{_FORMAT}(?![A-Za-z])|%[nL]?\d{{1,2}}(?!\d*[%\s])|%n\b"
)
_NOT_BEFORE_COLON = rf"{NAME}:;.,!?)\]}}@#%&=*+~^|\\`"

SYNTAXES = (
    Syntax("address", _ADDRESS, is_slot=False, since=1),
    Syntax("code", _CODE, is_slot=False, since=1),
    Syntax("target of a reference", _TARGET, is_slot=False, since=1),
    Syntax("tag", TAG, since=1),
    Syntax("numbered tag", r"</?\d{1,3}\s?/?>"),  # react-i18next: <0>…</0>, <1/>
    Syntax("template", r"<%[^<%]*+%>|<\?[^<?]*+\?>|\{%[^{}%]*+%\}|\{#[^{}#]*+#\}|\[%[^\[\]%]*+%\]"),  # ERB, PHP, Jinja
    Syntax("doubled signs", r"%%\w++%%|@@\w++@@|##\w++##|\$\$\w++\$\$|<<[\w.:#-]++>>|⟦(?<!⟦.)[^⟦⟧]++⟧(?!⟧)"),
    Syntax("role", _ROLE, is_slot=False, since=1),
    Syntax("Qt", r"%(?<![\d%].)L[1-9](?!\d)"),
    Syntax("Apple", r"%(?:\d{1,2}\$)?#@\w{1,60}@"),
    Syntax("Windows", r"%(?<!\d.)I(?:64|32)[dioux]|%\d{1,2}!\w{1,6}!"),
    Syntax("printf", _PERCENT, since=1),
    Syntax("printf of others", _PRINTF),
    Syntax("Qt", r"%(?<![\d%].)(?<!\d\s.)[1-9](?:%(?![\w%])|(?![\d$]|!\w|[.,]\d))"),  # Boost's %1%, too
    Syntax("printf's sign", "%%"),
    Syntax("path", _PATH, is_slot=False, since=1),
    Syntax("ICU choice", rf"{_ICU_NAME}{_CHOICES}\s?(?:offset:\d++\s?)?{_CATEGORY}\s?\{{"),
    Syntax("ICU", rf"{_ICU_NAME}(?:number|date|time|spellout|ordinal|duration|list)(?:\s?,[^{{}}]*+)?\s?\}}"),
    Syntax("SmartFormat", r"\{[\w.]*+:(?:\w++(?:\([^(){}]*+\))?:)?(?=[^\W\d_][^{}|]{0,200}\||$)"),
    Syntax("braces with more inside", r"\{\{\{[^{}]*+\}\}\}|\{ ?\"[^\"{}]*+\" ?\}|\{@\w++ [^{}]*+\}"),
    Syntax("at sign before braces", r"@(?<!@.)\{[\w.]++\}"),
    Syntax("Fluent", r"\{ ?(?:\$|--?)?[A-Za-z_][\w.-]*+ ?\}|\{ ?[A-Z]{2,40}\([^(){}]*+\) ?\}"),
    Syntax("braces", r"[%$#]?(?:\{\{[^{}]*+\}\}|\{[\w.:!\[\],<>=^+#%*/@|-]*+\})", since=1),
    Syntax("i18next", r"\$t\([^()]*+\)"),
    Syntax("dollar signs around", rf"\$(?<![{NAME}$].)[A-Za-z_]\w*+\$(?![{NAME}$])"),
    Syntax("make", r"\$(?<!\$.)\([\w.]++\)"),
    # A variable is no currency: $US
    Syntax("variable", rf"\$(?<![{NAME}].)(?!(?:US|CAN?|AU?|NZ|HK)(?![A-Za-z_]))[A-Za-z_][{NAME}]*+", since=1),
    Syntax("Swift", r"\\\([^()]*+\)"),
    Syntax("Vue", rf"@(?<![{NAME}@].)(?:\.\w++)?:(?:\([\w.]++\)|\{{[^{{}}]*+\}}|[A-Za-z_]\w*+(?:\.\w++)*+)"),
    Syntax("Laravel", rf":(?<![{_NOT_BEFORE_COLON}].)(?<![^\s(\[][\"'].)(?:[A-Za-z][a-z_]++|[A-Z]{{2,40}})(?![\w:])"),
    Syntax("underscores around", rf"__(?<![{NAME}]..)[A-Za-z0-9][{NAME}]*+(?<=[A-Za-z0-9]__)"),
    Syntax("number signs around", rf"#(?<![{NAME}#].)[A-Za-z]\w*+#(?![{NAME}#])"),
    Syntax("footnote", _FOOTNOTE, is_slot=False, since=1),
    Syntax("double brackets", r"\[\[[\w.:#/-]++\]\]"),
    Syntax("Weblate", r"\[X\d++X\]", since=1),
    Syntax("entity", r"&(?:[A-Za-z][A-Za-z0-9]{1,31}|#\d{1,7}|#[xX][0-9A-Fa-f]{1,6});", is_slot=False, since=1),
    Syntax("escape", r"\\(?:[nrt](?![a-z])|u[0-9A-Fa-f]{4})", is_slot=False, since=1),
    # Between the forms of a choice, which are translated, and behind the last one.
    Syntax("form", rf"\}}\s?{_CATEGORY}\s?\{{|\}}\s?\}}|\}}|\|(?=(?:\{{\w*\}}|[^{{}}\n]){{0,200}}\}})", is_slot=False),
    Syntax("reference", r"\\\d", is_slot=False),
    Syntax("number sign", rf"#(?<![{NAME}#&].)(?:\d++(?![{NAME}])|(?=\s[^\W\d_]))", is_slot=False),
    Syntax("at sign", rf"@(?<![{NAME}@].)[A-Za-z]\w++", is_slot=False),
    Syntax("program", _PROGRAM, is_plain=False),
    Syntax("chrome", r"\$[1-9](?!\d|[.,]\d)", is_plain=False),
    Syntax("laravel", r"(?<![\w:]):[A-Za-z_]\w*+", is_plain=False),
    Syntax("qt", r"%L?\d\d", is_plain=False),
)
_IN_TEXT = [syntax for syntax in SYNTAXES if syntax.is_plain]
_PERCENT_SIGN_BEHIND = re.compile(r"%\d%")
_FIRST_PLURAL = re.compile(rf"(?<=,plural,)(?:offset:\d+)?{_CATEGORY}\{{$")
_TAG = re.compile(TAG)
SLOT = re.compile("|".join(syntax.pattern for syntax in _IN_TEXT if syntax.is_slot))


@cache
def code_pattern(named: tuple[str, ...]) -> re.Pattern[str]:
    """What is a code in the strings of formats that name some syntaxes, besides those of any text."""
    plain = [each.pattern for each in _IN_TEXT if each.is_slot or each.name in ("form", "entity")]
    return compile_pattern("|".join([*plain, *(each.pattern for each in SYNTAXES if each.name in named)]))


def slot_key(word: str) -> str:
    """What two ways to write the same slot have in common: spaces inside do not matter, nor which plural comes first.

    >>> slot_key("{{ name }}"), slot_key("{n, plural, one {") == slot_key("{n, plural, few {"), slot_key("%1%")
    ('{{name}}', True, '%1')
    """
    if _PERCENT_SIGN_BEHIND.fullmatch(word):
        return word[:-1]
    bare = re.sub(r"\s", "", word) if "{" in word else word
    return _FIRST_PLURAL.sub("{", bare)


def slots_of(sentence: Sentence) -> list[str]:
    """The tags and placeholders of a sentence."""
    words = zip(sentence.words, sentence.placeable, strict=True)
    return [word for word, is_copied in words if is_copied and SLOT.fullmatch(word)]


def find_placeholders(sentence: Sentence) -> dict[str, str]:
    """The slots of a sentence that are not tags, by their keys."""
    return {slot_key(slot): slot for slot in slots_of(sentence) if not _TAG.fullmatch(slot)}


def slots_beyond(some: Iterable[str], others: Iterable[str]) -> list[str]:
    """The slots of some that the others have less often.

    >>> slots_beyond(["{a}", "{ b }", "{a}"], ["{a}", "{b}"])
    ['{a}']
    """
    left = Counter(map(slot_key, others))
    left.subtract(map(slot_key, given := list(some)))
    found = list[str]()
    for slot in reversed(given):
        if left[slot_key(slot)] < 0:
            left[slot_key(slot)] += 1
            found.insert(0, slot)
    return found
