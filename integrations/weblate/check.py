"""Run inside an environment with Weblate: its own classes, and a saved edit, against a live dragoman server.

    URL=http://127.0.0.1:8765 KEY=… SECRET=whsec_… python check.py

Weblate needs PostgreSQL; `tools/test-tools` starts one, and sets what weblate.settings_test reads.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "check_settings")

import django

django.setup()

from django.core.management import call_command  # noqa: E402
from dragoman_weblate.machinery import DragomanTranslation  # noqa: E402
from weblate.addons.webhooks import WebhookAddon  # noqa: E402
from weblate.auth.models import User  # noqa: E402
from weblate.configuration.models import Setting, SettingCategory  # noqa: E402
from weblate.lang.models import Language  # noqa: E402
from weblate.machinery.apertium import ApertiumAPYTranslation  # noqa: E402
from weblate.machinery.deepl import DeepLTranslation  # noqa: E402
from weblate.machinery.libretranslate import LibreTranslateTranslation  # noqa: E402
from weblate.machinery.modernmt import ModernMTTranslation  # noqa: E402
from weblate.machinery.openai import OpenAITranslation  # noqa: E402
from weblate.trans.actions import ActionEvents  # noqa: E402
from weblate.trans.models import Component, Project, Unit  # noqa: E402
from weblate.utils.state import STATE_TRANSLATED  # noqa: E402
from weblate.utils.version import VERSION  # noqa: E402
from weblate.vcs.git import LocalRepository  # noqa: E402

URL, KEY, SECRET = os.environ["URL"], os.environ["KEY"], os.environ["SECRET"]
WITH_KEY = URL.replace("//", f"//weblate:{KEY}@")
STRINGS = [
    "Close the lid.",
    "Remove the <b>steam wand</b> now.",
    "Clean the steam wand.",
    "Rinse the steam wand.",
    "Descale it.",
]
SECONDS = 2.0  # in which an edit has to change other suggestions
ES = "nplurals=2; plural=(n != 1);"


def say(what: str) -> None:
    """Print a line of the report."""
    print(what, flush=True)


def services() -> dict[str, Any]:
    """Weblate's own classes, as an administrator would set them up."""
    key = {"key": KEY}
    openai = key | {"base_url": f"{URL}/v1", "model": "custom", "custom_model": "manual", "persona": "", "style": ""}
    return {
        "LibreTranslate": LibreTranslateTranslation(key | {"url": f"{URL}/libretranslate/"}),
        "ModernMT": ModernMTTranslation(key | {"url": f"{URL}/modernmt/"}),
        "DeepL": DeepLTranslation(key | {"url": f"{URL}/v2/", "formality": "default"}),
        "Apertium": ApertiumAPYTranslation({"url": f"{WITH_KEY}/apertium"}),
        "OpenAI": OpenAITranslation(openai),
        "dragoman": DragomanTranslation(key | {"url": URL}),
    }


def check_services(units: list[Unit]) -> None:
    """Each service is accepted with its settings, and its suggestions keep markup."""
    for name, service in services().items():
        form = service.settings_form(type(service), data=service.settings)
        assert form.is_valid(), (name, form.errors)
        [[first]] = service.translate(units[0])
        assert first["text"] == "Cierre la tapa.", (name, first)
        [[second]] = service.translate(units[1])
        assert "<b>" in second["text"] and "</b>" in second["text"], (name, second)
        assert " <b>" in second["text"] and "<b> " not in second["text"], (name, second)
        say(f"Weblate {VERSION}, {name}: settings valid; {units[1].source!r} → {second['text']!r}")


