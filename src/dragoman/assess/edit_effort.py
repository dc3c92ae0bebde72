"""What it takes to correct a suggestion in an ordinary editor: key strokes and mouse actions.

Each place that differs is selected with one mouse action; then the right characters are typed, or one key deletes what
is too much. A suggestion that is empty needs no mouse: the person just types. The units are those of the simulated user
(`dragoman.interactive.user`), who has completions and needs less.

>>> edit_strokes("Pulse la tecla verde.", "Pulse el botón verde.")
(7, 3)
>>> edit_strokes("", "Pulse"), edit_strokes("Pulse", "Pulse")
((5, 0), (0, 0))
"""

from __future__ import annotations

from rapidfuzz.distance import Levenshtein


def edit_strokes(suggestion: str, reference: str) -> tuple[int, int]:
    """(key strokes, mouse actions) from a suggestion to the reference."""
    if not suggestion:
        return len(reference), 0
    keys = mouse = 0
    typed_to = -1  # where the last change ended: the next is part of it if it starts there
    for step in Levenshtein.opcodes(suggestion, reference):
        if step.tag == "equal":
            continue
        mouse += step.src_start != typed_to
        keys += step.dest_end - step.dest_start or 1
        typed_to = step.src_end
    return keys, mouse
