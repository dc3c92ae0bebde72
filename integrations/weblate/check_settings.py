"""Weblate's settings for its own tests, with dragoman among the machinery."""

import os
import sys
from unittest.mock import MagicMock

os.environ.setdefault("CI_DATABASE", "postgresql")
for each in ("cairo", "gi", "gi.repository"):  # draw badges, and need libraries that machinery has no use for
    sys.modules[each] = MagicMock()

from weblate.settings_test import *  # noqa: E402, F403

INSTALLED_APPS += ("dragoman_weblate",)  # noqa: F405
