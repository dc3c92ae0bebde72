"""Language codes: which of them mean the same language.

>>> same_language("es-MX", "ES"), same_language("spa", "es"), same_language("ger", "deu"), same_language("pt", "es")
(True, True, True, False)
"""

from __future__ import annotations

import re
from functools import lru_cache

from dragoman.errors import BadInputError

LANGUAGE = r"[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8}){0,3}"  # a code, with script and country if need be
# Two-letter codes (ISO 639-1), each with its three-letter equivalents (ISO 639-2, terminology and bibliography)
_TABLE = """
aa aar|ab abk|ae ave|af afr|ak aka|am amh|an arg|ar ara|as asm|av ava|ay aym|az aze|ba bak|be bel|bg bul|bh bih|bi bis
bm bam|bn ben|bo bod tib|br bre|bs bos|ca cat|ce che|ch cha|co cos|cr cre|cs ces cze|cu chu|cv chv|cy cym wel|da dan
de deu ger|dv div|dz dzo|ee ewe|el ell gre|en eng|eo epo|es spa|et est|eu eus baq|fa fas per|ff ful|fi fin|fj fij
fo fao|fr fra fre|fy fry|ga gle|gd gla|gl glg|gn grn|gu guj|gv glv|ha hau|he heb|hi hin|ho hmo|hr hrv|ht hat|hu hun
hy hye arm|hz her|ia ina|id ind|ie ile|ig ibo|ii iii|ik ipk|io ido|is isl ice|it ita|iu iku|ja jpn|jv jav|ka kat geo
kg kon|ki kik|kj kua|kk kaz|kl kal|km khm|kn kan|ko kor|kr kau|ks kas|ku kur|kv kom|kw cor|ky kir|la lat|lb ltz|lg lug
li lim|ln lin|lo lao|lt lit|lu lub|lv lav|mg mlg|mh mah|mi mri mao|mk mkd mac|ml mal|mn mon|mr mar|ms msa may|mt mlt
my mya bur|na nau|nb nob|nd nde|ne nep|ng ndo|nl nld dut|nn nno|no nor|nr nbl|nv nav|ny nya|oc oci|oj oji|om orm
or ori|os oss|pa pan|pi pli|pl pol|ps pus|pt por|qu que|rm roh|rn run|ro ron rum|ru rus|rw kin|sa san|sc srd|sd snd
se sme|sg sag|si sin|sk slk slo|sl slv|sm smo|sn sna|so som|sq sqi alb|sr srp|ss ssw|st sot|su sun|sv swe|sw swa
ta tam|te tel|tg tgk|th tha|ti tir|tk tuk|tl tgl|tn tsn|to ton|tr tur|ts tso|tt tat|tw twi|ty tah|ug uig|uk ukr|ur urd
uz uzb|ve ven|vi vie|vo vol|wa wln|wo wol|xh xho|yi yid|yo yor|za zha|zh zho chi|zu zul
"""
_CHINESE = {"cn": "hans", "sg": "hans", "my": "hans", "tw": "hant", "hk": "hant", "mo": "hant"}
_SHORT = {long: row.split()[0] for row in re.split(r"[|\n]", _TABLE.strip()) for long in row.split()[1:]}


@lru_cache(1 << 10)
def primary(code: str) -> str:
    """The language alone, without script or country, as a two-letter code if it has one.

    >>> primary("pt_BR"), primary("zho-Hans"), primary("tlh")
    ('pt', 'zh', 'tlh')
    """
    first = re.split("[-_]", code.strip().lower())[0]
    return _SHORT.get(first, first)


def is_language(code: str) -> bool:
    """Whether a code can be that of a language: two letters only if they are one, three are not looked up.

    >>> is_language("pt-BR"), is_language("ast"), is_language("xx"), is_language("e"), is_language("English")
    (True, True, False, False, False)
    """
    first = re.split("[-_]", code.strip().lower())[0]
    return first.isalpha() and (len(first) == 3 or first in set(_SHORT.values()))


def refuse_unknown(*codes: object) -> None:
    """Raise an error for the first of some codes that is not that of a language.

    >>> refuse_unknown("en", "xx")
    Traceback (most recent call last):
    ...
    dragoman.errors.BadInputError: 'xx' is not a language code; use a code such as es or pt-BR
    """
    for code in codes:
        if not isinstance(code, str) or not re.fullmatch(LANGUAGE, code) or not is_language(code):
            raise BadInputError(f"{code!r} is not a language code", remedy="use a code such as es or pt-BR")


def script(code: str) -> str | None:
    """The script that a code names, or that its country implies.

    >>> script("sr-Latn-RS"), script("zh_TW"), script("zh"), script("pt-BR")
    ('latn', 'hant', None, None)
    """
    known = _CHINESE if primary(code) == "zh" else {}
    for part in re.split("[-_]", code.strip().lower())[1:]:
        if part in known or (len(part) == 4 and part.isalpha()):
            return known.get(part, part)
    return None


def same_language(one: str, other: str) -> bool:
    """Whether two codes mean the same language, ignoring countries, and not different scripts of it.

    >>> same_language("zh-Hans", "zh-HK"), same_language("zh-Hans", "zh"), same_language("sr-Latn", "sr-Cyrl")
    (False, True, False)
    """
    scripts = {script(one), script(other)} - {None}
    return primary(one) == primary(other) and len(scripts) <= 1
