"""From models to translations: options of a sentence, beam search, n-best lists, word graphs, constrained search."""
