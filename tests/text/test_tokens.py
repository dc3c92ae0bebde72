"""Tokens: nothing is lost, whatever the text; what is one token; what is copied verbatim; and that it takes no age."""

from __future__ import annotations

import time
import unicodedata
from itertools import islice
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dragoman.errors import BadInputError
from dragoman.text import tokens
from dragoman.text.patterns import compile_pattern
from dragoman.text.text_files import lines
from dragoman.text.tokens import join, split

CORPORA = Path(__file__).parents[2].parent / "shared" / "corpora"
MODES: list[Literal["text", "words"]] = ["text", "words"]

# Pieces that constructs are made of, so that random texts have whole ones, broken ones and nested ones.
PIECES = """
    < > </ /> <g <b> </b> <br/> id= = " ' ’ ` `` :ref: :c:func: : :: _ __ { } {{ }} {0} ${ $x % %s %(a)s %1$s (a ( )
    [ ] [X1X] [#]_ & &amp; ; # \\n \\u00e9 / /usr ~/ ./ C:\\ http:// https://x.org/ www. a@b.co @ . ... , - -- ‐ · ! ?
    ¿ « » “ ” 1 23 4.5 a b Z it é don l' qu' 's 't n't 日 本 が を ア ก เ า น้ำ ร์ ខ្មែ မြ န် ང ་ 한국 हिन्दी п' צ א ־ ՞
    \u0301 \u0303 \u200d \u200c \u00ad \u200b \ufeff 👍 🏽 👩 🇪 🇸 ❤️ ☃ 𐐀 \U000e0100 \U000e0067 \ue000
"""
MARKUP = st.lists(st.sampled_from([*PIECES.split(), " ", " ", "\t", "\n", "\x00", "\xa0"])).map("".join)
TEXTS = st.text(st.characters(exclude_categories=["Cs"])) | MARKUP


# Nothing is lost ─────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("mode", MODES)
@given(text=TEXTS)
@example(text="")
@example(text=" \t\r\n\x00\x85\u2028\u200b\ufeff ")
@example(text="\u0301\u0301")
@example(text="👩‍👩‍👧‍👦🏴\U000e0067\U000e0062\U000e007f")
def test_joining_gives_back_the_text(text: str, mode: Literal["text", "words"]) -> None:
    sentence = split(text, mode)
    assert join(sentence) == text
    assert all(sentence.words)
    assert len(sentence.gaps) == len(sentence.words) + 1 == len(sentence.placeable) + 1
    assert [text[start:end] for start, end in sentence.spans] == list(sentence.words)


def looks_empty(character: str) -> bool:
    return character.isspace() or unicodedata.category(character) in ("Cc", "Cf", "Cn")


@given(TEXTS)
def test_gaps_have_nothing_to_see(text: str) -> None:
    assert all(looks_empty(character) for gap in split(text).gaps for character in gap)


@given(TEXTS)
def test_no_token_begins_or_ends_with_space(text: str) -> None:
    assert all(word == word.strip() for word in split(text).words)


@given(TEXTS)
def test_words_mode_splits_as_python_does(text: str) -> None:
    sentence = split(text, mode="words")
    assert list(sentence.words) == text.split()
    assert not any(sentence.placeable)


@given(TEXTS)
@example(text="0\u1100")
def test_the_short_cut_has_no_effect(text: str) -> None:
    pattern = tokens.token_pattern().pattern
    whole_word = f"(?!__){tokens._WHOLE_WORD}|"
    assert whole_word in pattern
    slow = compile_pattern(pattern.replace(whole_word, ""))
    assert split(text).words == tuple(slow.split(text)[1::4])


@given(st.text(st.characters(categories=["Ll", "Lu"], max_codepoint=0x24F), min_size=1))
def test_accents_as_combining_marks_do_not_split_a_word(word: str) -> None:
    decomposed = unicodedata.normalize("NFD", word)
    assert split(decomposed).words == (decomposed,)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("text", "place"), [("\ud800", 1), ("abc \udfff", 5), ("é\n\udc80x\udc81", 3)])
