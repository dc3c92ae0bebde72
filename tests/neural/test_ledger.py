"""Learned weights answer where they are ahead beyond chance, and no longer where they are not."""

import pytest

from dragoman.neural.ledger import Ledger, familiarity


def test_before_anything_is_counted_they_answer_for_familiar_texts_only() -> None:
    ledger = Ledger()
    assert [ledger.learned_answers(share) for share in (0.0, 0.5, 0.65, 0.7, 0.85, 1.0)] == 3 * [False] + 3 * [True]


@pytest.mark.parametrize(("difference", "share", "answers"), [(0.3, 0.3, True), (0.0, 0.3, False), (-0.1, 0.95, False)])
def test_what_is_counted_outweighs_what_a_band_began_with(difference: float, share: float, answers: bool) -> None:
    ledger = Ledger()
    for _ in range(60):
        ledger.add(share, difference)
    assert ledger.learned_answers(share) is answers
    others = [each for each in (0.3, 0.65, 0.75, 0.95) if each != share]
    assert [ledger.learned_answers(each) for each in others] == [Ledger().learned_answers(each) for each in others]


def test_a_change_of_texts_is_noticed() -> None:
    ledger = Ledger()
    for _ in range(200):
        ledger.add(0.75, 0.2)
    assert ledger.learned_answers(0.75)
    for _ in range(60):
        ledger.add(0.75, -0.1)
    assert not ledger.learned_answers(0.75)


def test_a_copy_goes_its_own_way() -> None:
    ledger = Ledger()
    copy = ledger.copy()
    copy.add(0.1, 0.5)
    assert ledger.standings() == Ledger().standings() != copy.standings()


def test_familiar_are_words_in_any_case() -> None:
    assert familiarity("Close THE lid", {"close", "the"}) == pytest.approx(2 / 3)
    assert familiarity("!?", {"close"}) == 0
