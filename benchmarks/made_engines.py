"""Engines that nobody has tuned for, made from recorded ones: each says something else for the same source.

They show what happens over an engine that is better, worse or just different from those at hand. What each says for a
source depends on the source alone, so it is the same in every run.

- good: the reference itself for half of the sources, otherwise the neural engine
- bad: the neural engine with, of all answers, a third shuffled or short of words, a tenth in another language, a tenth
  empty and a twentieth repeating itself
- lower: in small letters
- bare: without the punctuation at the end
- typographic: « » for quotes, no-break spaces before : ; ? and !, no-break hyphens
- mixed: the neural engine or Apertium, sentence by sentence
- shouting: in capitals
- wordy: with a remark before and behind, as chat models add them

>>> MADE["lower"](Answers("Open the file.", "Abra el archivo.", "Abrid el fichero.", "Abrir el archivo."))
'abra el archivo.'
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Callable
from typing import NamedTuple

FOREIGN = (  # French, in the same script as Spanish, so only its words betray it
    "Veuillez vérifier que le fichier est bien enregistré avant de continuer avec cette opération.",
    "Nous avons pu observer que la plupart des utilisateurs ne lisent jamais ce message jusqu'au bout.",
    "Cette fonction renvoie une valeur qui dépend de la configuration choisie par l'administrateur.",
)


class Answers(NamedTuple):
    """A source, what the recorded engines say for it, and the reference."""

    source: str
    neural: str
    apertium: str
    reference: str


def draw(source: str) -> random.Random:
    """Chance that depends on the source alone."""
    return random.Random(hashlib.sha256(source.encode()).digest())


def good(given: Answers) -> str:
    """The reference for half of the sources."""
    return given.reference if draw(given.source).random() < 0.5 else given.neural


def bad(given: Answers) -> str:
    """Often damaged, foreign, empty or repeating itself."""
    chance = draw(given.source)
    kind, words = chance.random(), given.neural.split(" ")
    if kind < 0.1:
        return ""
    if kind < 0.15:
        return chance.choice(FOREIGN)
    if kind < 0.2:
        return given.source + " etc."
    if kind < 0.25:
        return " ".join([*words, *(12 * words[-3:])])
    if kind < 0.42:
        chance.shuffle(words)
    elif kind < 0.58:
        words = [word for word in words if chance.random() < 0.7]
    return " ".join(words)


def lower(given: Answers) -> str:
    """In small letters."""
    return given.neural.lower()


def bare(given: Answers) -> str:
    """Without the punctuation at the end."""
    return given.neural.rstrip(".:;!?… ")


def typographic(given: Answers) -> str:
    """With other quotes, spaces and hyphens."""
    text = re.sub(r'"([^"]*)"', "«\u00a0\\1\u00a0»", given.neural)
    text = re.sub(r"'([^']*)'", "‹\\1›", text)
    text = re.sub(r"(?<=\w)([:;?!])(?=\s|$)", "\u00a0\\1", text)
    return re.sub(r"(?<=\w)-(?=\w)", "\u2011", text)


def mixed(given: Answers) -> str:
    """One of the two."""
    return given.neural if draw(given.source).random() < 0.5 else given.apertium


def shouting(given: Answers) -> str:
    """In capitals."""
    return given.neural.upper()


def wordy(given: Answers) -> str:
    """With remarks around it."""
    return f"Aquí tiene la traducción: {given.neural} Espero que le sirva."


MADE: dict[str, Callable[[Answers], str]] = {
    each.__name__: each for each in (good, bad, lower, bare, typographic, mixed, shouting, wordy)
}