def test_half_a_surrogate_pair_is_refused(text: str, place: int, mode: Literal["text", "words"]) -> None:
    with pytest.raises(BadInputError, match=rf"at character {place}\b"):
        split(text, mode)


def test_every_corpus_comes_back() -> None:
    if not CORPORA.is_dir():
        pytest.skip(f"no corpora at {CORPORA}")
    files = [path for path in sorted(CORPORA.glob("*/*.gz")) if ".doc." not in path.name]
    for path in files:
        for line in islice(lines(path), 1000):
            assert join(split(line)) == line


def test_a_line_of_ten_thousand_words() -> None:
    text = "word " * 9_999 + "end."
    assert len(split(text)) == 10_001
    assert len(split(text, mode="words")) == 10_000


# What is one token ───────────────────────────────────────────────────────────────────────────────────────────────────


def shown(text: str) -> str:
    """The tokens with a bar between them, the verbatim ones in double angle brackets."""
    sentence = split(text)
    return "|".join(
        f"⟪{word}⟫" if verbatim else word for word, verbatim in zip(sentence.words, sentence.placeable, strict=True)
    )


WORDS = {
    "Press the green button.": "Press|the|green|button|.",
    "state-of-the-art non‑breaking": "state-of-the-art|non‑breaking",
    "high- and low-level, foo--bar": "high|-|and|low-level|,|foo|--|bar",
    "setup.py os.path 3.x end.Then": "setup.py|os.path|3.x|end|.|Then",
    "e.g. at 9 a.m. in the U.S. (т.е. да)": "e.g.|at|9|a.m.|in|the|U.S.|(|т.е.|да|)",
    "foo_bar __init__ x86_64 UTF-8 m²": "foo_bar|⟪__init__⟫|x86_64|UTF-8|m²",
    "read/write Ctrl+Q C++": "read|/|write|Ctrl|+|Q|C|++",
    "col·lecció Donau\u00addampf می\u200cخواهم": "col·lecció|Donau\u00addampf|می\u200cخواهم",
    "हिन्दी বাংলা தமிழ் العربيّة": "हिन्दी|বাংলা|தமிழ்|العربيّة",
    "한국어 단어입니다.": "한국어|단어입니다|.",
    "בית־ספר ב-2024 ב־5 ה-USB": "בית־ספר|ב-|2024|ב־|5|ה-|USB",
    "Միացվա՞ծ է, մի՛ բացեք։": "Միացվա՞ծ|է|,|մի՛|բացեք|։",
    "𐐀𐐁 a𐐀": "𐐀𐐁|a𐐀",
}
APOSTROPHES = {
    "don't I'm we'll they've you’re he'd": "don|'t|I|'m|we|'ll|they|'ve|you|’re|he|'d",
    "John's dogs' IT'S 1990's": "John|'s|dogs|'|IT|'S|1990|'s",
    "l'eau d’or qu'il aujourd'hui c'est-à-dire": "l'|eau|d’|or|qu'|il|aujourd'|hui|c'|est-à-dire",
    "dell'arte O'Brien s'étend": "dell'|arte|O'|Brien|s'|étend",
    "l'e\u0301te\u0301": "l'|e\u0301te\u0301",
    "d'*args* l'«eau» qu':term:`x`": "d'|*|args|*|l'|«|eau|»|qu'|⟪:term:⟫|⟪`x`⟫",
    "*self*'s ``str``'s `x`’s": "*|self|*|'s|⟪``str``⟫|'s|⟪`x`⟫|’s",
    "'quoted' ‘words’ 'd' 5'": "'|quoted|'|‘|words|’|'|d|'|5|'",
    "o‘zbek bo‘lim ho‘omaka pu‘u": "o‘zbek|bo‘lim|ho‘omaka|pu‘u",
    "d‘eau qu‘il ‘a’ ר׳ צ׳ק": "d|‘|eau|qu|‘|il|‘|a|’|ר׳|צ׳ק",
    'п\'ять צה"ל "צה" ל': 'п\'ять|צה"ל|"|צה|"|ל',
}
NUMBERS = {
    "1,234.56 3.5 1'000'000": "1,234.56|3.5|1'000'000",
    "10:30, 01/02/2024; 2024-01-15": "10:30|,|01/02/2024|;|2024-01-15",
    "50% -5 $5 1, 2. 3.": "50|%|-|5|$|5|1|,|2|.|3|.",
    "٣٫١٤ ๒๕๖๗": "٣٫١٤|๒๕๖๗",
    "5분 2.5는 2024-03-15에 제5장": "5|분|2.5|는|2024-03-15|에|제5장",
    "3.5km 8-bit/16-bit": "3.5km|8-bit|/|16-bit",
}
PUNCTUATION = {
    "Wait... what?!! -- ok": "Wait|...|what|?|!!|--|ok",
    "((a)) [[b]] «c» {": "(|(|a|)|)|⟪[[b]]⟫|«|c|»|{",
    "¿Qué? “No”, example::": "¿|Qué|?|“|No|”|,|example|::",
    "** == ~~ …… 。。 ———": "**|==|~~|……|。。|———",
    "!\u0301 (\u0301": "!\u0301|(\u0301",
}
UNSPACED = {
    "日本語。テスト": "日|本|語|。|テスト",
    "コーヒーメーカーを掃除してください。": "コーヒーメーカー|を|掃|除|してください|。",
    "か\u3099ﾊﾞﾅﾅ葛\U000e0100𠮷": "か\u3099|ﾊﾞﾅﾅ|葛\U000e0100|𠮷",
    "中文abc中2文": "中|文|abc|中|2|文",
    "ภาษาไทย น้ำ เครื่อง เสาร์ เ": "ภา|ษา|ไท|ย|น้ำ|เค|รื่|อ|ง|เสาร์|เ",
    "ລາວ ເຄື່ອງ ໄຟລ໌ ນ້ຳ": "ລາ|ວ|ເຄື່|ອ|ງ|ໄຟລ໌|ນ້ຳ",
    "ខ្មែរ မြန်မာ စက္ကန့်ကို": "ខ្មែ|រ|မြန်|မာ|စက္ကန့်|ကို",
    "ཁ་གཅོད་རྒྱོབ།": "ཁ་|གཅོད་|རྒྱོབ|།",
}
EMOJI = {
    "👍👍🏽ok👨‍👩‍👧‍👦": "⟪👍⟫|⟪👍🏽⟫|ok|⟪👨‍👩‍👧‍👦⟫",
    "🇪🇸🇫🇷 ❤️ 1️⃣ #️⃣ ©️": "⟪🇪🇸⟫|⟪🇫🇷⟫|⟪❤️⟫|1️⃣|#️⃣|©️",
    "🏴\U000e0067\U000e0062\U000e007f🙂‍↔️": "⟪🏴\U000e0067\U000e0062\U000e007f⟫|⟪🙂‍↔️⟫",
}
ADDRESSES = {
    "See https://x.org/a_(b)?c=d&e#f.": "See|⟪https://x.org/a_(b)?c=d&e#f⟫|.",
    "(http://x.org), <ftp://y>; smb://z/": "(|⟪http://x.org⟫|)|,|<|⟪ftp://y⟫|>|;|⟪smb://z/⟫",
    "www.python.org, https://x.com/を": "⟪www.python.org⟫|,|⟪https://x.com/⟫|を",
    "[text](https://x.org) 'http://y'": "[|text|]|(|⟪https://x.org⟫|)|'|⟪http://y⟫|'",
    "a.b+c@d-e.co.uk. me@home 3@1.5": "⟪a.b+c@d-e.co.uk⟫|.|me|@|home|3|@|1.5",
    "/usr/lib/x.so. ~/.a ../b $HOME/.c/d": "⟪/usr/lib/x.so⟫|.|⟪~/.a⟫|⟪../b⟫|⟪$HOME/.c/d⟫",
    r"C:\Users\me\x.txt, and/or 1/2 /a": r"⟪C:\Users\me\x.txt⟫|,|and|/|or|1/2|/|a",
}
CODE = {
    ":meth:`foo.bar` :c:func:`f()`": "⟪:meth:⟫|⟪`foo.bar`⟫|⟪:c:func:⟫|⟪`f()`⟫",
    "``a `b` c``s ``x``.": "⟪``a `b` c``⟫|s|⟪``x``⟫|.",
    "`code` `List<int>` `name`_ `anon`__": "⟪`code`⟫|⟪`List<int>`⟫|⟪`name`_⟫|⟪`anon`__⟫",
    ":ref:`the title <target>`": "⟪:ref:⟫|`|the|title|⟪<target>`⟫",
    "`The FAQ <https://x.org>`_": "`|The|FAQ|⟪<https://x.org>`_⟫",
    ":func:`open() <io.open>` :samp:`<x>`": "⟪:func:⟫|⟪`open() <io.open>`⟫|⟪:samp:⟫|⟪`<x>`⟫",
    "`quoted' and `more'": "`|quoted|'|and|`|more|'",
    "don`t, can`t": "don|`|t|,|can|`|t",
    ":returns: x, 12:30:45, note:this :a:b": "⟪:returns:⟫|x|,|12:30:45|,|note|:|this|:|a|:|b",
    "関数`foo`を": "関|数|⟪`foo`⟫|を",
    "[#]_ [1]_ [^4] [12]": "⟪[#]_⟫|⟪[1]_⟫|⟪[^4]⟫|[|12|]",
}
TAGS = {
    '<g id="1">text</g>': '⟪<g id="1">⟫|text|⟪</g>⟫',
    "a<br/>b<x id='2' y=z />": "a|⟪<br/>⟫|b|⟪<x id='2' y=z />⟫",
    r"<a href=\"u\"> <xs:t.u-v> <!-- c -->": r"⟪<a href=\"u\">⟫|⟪<xs:t.u-v>⟫|⟪<!-- c -->⟫",
    "5 < 6 and 7 > 3": "5|<|6|and|7|>|3",
    "a <b and c> d, <3, x<0>": "a|<|b|and|c|>|d|,|<|3|,|x|⟪<0>⟫",
    "&amp; &#39; &#x2F; AT&T; R&D": "⟪&amp;⟫|⟪&#39;⟫|⟪&#x2F;⟫|AT|&|T|;|R|&|D",
}
PLACEHOLDERS = {
    "%s %d%d %5.2f %-10s %@ %lu %s's": "⟪%s⟫|⟪%d⟫|⟪%d⟫|⟪%5.2f⟫|⟪%-10s⟫|⟪%@⟫|⟪%lu⟫|⟪%s⟫|'s",
    "%(name)s %(n)03d %1$s %2$.1fx": "⟪%(name)s⟫|⟪%(n)03d⟫|⟪%1$s⟫|⟪%2$.1f⟫|x",
    "%sを %PATH% 100%sure 100 % sure": "⟪%s⟫|を|⟪%PATH%⟫|100|%|sure|100|%|sure",
    "%age %-formatting 50%off% %%": "%|age|%|-|formatting|50|%|off|%|⟪%%⟫",
    "{name} {0} {} {0:.2f} {a.b[0]!r}": "⟪{name}⟫|⟪{0}⟫|⟪{}⟫|⟪{0:.2f}⟫|⟪{a.b[0]!r}⟫",
    "{{x}} {{ user | title }} ${x} %{n} #{m}": "⟪{{x}}⟫|⟪{{ user | title }}⟫|⟪${x}⟫|⟪%{n}⟫|⟪#{m}⟫",
    "{ } {a b} {'a': 1}": "{|⟪}⟫|{|a|b|⟪}⟫|{|'|a|'|:|1|⟪}⟫",
    "$key $USER US$ US$A $5 $US5": "⟪$key⟫|⟪$USER⟫|US|$|US|$|A|$|5|$|US5",
    "打开$name的值 $größe 在/usr/lib中 见:ref:`a`": "打|开|⟪$name⟫|的|值|⟪$größe⟫|在|⟪/usr/lib⟫|中|见|⟪:ref:⟫|⟪`a`⟫",
    "[X12X] [X] X12X": "⟪[X12X]⟫|[|X|]|X12X",
    r"one\nTwo\u00e9 \name": r"one|⟪\n⟫|Two|⟪\u00e9⟫|\|name",
}
TABLES = [WORDS, APOSTROPHES, NUMBERS, PUNCTUATION, UNSPACED, EMOJI, ADDRESSES, CODE, TAGS, PLACEHOLDERS]


