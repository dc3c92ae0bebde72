"""dragoman: an adaptive translation engine. It translates, you correct, it learns at once."""

__version__ = "0.1.0"
