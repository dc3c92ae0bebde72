"""How good translations are (WER, BLEU, TER, chrF), how sure that is, and whether a text will repay online learning."""

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
