"""An engine behind sil-machine's interfaces; the cases follow those of its own interactive translator."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest
from machine.annotations import Range
from machine.corpora import DictionaryTextCorpus, MemoryText, StandardParallelTextCorpus, TextRow
from machine.translation import (
    MAX_SEGMENT_LENGTH,
    InteractiveTranslator,
    InteractiveTranslatorFactory,
    PhraseTranslationSuggester,
    TranslationSources,
)

from dragoman.engine import Engine
from dragoman.sil_machine import MachineModel

pytestmark = pytest.mark.kernels
PAIRS = [
    ("En el principio creó Dios los cielos.", "In the beginning God created the heavens."),
    ("la Palabra ya estaba con Dios", "the Word was already with God"),
    ("El principio de la noche", "The start of the night"),
    ("En el principio de la noche", "In the beginning of the night"),
    ("Esta Palabra ya existía.", "This Word already existed."),
]
SOURCE = "En el principio la Palabra ya existía."
TARGET = "In the beginning the Word already existed."


@pytest.fixture
def model(tmp_path: Path) -> Iterator[MachineModel]:
    with MachineModel(Engine.create(tmp_path / "genesis", source="es", target="en")) as made:
        for pair in PAIRS:
            made.train_segment(*pair)
        yield made


@pytest.fixture
def translator(model: MachineModel) -> InteractiveTranslator:
    return InteractiveTranslatorFactory(model, model.target_tokenizer, model.target_detokenizer).create(SOURCE)


def best(translator: InteractiveTranslator) -> str:
    return str(next(translator.get_current_results()).translation)


def test_the_first_result_is_the_translation(model: MachineModel, translator: InteractiveTranslator) -> None:
    assert best(translator) == TARGET == model.translate(SOURCE).translation == model.engine.translate(SOURCE).text


@pytest.mark.parametrize("typed", [["In "], ["In ", "t"], ["In the beginning "]])
def test_what_is_typed_is_completed(translator: InteractiveTranslator, typed: list[str]) -> None:
    for addition in typed:
        translator.append_to_prefix(addition)
    assert best(translator) == TARGET


@pytest.mark.parametrize("left", ["In the ", ""])
def test_words_can_be_taken_back(translator: InteractiveTranslator, left: str) -> None:
    translator.append_to_prefix("In the beginning ")
    translator.set_prefix(left)
    assert best(translator) == TARGET


def test_another_beginning_is_followed(translator: InteractiveTranslator) -> None:
    translator.append_to_prefix("At first the Word ")
    assert best(translator).startswith("At first the Word ")
    assert best(translator).endswith("already existed.")


def test_a_segment_may_be_too_long_for_sil_machine(model: MachineModel) -> None:
    factory = InteractiveTranslatorFactory(model, model.target_tokenizer, model.target_detokenizer)
    assert factory.create(SOURCE).is_segment_valid
    assert not factory.create("palabra " * MAX_SEGMENT_LENGTH + ".").is_segment_valid


def test_approving_what_is_aligned_teaches_that(model: MachineModel, translator: InteractiveTranslator) -> None:
    translator.append_to_prefix("In the beginning ")
    translator.approve(aligned_only=True)
    assert model.engine.exact_match("En el principio")
    translator.append_to_prefix("the Word already existed.")
    translator.approve(aligned_only=True)
    assert model.engine.translate(SOURCE).memory is not None


def test_approving_the_whole_segment_teaches_it(model: MachineModel, translator: InteractiveTranslator) -> None:
    translator.set_prefix("At the start the Word already existed.")
    translator.approve(aligned_only=False)
    assert model.translate(SOURCE).translation == "At the start the Word already existed."


def test_there_are_several_results(translator: InteractiveTranslator) -> None:
    results = [str(each.translation) for each in islice(translator.get_current_results(), 5)]
    assert results[0] == TARGET and len(set(results)) > 1
    translator.append_to_prefix("In the start")
    assert all(str(each.translation).startswith("In the start") for each in islice(translator.get_current_results(), 3))


def test_the_suggester_offers_what_is_sure(translator: InteractiveTranslator) -> None:
    translator.append_to_prefix("In the b")
    suggester = PhraseTranslationSuggester(confidence_threshold=0.1)
    prefix, whole = len(translator.prefix_word_ranges), translator.is_last_word_complete
    found = list(suggester.get_suggestions(1, prefix, whole, translator.get_current_results()))
    assert next(iter(found[0].target_words)) == "beginning"


def test_a_correction_of_the_same_text_is_the_best_path(model: MachineModel) -> None:
    model.train_segment(SOURCE, "The Word existed from the beginning.")
    translator = InteractiveTranslatorFactory(model, model.target_tokenizer, model.target_detokenizer).create(SOURCE)
    assert best(translator) == "The Word existed from the beginning."
    translator.append_to_prefix("In ")
    assert best(translator) == TARGET


def test_results_have_everything_that_sil_machine_asks_for(model: MachineModel) -> None:
    result = model.translate("En el principio la zarza ya existía.")
    assert list(result.source_tokens) == ["En", "el", "principio", "la", "zarza", "ya", "existía", "."]
    assert result.target_tokens[0] == "In" and "zarza" in result.target_tokens
    unknown = result.target_tokens.index("zarza")
    assert result.sources[unknown] == TranslationSources.NONE and result.sources[0] == TranslationSources.SMT
    assert result.alignment[4, unknown] and result.phrases[-1].target_segment_cut == len(result.target_tokens)
    assert all(0 <= sure <= 1 for sure in result.confidences)


def test_lists_and_batches(model: MachineModel) -> None:
    listed = model.translate_n(3, SOURCE)
    assert listed[0].translation == TARGET and len({each.translation for each in listed}) == 3
    batch = model.translate_batch([SOURCE, ["la", "Palabra"]])
    assert [each.translation for each in batch] == [TARGET, "the Word"]
    assert [len(each) for each in model.translate_n_batch(2, [SOURCE, "la noche"])] == [2, 2]


def test_a_text_without_words(model: MachineModel) -> None:
    assert model.translate("").translation == ""
    assert model.get_word_graph("").is_empty


def test_tokens_are_cut_within_a_range(model: MachineModel) -> None:
    assert list(model.target_tokenizer.tokenize("One two, three", Range.create(4, 8))) == ["two", ","]
    assert model.target_detokenizer.detokenize(["Yes", ",", "two", "."]) == "Yes, two."


def test_words_of_another_engine_are_marked(tmp_path: Path) -> None:
    recorded = tmp_path / "said.tsv"
    recorded.write_text("Cierre la válvula.\tClose the valve.\n", encoding="utf-8")
    with MachineModel(
        Engine.create(tmp_path / "p", source="es", target="en", upstream=f"recorded:{recorded}")
    ) as model:
        result = model.translate("Cierre la válvula.")
        assert result.translation == "Close the valve."
        assert TranslationSources.NMT in result.sources[0]


def test_a_corpus_trains_the_base(tmp_path: Path) -> None:
    def text(side: int) -> DictionaryTextCorpus:
        rows = [TextRow("genesis", n, segment=pair[side].split()) for n, pair in enumerate(PAIRS)]
        return DictionaryTextCorpus(MemoryText("genesis", rows))

    engine = Engine.create(tmp_path / "words", source="es", target="en", tokens="words")
    with MachineModel(engine) as model:
        with model.create_trainer(StandardParallelTextCorpus(text(0), text(1))) as trainer:
            seen = list[str]()
            trainer.train(lambda status: seen.append(str(status.message)))
            trainer.save()
        assert trainer.stats.train_corpus_size == len(PAIRS) and seen
        assert model.translate(["la", "Palabra"]).translation == "the Word"
