"""What Django does when Weblate starts, in every process: in those of gunicorn and of Celery alike."""

from django.apps import AppConfig
from django.conf import settings

SERVICE = "dragoman_weblate.machinery.DragomanTranslation"


class DragomanConfig(AppConfig):
    """Adds the service to Weblate's, and listens to edits from the start rather than from its first use."""

    name = "dragoman_weblate"
    verbose_name = "dragoman"

    def ready(self) -> None:
        """Once all models are there."""
        from weblate.machinery import models  # noqa: F401 (fills in WEBLATE_MACHINERY if the settings have none)

        if SERVICE not in settings.WEBLATE_MACHINERY:
            settings.WEBLATE_MACHINERY = (*settings.WEBLATE_MACHINERY, SERVICE)
        from dragoman_weblate import machinery  # noqa: F401 (connects its signal)