@pytest.mark.parametrize(("text", "expected"), [case for table in TABLES for case in table.items()])
def test_tokens(text: str, expected: str) -> None:
    assert shown(text) == expected


def test_projects_keep_the_tokens_that_they_were_created_with() -> None:
    assert tokens.signature(1) == "bcfba02e63aae862"
    assert split("Go to %1, __init__ 👍", version=1).words == ("Go", "to", "%", "1", ",", "__init__", "👍")


def test_words_mode_interprets_nothing() -> None:
    sentence = split("don't  %s <b> :ref:`x` ,\xa0 日本語", mode="words")
    assert sentence.words == ("don't", "%s", "<b>", ":ref:`x`", ",", "日本語")
    assert sentence.gaps == ("", "  ", " ", " ", " ", "\xa0 ", "")


def test_controls_and_zero_width_spaces_are_gaps() -> None:
    sentence = split("\ufeffone\x00two\u200bthree\u2060\u200f \x1b")
    assert sentence.words == ("one", "two", "three")
    assert sentence.gaps == ("\ufeff", "\x00", "\u200b", "\u2060\u200f \x1b")


# It takes no age ─────────────────────────────────────────────────────────────────────────────────────────────────────

# Openings of constructs that never end, and what else has made patterns backtrack.
OPENINGS = r"""
<|{|{{|{a:|{a,plural,|}a |}|$t(|$a$a|@:(|@@a|@a|#a|##a|⟦|⟦a|__|__a|a__|[[|[[a|[%|{%|{# |<%|<?|%%|%%a|%<|%[1]
|:a |\\(|%1|%#@a
|a'|`|``|``a |`a |.|-|<a |<a b|<a b=|<a b="|<!--|</|%|%(|%(a|%1$|%5.|$|$a|[|[#|[^a|[X1|:a|:a.|::a|:a:b|a@|a@b.|A.
|a.|X.X@b.|a+|http://|http://(|http://.|www.|/a|/a |~/|../|$a/|C:\|&|&a|\|(|'|''|qu'|`<|`<a>|`a<|`a.(<|_|x-|1,|a's
|א"|א-|1-|日|ア|あ|เ|ก|န်|ང|𐐀
"""
INVISIBLE = ["\u0301", "a\u0301", "\u17d2", "👨\u200d", "\u200d", "🇪", "\x00", " ", "\n", "\U000e0020"]


@pytest.mark.parametrize("end", ["", "1>`"])
def test_time_is_linear_in_the_length(end: str) -> None:
    for opening in OPENINGS.replace("\n", "").split("|") + INVISIBLE:
        text = (opening * 100_000)[:100_000] + end
        start = time.process_time()
        assert join(split(text)) == text
        assert time.process_time() - start < 5, opening  # it takes some 0.05 s; quadratic would be minutes


def test_normalising_is_off_unless_asked_for() -> None:
    apart = "el boto\u0301n"
    assert join(split(apart)) == apart
    assert split(apart, normalise=True).words == ("el", "bot\u00f3n")
