"""The service for automatic suggestions, and the task that reports every edit.

Unlike Weblate's own modules for the services that dragoman can stand in for, this one does not keep suggestions for 30
days: the next suggestion knows the last correction. And it reports what people translate, empty, or mark for editing.
"""

from __future__ import annotations

import logging
from typing import Any

from django.db import transaction
from django.db.models.signals import post_save
from django.dispatch import receiver
from weblate.machinery.base import BatchMachineTranslation
from weblate.machinery.forms import KeyURLMachineryForm
from weblate.trans.actions import ActionEvents
from weblate.trans.models import Change
from weblate.trans.util import split_plural
from weblate.utils.celery import app
from weblate.utils.state import STATE_TRANSLATED

LOGGER = logging.getLogger("weblate.dragoman")
TAUGHT = {
    ActionEvents.CHANGE,
    ActionEvents.NEW,
    ActionEvents.ACCEPT,
    ActionEvents.REVERT,
    ActionEvents.APPROVE,
    ActionEvents.REPLACE,
    ActionEvents.UPLOAD,
    ActionEvents.MARKED_EDIT,  # what is to be edited again is forgotten
}


class DragomanTranslation(BatchMachineTranslation):
    """A dragoman server."""

    name = "dragoman"
    max_score = 95
    settings_form = KeyURLMachineryForm
    cache_translations = False  # the next suggestion is to know the last correction
    request_timeout = 20

    def get_headers(self) -> dict[str, str]:
        """The key, which may also be that of one person."""
        return {"Authorization": f"Bearer {self.settings['key']}"}

    def map_language_code(self, code: str) -> str:
        """The code with a hyphen before the country."""
        return super().map_language_code(code).replace("_", "-")

    def download_languages(self) -> list[tuple[str, str]]:
        """The pairs of languages of the projects."""
        listed = self.request("get", self.get_api_url("libretranslate", "languages")).json()
        return [(each["code"], target) for each in listed for target in each["targets"]]

    def is_supported(self, source: str, language: str) -> bool:
        """Whether a project translates between two languages."""
        return (source, language) in self.supported_languages

    def download_multiple_translations(
        self,
        source_language: str,
        target_language: str,
        sources: Any,
        user: Any = None,  # noqa: ARG002
        threshold: int = 75,  # noqa: ARG002
    ) -> dict[str, list[dict[str, Any]]]:
        """The translations of some texts, all with one request."""
        texts = [text for text, _unit in sources]
        asked = {"q": texts, "source": source_language, "target": target_language}
        found = self.request("post", self.get_api_url("libretranslate", "translate"), json=asked).json()
        return {
            text: [{"text": made, "quality": self.max_score, "service": self.name, "source": text}]
            for text, made in zip(texts, found["translatedText"], strict=True)
        }

    def teach(self, message: str, payload: dict[str, Any]) -> dict[str, Any]:
        """Report an edit, which is learned once even if it is reported again."""
        headers = {"webhook-id": message}
        answer: dict[str, Any] = self.request(
            "post", self.get_api_url("hooks", "weblate"), json=payload, headers=headers
        ).json()
        return answer


@receiver(post_save, sender=Change)
def report(sender: Any, instance: Change, created: bool, **_: Any) -> None:
    """Report an edit once it is stored, in the background."""
    del sender
    if created and instance.action in TAUGHT and instance.unit and instance.translation:
        transaction.on_commit(lambda: teach.delay(instance.pk))


def _is_open(change: Change) -> bool:
    """Whether a string is no longer translated: it was emptied, or marked for editing."""
    return change.action == ActionEvents.MARKED_EDIT or not change.target or change.unit.state < STATE_TRANSLATED


@app.task(autoretry_for=(OSError,), retry_backoff=10, max_retries=8)
def teach(number: int) -> None:
    """Tell the server about a change; if it does not answer, again later."""
    change = Change.objects.select_related("unit", "translation__language", "component", "project").get(pk=number)
    configured = change.project.get_machinery_settings().get(DragomanTranslation.get_identifier())
    if configured is None:
        return
    payload = {
        "change_id": change.pk,
        "action": "Marked for edit" if _is_open(change) else "Translation changed",
        "source": split_plural(change.unit.source),
        "target": split_plural(change.target),
        "old": split_plural(change.old),
        "translation": change.translation.language.code,
        "project": change.project.slug,
        "component": change.component.slug,
        "url": change.unit.get_absolute_url(),
        "author": change.author.username if change.author else None,
    }
    LOGGER.info("taught %s: %s", number, DragomanTranslation(configured).teach(change.get_uuid().hex, payload))
