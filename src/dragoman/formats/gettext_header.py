r"""The header of a catalogue that was made from a template: language, plural forms and encoding are filled in.

>>> print(filled_header("Language: \nPlural-Forms: nplurals=INTEGER; plural=EXPRESSION;\n", "es"), end="")
Language: es
Plural-Forms: nplurals=2; plural=(n != 1);
"""

from __future__ import annotations

import re

_SLAVIC = "n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2"
# Languages, the number of their forms, and which one a number takes: as GNU gettext's manual and msginit have them
_FORMULAS = [
    ("bm bo dz id ig ii ja jbo jv km ko lo ms my sah su th vi wo yo yue zh", 1, "0"),
    ("ach ak am arn fil fr gun ln mfe mg mi oc pt-BR ti tl wa", 2, "(n > 1)"),
    ("be bs hr ru sr uk", 3, f"({_SLAVIC})"),
    ("pl", 3, "(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2)"),
    ("cs sk", 3, "((n==1) ? 0 : (n>=2 && n<=4) ? 1 : 2)"),
    ("lt", 3, "(n%10==1 && n%100!=11 ? 0 : n%10>=2 && (n%100<10 || n%100>=20) ? 1 : 2)"),
    ("lv", 3, "(n%10==1 && n%100!=11 ? 0 : n != 0 ? 1 : 2)"),
    ("ro", 3, "(n==1 ? 0 : (n==0 || (n%100 > 0 && n%100 < 20)) ? 1 : 2)"),
    ("sl", 4, "(n%100==1 ? 0 : n%100==2 ? 1 : n%100==3 || n%100==4 ? 2 : 3)"),
    ("mt", 4, "(n==1 ? 0 : n==0 || (n%100>1 && n%100<11) ? 1 : (n%100>10 && n%100<20) ? 2 : 3)"),
    ("ar", 6, "(n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5)"),
]
_BY_LANGUAGE = {code: (count, formula) for codes, count, formula in _FORMULAS for code in codes.split()}
_USUAL = 2, "(n != 1)"
_PLURALS = re.compile(r"^Plural-Forms:.*$", re.MULTILINE)
_LANGUAGE = re.compile(r"^Language:[ \t]*$", re.MULTILINE)


def plural_forms(language: str) -> tuple[int, str]:
    """How many plural forms a language has, and the formula that chooses one.

    >>> plural_forms("ja"), plural_forms("pt-BR"), plural_forms("pt")
    ((1, '0'), (2, '(n > 1)'), (2, '(n != 1)'))
    """
    code = language.replace("_", "-")
    return _BY_LANGUAGE.get(code) or _BY_LANGUAGE.get(code.split("-")[0].lower(), _USUAL)


def is_template(header: str, name: str) -> bool:
    """Whether a catalogue is a template: by its name, or by what xgettext leaves to be filled in."""
    return name.lower().endswith(".pot") or "nplurals=INTEGER" in header or "charset=CHARSET" in header


def filled_header(header: str, language: str) -> str:
    """The header for a language; what it says of language and plurals already stays."""
    count, formula = plural_forms(language)
    said = f"Plural-Forms: nplurals={count}; plural={formula};"
    found = header.replace("charset=CHARSET", "charset=UTF-8")
    found = _LANGUAGE.sub(lambda _: f"Language: {language.replace('-', '_')}", found)
    if "Language:" not in found:
        found = f"{found.rstrip()}\nLanguage: {language.replace('-', '_')}\n".lstrip()
    if "nplurals=INTEGER" in found:
        return _PLURALS.sub(lambda _: said, found)
    return found if _PLURALS.search(found) else f"{found.rstrip()}\n{said}\n"
