"""A neural engine from English to Spanish: `model/` in CTranslate2's format, and `card.md`, which says what it is.

dragoman finds it by the entry point of the group `dragoman.engines`; its name there is `engine:en-es`.
"""
