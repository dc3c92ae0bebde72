"""Settings of a Weblate that is really served: its own example, with this machine's places, and our module's line."""

import os
import sys
from unittest.mock import MagicMock

for each in ("cairo", "gi", "gi.repository"):  # draw badges, and need libraries that nothing here has a use for
    sys.modules[each] = MagicMock()

from weblate.settings_example import *  # noqa: E402, F403

DEBUG = False
SITE_DOMAIN = os.environ["SITE"]
SECRET_KEY = os.environ["SITE_SECRET"]
DATA_DIR = os.environ["SITE_DATA"]
CACHE_DIR = os.path.join(DATA_DIR, "cache")  # noqa: PTH118 (as Weblate has it)
MEDIA_ROOT, STATIC_ROOT = os.path.join(DATA_DIR, "media"), os.path.join(DATA_DIR, "static")  # noqa: PTH118
DATABASES["default"] |= {"NAME": "postgres", "USER": "dragoman", "HOST": os.environ["SITE_DATABASE"]}  # noqa: F405
CELERY_BROKER_URL = CELERY_RESULT_BACKEND = f"{os.environ['SITE_REDIS']}/0"
CACHES["default"]["LOCATION"] = f"{os.environ['SITE_REDIS']}/1"  # noqa: F405
CACHES["avatar"]["LOCATION"] = os.path.join(CACHE_DIR, "avatar")  # noqa: F405, PTH118
REGISTRATION_CAPTCHA = False
EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
LOGGING["handlers"]["console"]["level"] = "INFO"  # noqa: F405

INSTALLED_APPS += ("dragoman_weblate",)  # noqa: F405
SILENCED_SYSTEM_CHECKS += ["weblate.C024", "otp_webauthn.E010", "otp_webauthn.E031"]  # noqa: F405 (badges, passkeys)
