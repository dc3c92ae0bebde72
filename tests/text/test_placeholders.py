"""The syntaxes of placeholders: each is one token wherever it is written, and nothing else is one."""

from __future__ import annotations

import pytest

from dragoman.text.placeholders import slot_key
from dragoman.text.tokens import is_slot, split

# By who has them; a space between two.
SLOTS = {
    "C": "%s %d %5.2f %-10s %lu %zu %hhd %I64d %*d %.*f %'d %p %x %X %c %05d %+d %%",
    "C, numbered": "%1$s %2$d %1$-10s %3$05.2f",
    "Objective-C": "%@ %1$@ %ld %#@files@ %1$#@files@",
    "Windows": "%1!s! %2!d! %PATH%",
    "Qt": "%1 %9 %L1 %n %Ln %1%",
    "Python": "%(x)s %(n)03d %(a.b)s {} {0} {x} {x:.2f} {x!r} {a.b[0]} {0:>10} ${x} $x __name__",
    "Ruby": "%<total>s %<total>.2f %{x} #{x} <%= name %> <% if x %>",
    "Go": "%[1]s %[2]d %v {{.Name}}",
    "PHP": "<?php echo $x ?> <?= $x ?> {$x} :count :Attribute :COUNT",
    "Chrome": "$USER$ $user_name$",
    "JavaScript": "${x} {{x}} {{- x}} {{{x}}} $t(common.name) $t(a, {b}) <0> </0> <1/> <1 />",
    "Vue": "@:common.link @:(common.link) @.lower:common.link @:{key} {count}",
    "Mustache": "{{> partial}} {{#if x}} {{/if}} {{^x}}",
    "Jinja": "{{ x }} {{ x|upper }} {% if x %} {# x #}",
    "ICU": "{n, number} {n, number, percent} {d, date, short}",
    "Fluent": '{ $x } {$x} { -brand } { NUMBER($x, maximumFractionDigits: 2) } { brand-name } { "" }',
    ".NET": "{0:N2} {0,10} {x:yyyy-MM-dd}",
    "Java": "{0,number,#.##} {@link} {@code x}",
    "Swift": r"\(name) \(user.name)",
    "make": "$(NAME)",
    "Angular": "{{x}} @{x}",
    "translation programs": "[[1]] [[name]] ⟦1⟧ ⟦name⟧ @@PH1@@ ##name## %%name%% $$name$$ <<name>> [X1X] #name#",
    "tags": '<b> </b> <br/> <a href="x"> <g id="1"> <x id="2"/> <ph/> <bpt i="1"/>',
    "Toolkit": "[% name %]",
}
COPIED = "#1 #123 @name 🎉 👍🏽 ♪ 🇪🇸 \\1 &amp; \\n https://x.org/a"
OTHERS = (
    "100 % of it;50%off;50 %;5 < 6;<3;[12];[a];$5;US$ 5;AT&T;C#;a_b;_x_;note: this;10:30;a :b;me@home;:-);::;@;2 %1;a|b"
)
INSIDE = ("Open {} now.", "{}", "«{}»", '"{}"', "({})", "Open {}, {}.", "Datei: {}!", "打开{}。")


def tokens_of(text: str) -> list[str]:
    sentence = split(text)
    words = zip(sentence.words, sentence.placeable, strict=True)
    return [word for word, placeable in words if placeable]


def pieces() -> list[str]:
    """The slots of the table, of which some have spaces inside."""
    found: list[str] = []
    for line in SLOTS.values():
        for word in line.split(" "):
            if found and _is_open(found[-1]):
                found[-1] += f" {word}"
            else:
                found.append(word)
        assert not _is_open(found[-1]), line
    return list(dict.fromkeys(found))


def _is_open(text: str) -> bool:
    pairs = [("{", "}"), ("(", ")"), ("<", ">")] if not text.startswith("<<") else []
    return any(text.count(a) > text.count(b) for a, b in pairs) or (text.startswith("[%") and text[-2:] != "%]")


def test_there_are_more_than_seventy() -> None:
    assert len(pieces()) > 71


@pytest.mark.parametrize("slot", pieces())
def test_a_placeholder_is_one_token_wherever_it_is(slot: str) -> None:
    assert is_slot(slot)
    for frame in INSIDE:
        if frame.startswith("打") and not slot[0].isascii():
            continue
        text = frame.replace("{}", slot)
        assert tokens_of(text) == [slot] * frame.count("{}"), text


@pytest.mark.parametrize("word", COPIED.split())
def test_signs_and_references_are_copied_though_a_person_may_write_them_otherwise(word: str) -> None:
    assert tokens_of(f"Open {word} now") == [word]
    assert not is_slot(word)


@pytest.mark.parametrize("text", OTHERS.split(";"))
def test_what_only_looks_like_a_placeholder_is_text(text: str) -> None:
    assert tokens_of(f"Open {text} now") == []


FORMS = {
    "You have {count, plural, =0 {no files} one {# file} other {# files}}.": (
        "You have ⟪{count, plural, =0 {⟫ no files ⟪} one {⟫ ⟪#⟫ file ⟪} other {⟫ ⟪#⟫ files ⟪}}⟫ ."
    ),
    "{gender, select, male {He} other {They}} left": "⟪{gender, select, male {⟫ He ⟪} other {⟫ They ⟪}}⟫ left",
    "{0:day|days} left": "⟪{0:⟫ day ⟪|⟫ days ⟪}⟫ left",
    "{count:plural:one day|{} days}": "⟪{count:plural:⟫ one day ⟪|⟫ ⟪{}⟫ days ⟪}⟫",
    "in {days:choose(1|2):one|two|many} days": "in ⟪{days:choose(1|2):⟫ one ⟪|⟫ two ⟪|⟫ many ⟪}⟫ days",
}


@pytest.mark.parametrize("text", FORMS)
def test_the_forms_of_a_choice_are_text(text: str) -> None:
    sentence = split(text)
    words = zip(sentence.words, sentence.placeable, strict=True)
    assert " ".join(f"⟪{word}⟫" if placeable else word for word, placeable in words) == FORMS[text]


def test_spaces_inside_do_not_matter_nor_which_plural_comes_first() -> None:
    assert slot_key("{ $x }") == slot_key("{$x}")
    assert slot_key("{n, plural, one {") == slot_key("{n,plural, few {") != slot_key("{m, plural, one {")
    assert slot_key("{n, select, a {") != slot_key("{n, select, b {")
    assert slot_key("{name}") != slot_key("{nombre}")
    assert slot_key("%1%") == slot_key("%1")
