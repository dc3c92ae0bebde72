"""dragoman in Weblate: suggestions that are never out of date, and every edit teaches.

Put this directory where Weblate's Python finds it, and add it to Weblate's settings:

    INSTALLED_APPS += ("dragoman_weblate",)

Then enable “dragoman” under automatic suggestions, with the address of the server and a key that may learn.
"""