def check_glossaries() -> None:
    """Glossaries are created, used, listed and deleted, and nothing is left behind."""
    for name, codes in (("DeepL", ("EN", "ES")), ("ModernMT", ("en", "es"))):
        service = services()[name]
        title = f"weblate:1:{codes[0]}:{codes[1]}:abc1"
        before = set(service.list_glossaries())
        service.create_glossary(*codes, title, "drip tray\tcubeta\n")
        service.create_glossary(*codes, title, "drip tray\tcubeta\n")
        found = service.list_glossaries()
        assert set(found) == before | {title}, (name, found)
        service.get_glossary_id = lambda *_, known=found[title]: known
        made = service.download_multiple_translations(*codes, [("Empty the drip tray.", None)])
        assert "cubeta" in made["Empty the drip tray."][0]["text"], made
        service.delete_glossary(found[title])
        assert set(service.list_glossaries()) == before
        say(f"Weblate {VERSION}, {name}: a glossary created twice is one, used, and deleted")


def make_component() -> list[Unit]:
    """A component with some untranslated strings."""
    project = Project.objects.create(name="Machine", slug="machine", web="https://example.com/")
    component = Component(
        project=project,
        name="UI",
        slug="ui",
        vcs="local",
        repo="local:",
        branch="main",
        filemask="po/*.po",
        file_format="po",
        source_language=Language.objects.get(code="en"),
        new_lang="none",
    )
    about = ("Content-Type: text/plain; charset=UTF-8", "Language: es", f"Plural-Forms: {ES}")
    head = 'msgid ""\nmsgstr ""\n' + "".join(f'"{line}\\n"\n' for line in about)
    body = "".join(f'\nmsgid "{text}"\nmsgstr ""\n' for text in STRINGS)
    LocalRepository.from_files(component.full_path, {"po/es.po": (head + body).encode()})
    component.save()
    translation = component.translation_set.get(language__code="es")
    return [translation.unit_set.get(source=text) for text in STRINGS]


def edit(unit: Unit, target: str, user: User) -> None:
    """Save a translation as the editor does."""
    Unit.objects.get(pk=unit.pk).translate(user, [target], STATE_TRANSLATED)


def wait_for(service: Any, unit: Unit, wanted: str) -> float:
    """The seconds until the suggestion for a string contains a word."""
    begin = time.monotonic()
    while True:
        [[found]] = service.translate(unit)
        took = time.monotonic() - begin
        if wanted in found["text"]:
            return took
        assert took < SECONDS, (found, wanted)
        time.sleep(0.05)


def check_edits(units: list[Unit]) -> None:
    """An edit in Weblate changes the suggestion for another string: by its add-on, and by our module."""
    user = User.objects.create_user("ana", "ana@example.com", "x")
    events = [ActionEvents.CHANGE, ActionEvents.NEW, ActionEvents.ACCEPT]
    configuration = {"webhook_url": f"{URL}/hooks/weblate", "secret": SECRET, "events": [int(each) for each in events]}
    component = units[0].translation.component
    addon = WebhookAddon.create(component=component, configuration=configuration)
    service = DragomanTranslation({"url": URL, "key": KEY})
    edit(units[2], "Limpie el vaporizador.", user)
    took = wait_for(service, units[3], "vaporizador")
    say(f"Weblate {VERSION}, Webhook add-on: an edit changed the suggestion for another string after {took:.2f} s")
    edit(units[2], "Limpie la boquilla de vapor.", user)
    took = wait_for(service, units[3], "boquilla")
    say(f"Weblate {VERSION}, Webhook add-on: a second edit replaced the first after {took:.2f} s")
    addon.instance.delete()
    Setting.objects.create(category=SettingCategory.MT, name="dragoman", value={"url": URL, "key": KEY})
    edit(units[4], "Descalcifíquela.", user)
    took = wait_for(service, units[4], "Descalcifíquela")
    say(f"Weblate {VERSION}, dragoman_weblate: an edit was learned after {took:.2f} s")


def main() -> None:
    """Check everything."""
    call_command("migrate", verbosity=0, interactive=False)
    units = make_component()
    check_services(units)
    check_glossaries()
    check_edits(units)


if __name__ == "__main__":
    main()
