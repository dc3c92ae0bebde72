"""How good translations are (WER, BLEU, TER, chrF), how sure that is, and whether a text will repay online learning."""

from dragoman.measure.bleu import Bleu, bleu
from dragoman.measure.chrf import Chrf, chrf
from dragoman.measure.measure import Measure
from dragoman.measure.ter import Ter, ter
from dragoman.measure.wer import Wer, wer

__all__ = ["Bleu", "Chrf", "Measure", "Ter", "Wer", "bleu", "chrf", "ter", "wer"]
