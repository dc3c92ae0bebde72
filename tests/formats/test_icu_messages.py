"""ICU messages come back as messages: with the forms of the new language, and with every placeholder in force."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from babel import Locale, localedata
from fluent.syntax import FluentParser

from dragoman.formats import read_document
from dragoman.formats.icu_messages import complete
from dragoman.formats.plural_forms import categories
from dragoman.quality.checker import Checker
from tests.oracles.icu_message import formatted

PLURAL = "{n, plural, one {# file of {owner}} other {# files of {owner}}}"


def filled(name: str, strings: dict[str, str], targets: dict[str, str], language: str) -> dict[str, str]:
    document = read_document(json.dumps(strings).encode(), name, source="en", target=language)
    known = {one.source: one.id for one in document.segments}
    done = {known[source]: target for source, target in targets.items()}
    written: dict[str, str] = json.loads(document.fill(done))
    return written


@pytest.mark.parametrize("name", ["a.json", "a.arb"])
def test_an_apostrophe_never_hides_a_placeholder(name: str) -> None:
    written = filled(name, {"a": "The name of {name}"}, {"The name of {name}": "Le nom d'{name}, l'autre"}, "fr")
    assert written["a"] == "Le nom d’{name}, l'autre"
    assert _formatted(written["a"], "fr", {"name": "Ana"}) == "Le nom d’Ana, l'autre"


def test_plural_forms_of_the_language_are_added() -> None:
    targets = {"# file of {owner}": "# plik: {owner}", "# files of {owner}": "# pliku: {owner}"}
    written = filled("a.json", {"a": PLURAL}, targets, "pl")["a"]
    forms = "one {# plik: {owner}} few {# pliku: {owner}} many {# pliku: {owner}} other {# pliku: {owner}}"
    assert written == f"{{n, plural, {forms}}}"
    assert _formatted(written, "pl", {"n": 3, "owner": "Ana"}) == "3 pliku: Ana"


def test_what_is_complete_stays_and_selections_have_their_own_forms() -> None:
    assert complete(PLURAL, "es") == PLURAL
    choice = "{g, select, male {he} other {they}}"
    assert complete(choice, "pl") == choice
    nested = "{g, select, male {{n, plural, one {a} other {b}}} other {c}}"
    assert complete(nested, "pl").count("few") == 1
    assert complete("{n, plural, one {a} other {b}", "pl") == "{n, plural, one {a} other {b}"


def test_plurals_of_android_get_the_forms_of_the_language() -> None:
    text = (
        '<resources>\n  <plurals name="n">\n    <item quantity="one">%d file</item>\n'
        '    <item quantity="other">%d files</item>\n  </plurals>\n</resources>\n'
    )
    document = read_document(text.encode(), "strings.xml", source="en", target="pl")
    written = document.fill({"n/one": "%d plik", "n/other": "%d pliku"}).decode()
    forms = [f'    <item quantity="{form}">%d pliku</item>\n' for form in ("few", "many", "other")]
    assert written.endswith(
        "".join(['    <item quantity="one">%d plik</item>\n', *forms, "  </plurals>\n</resources>\n"])
    )
    spanish = read_document(text.encode(), "strings.xml", source="en", target="es")
    assert spanish.fill({"n/other": "%d archivos"}).decode() == text.replace("files", "archivos")


@pytest.mark.parametrize(
    "language", ["pl", "ru", "cs", "ar", "sl", "lt", "he", "lv", "ro", "cy", "ja", "es", "de", "pt-BR"]
)
def test_every_whole_number_finds_its_form(language: str) -> None:
    written = complete("{n, plural, one {a #} other {b #}}", language)
    for number in [*range(121), 1000, 1_000_000]:
        if number < 1_000_000 or language not in ("es", "pt-BR"):  # whose form for millions nobody misses
            assert formatted(written, language.replace("-", "_"), {"n": number})[2:] == str(number)


def test_the_oracle_knows_a_form_that_is_missing_and_a_message_that_is_none() -> None:
    with pytest.raises(KeyError):
        formatted("{n, plural, one {a} other {b}}", "pl", {"n": 3})
    with pytest.raises(SyntaxError):
        formatted("{n, plural, one {a} other {b}", "pl", {"n": 3})
    assert formatted("Le nom d'{name}", "fr", {"name": "Ana"}) == "Le nom d{name}"


def test_no_category_of_cldr_is_missing() -> None:
    for language in {name.split("_")[0] for name in localedata.locale_identifiers()}:
        form = Locale.parse(language).plural_form
        assert {form(number) for number in [*range(300), 10**6]} <= {*categories(language)}, language


JSON = """{
  "a": {
    "n_one": "{{count}} file",
    "n_other": "{{count}} files"
  },
  "r": {"one": "A file", "other": "Files"},
  "reason_other": "Another reason", "place_ordinal_one": "st", "place_ordinal_other": "the place"
}"""
YAML = """en:
  n:
    one: "%{count} file"
    other: "%{count} files" # note
  flow: {one: a file, "other": some files}
  block:
    one: A file
    other: |
      Many files
      here
  list:
    - other: files
      one: file
  icu: "{n, plural, one {file} other {files}}"
