"""The papers' protocols, run over a corpus: post-editing first, the others to come."""
