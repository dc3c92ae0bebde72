"""Quality of translations (WER, BLEU, TER, chrF, new words), its significance, and whether learning will pay off."""

from dragoman.measure.bleu import Bleu, bleu
from dragoman.measure.chrf import Chrf, chrf
from dragoman.measure.immediate import ImmediateRecall, Recall, recall
from dragoman.measure.improvement import Improvement, improvement, lower_bound
from dragoman.measure.measure import Measure
from dragoman.measure.repetition import Repetition, advice, repetition
from dragoman.measure.significance import bootstrap, interval, randomisation
from dragoman.measure.ter import Ter, ter
from dragoman.measure.wer import Wer, wer

__all__ = [
    "Bleu",
    "Chrf",
    "ImmediateRecall",
    "Improvement",
    "Measure",
    "Recall",
    "Repetition",
    "Ter",
    "Wer",
    "advice",
    "bleu",
    "bootstrap",
    "chrf",
    "improvement",
    "interval",
    "lower_bound",
    "randomisation",
    "recall",
    "repetition",
    "ter",
    "wer",
]