"""
FLUENT = """n = { $n ->
    [one] One file
   *[other] { $n } files
 } left
nested = { $n ->
    [0] No files
    [one] One { $m ->
        [one] file here
       *[other] files here
    }
   *[other] More { $m ->
        [one] file here
       *[other] files here
    }
 }
owner = { $gender ->
    [male] his file
   *[other] their file
 }
place = { NUMBER($n, type: "ordinal") ->
    [one] first file
   *[other] any file
 }
"""


def in_polish(name: str, text: str) -> str:
    document = read_document(text.encode(), name, source="en", target="pl")
    return document.fill({one.id: one.source.replace("ile", "older") for one in document.segments}).decode()


def test_plurals_of_i18next_get_the_forms_of_the_language() -> None:
    written = json.loads(in_polish("en.json", JSON))
    assert list(written["a"]) == ["n_one", "n_few", "n_many", "n_other"]
    assert {*written["a"].values()} == {"{{count}} folder", "{{count}} folders"}
    assert list(written["r"]) == ["one", "few", "many", "other"]
    assert [key for key in written if "_" in key] == ["reason_other", "place_ordinal_one", "place_ordinal_other"]
    again = read_document(in_polish("en.json", JSON).encode(), "pl.json", source="en", target="pl")
    assert in_polish("pl.json", in_polish("en.json", JSON)) == again.data.decode()  # none is added twice


def test_plurals_of_rails_get_the_forms_of_the_language() -> None:
    written = yaml.safe_load(in_polish("en.yml", YAML))["pl"]
    assert list(written["n"]) == list(written["flow"]) == list(written["block"]) == ["one", "few", "many", "other"]
    assert written["block"]["many"] == "Many folders\nhere\n"
    assert written["list"] == [{"few": "folders", "many": "folders", "other": "folders", "one": "folder"}]
    assert _formatted(written["icu"], "pl", {"n": 5}) == "folders"
    windows = in_polish("en.yml", YAML.replace("\n", "\r\n"))
    assert yaml.safe_load(windows)["pl"] == written
    assert "\n" not in windows.replace("\r\n", "")


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_choices_by_number_in_fluent_get_the_variants_of_the_language(newline: str) -> None:
    written = in_polish("a.ftl", FLUENT.replace("\n", newline)).replace(newline, "\n")
    body = {each.id.name: each.value for each in FluentParser().parse(written).body}
    assert _variants(body["n"].elements[0]) == ["one", "few", "many", "other"]
    outer = body["nested"].elements[0]
    assert _variants(outer) == ["0", "one", "few", "many", "other"]
    inner = [variant.value.elements[-1] for variant in outer.expression.variants[1:]]
    assert all(_variants(each) == ["one", "few", "many", "other"] for each in inner)
    assert _variants(body["owner"].elements[0]) == ["male", "other"]
    assert _variants(body["place"].elements[0]) == ["one", "other"]
    assert "    [few] { $n } folders\n    [many] { $n } folders\n   *[other] { $n } folders\n" in written


def _variants(element: Any) -> list[str]:
    keys = [variant.key for variant in element.expression.variants]
    return [getattr(key, "name", None) or key.value for key in keys]


def test_nothing_is_added_where_the_plural_is_not_translated() -> None:
    document = read_document(JSON.encode(), "en.json", source="en", target="pl")
    assert document.fill({"reason_other": "Inny"}).decode() == JSON.replace("Another reason", "Inny")


def test_the_check_finds_a_hidden_placeholder() -> None:
    found = Checker("en", "fr").check("The name of {name}", "Le nom d'{name}")
    assert [one.check for one in found] == ["placeholders"]
    assert not Checker("en", "fr").check("The name of {name}", "Le nom d’{name}")


def _formatted(message: str, language: str, values: dict[str, object]) -> str:
    """What ICU makes of a message, by a parser in Python and, if it is at hand, by that of JavaScript programs.

    `npm install intl-messageformat` here or in the home directory, or name its node_modules in NODE_PATH.
    """
    made = formatted(message, language, values)
    where = _package()
    if where is not None:
        script = (
            "const {IntlMessageFormat} = require('intl-messageformat');"
            "const [m, l, v] = JSON.parse(process.argv[1]);"
            "process.stdout.write(String(new IntlMessageFormat(m, l).format(v)))"
        )
        given = json.dumps([message, language, values])
        done = subprocess.run(["node", "-e", script, given], cwd=where, capture_output=True, text=True, check=True)
        assert done.stdout == made
    return made


@cache
def _package() -> Path | None:
    if shutil.which("node") is None:
        return None
    named = [Path(each).parent for each in os.environ.get("NODE_PATH", "").split(os.pathsep) if each]
    roots = [Path(__file__).parents[2], Path.home(), *named]
    return next((root for root in roots if (root / "node_modules/intl-messageformat").is_dir()), None)
