"""Names of engines are taken apart, and what is wrong with one is said with a remedy, never with a secret."""

from __future__ import annotations

import pytest

from dragoman.errors import BadInputError
from dragoman.upstream import from_name
from dragoman.upstream.contract import UpstreamEngine
from dragoman.upstream.names import KINDS, parse

KEY = "sk-a1b2c3d4e5"


def make(name: str) -> UpstreamEngine:
    return from_name(name, source="en", target="es")


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DEEPL_AUTH_KEY", "MODERNMT_API_KEY", "LIBRETRANSLATE_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def test_options_stand_after_the_sharp_and_are_no_part_of_the_name() -> None:
    place = parse("libretranslate:http://127.0.0.1:5000#seconds=3&requests=100")
    assert place.name == "libretranslate:http://127.0.0.1:5000"
    assert place.options == {"seconds": "3", "requests": "100"}
    engine = make("libretranslate:http://127.0.0.1:5000#seconds=3&requests=100&characters=5000")
    assert (engine.traits.seconds, engine.traits.requests_per_day, engine.traits.characters_per_day) == (3.0, 100, 5000)


def test_a_sharp_in_a_command_or_path_is_no_option() -> None:
    assert parse("command:grep '#' -c").address == "grep '#' -c"
    assert parse("recorded:notes#2.tsv").address == "notes#2.tsv"
    assert parse("command:tool --level 3 #stay=yes").options == {"stay": "yes"}


def test_a_model_is_part_of_the_name() -> None:
    place = parse("openai:http://127.0.0.1:1/v1#org/model-7b&temperature=0.2")
    assert (place.name, place.model) == ("openai:http://127.0.0.1:1/v1#org/model-7b", "org/model-7b")
    assert place.options == {"temperature": "0.2"}


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("", "'' does not name an engine; write kind:address"),
        ("ct3:model", "'ct3:model' does not name an engine"),
        ("ct2:", "there is no CTranslate2 model here"),
        ("ct2:nowhere", "nowhere: there is no CTranslate2 model here; write ct2: and the directory"),
        ("recorded:nowhere.tsv", "nowhere.tsv: no such file; write recorded: and the path"),
        ("command:", "there is no program ''"),
        ("command:no-such-program -u", "there is no program 'no-such-program'; install it"),
        ("command:cat 'x", "cannot be split into words: No closing quotation"),
        ("command:cat #stay=maybe", "stay=maybe is neither yes nor no"),
        ("libretranslate:127.0.0.1:5000", "the address of an engine is a URL with http or https"),
        ("libretranslate:http://127.0.0.1#speed=9", "unknown option 'speed' of engine 'libretranslate'"),
        ("libretranslate:http://127.0.0.1#seconds=soon", "option seconds of engine 'libretranslate' is not a number"),
        ("openai:http://127.0.0.1/v1", "no model is named; write openai:http"),
        ("deepl:", "engine 'deepl' has no key; set the environment variable DEEPL_AUTH_KEY, or name a file"),
        ("modernmt:", "engine 'modernmt' has no key; set the environment variable MODERNMT_API_KEY"),
        ("openai:#model", "engine 'openai' has no key; set the environment variable OPENAI_API_KEY"),
        ("deepl:#key-file=nowhere", "nowhere: the key cannot be read: No such file"),
        (f"deepl:https://user:{KEY}@api.deepl.com", "the address of engine 'deepl' holds a user, key or query"),
        (f"libretranslate:https://x.org/?api_key={KEY}", "holds a user, key or query; put the key into an environment"),
        (f"nothing:api_key={KEY}", "'nothing…' does not name an engine"),
    ],
)
def test_what_is_wrong_with_a_name_is_said_with_a_remedy(name: str, says: str) -> None:
    with pytest.raises(BadInputError) as caught:
        make(name)
    assert says in str(caught.value)
    assert KEY not in str(caught.value)


def test_every_kind_has_a_module_and_says_how_to_install_its_library(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "httpx", None)
    with pytest.raises(BadInputError, match=r"this needs httpx; install it with: pip install 'dragoman\[upstream\]'"):
        make("apertium:http://127.0.0.1:2737")
    assert set(KINDS) == {
        *("apertium", "command", "ct2", "deepl", "engine", "libretranslate", "modernmt", "openai", "recorded")
    }


def test_a_key_is_not_sent_unencrypted_to_another_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIBRETRANSLATE_API_KEY", KEY)
    with pytest.raises(BadInputError, match="the key would be sent unencrypted; use https, or add #insecure=yes"):
        make("libretranslate:http://translate.example.org")
    make("libretranslate:http://translate.example.org#insecure=yes").close()
    make("libretranslate:http://localhost:5000").close()
    make("libretranslate:https://translate.example.org").close()
