"""Quality of translations (WER, BLEU, TER, chrF), its significance, and whether online learning will pay off."""

from dragoman.measure.bleu import Bleu, bleu
from dragoman.measure.chrf import Chrf, chrf
from dragoman.measure.measure import Measure
from dragoman.measure.repetition import Repetition, advice, repetition
from dragoman.measure.significance import bootstrap, interval, randomisation
from dragoman.measure.ter import Ter, ter
from dragoman.measure.wer import Wer, wer

__all__ = [
    "Bleu",
    "Chrf",
    "Measure",
    "Repetition",
    "Ter",
    "Wer",
    "advice",
    "bleu",
    "bootstrap",
    "chrf",
    "interval",
    "randomisation",
    "repetition",
    "ter",
    "wer",
]
