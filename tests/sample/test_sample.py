"""The bilingual sample is complete, consistent and as repetitive as a real manual."""

import re
import unicodedata
from collections import Counter, defaultdict
from importlib.resources import files

import pytest

from dragoman.sample import pairs

# What is copied unchanged from the English to the Spanish.
COPIED = [
    r"\{\w+\}",
    r"%[sd]",
    r"</?\w+[^>]*>",
    r"\bE\d\d\b",
    r"\bBR2-\d+\b",
    r"\S+@\S+|https?://\S+",
]

# English term -> its one Spanish term (both as patterns that allow the plural).
TERMS = {
    r"water tanks?": r"depósitos? de agua",
    r"water filters?": r"filtros? de agua",
    r"portafilters?": r"portafiltros?",
    r"filter baskets?": r"cestillos? de filtro",
    r"group heads?": r"grupos? de erogación",
    r"steam wands?": r"tubos? de vapor",
    r"steam tips?": r"boquillas? de vapor",
    r"drip trays?": r"bandejas? recogegotas",
    r"drip grids?": r"rejillas? de goteo",
    r"bean hoppers?": r"tolvas?",
    r"coffee beans": r"café en grano",
    r"ground coffee": r"café molido",
    r"grinders?": r"molinillos?",
    r"grind settings?": r"ajustes? de molienda",
    r"tampers?": r"prensador(es)?",
    r"milk jugs?": r"jarras? de leche",
    r"milk froth": r"espuma de leche",
    r"boilers?": r"calderas?",
    r"pumps?": r"bombas?",
    r"gaskets?": r"juntas?",
    r"brew buttons?": r"bot(ón|ones) de café",
    r"steam buttons?": r"bot(ón|ones) de vapor",
    r"power buttons?": r"bot(ón|ones) de encendido",
    r"hot water buttons?": r"bot(ón|ones) de agua caliente",
    r"clean buttons?": r"bot(ón|ones) de limpieza",
    r"menu dials?": r"mandos? de menú",
    r"temperature lights?": r"pilotos? de temperatura",
    r"displays?": r"pantallas?",
    r"power cords?": r"cables? de alimentación",
    r"mains plugs?": r"enchufes?",
    r"descaling": r"descalcificaci(ón|ones)",
    r"descalers?": r"descalcificador(es)?",
    r"limescale": r"cal",
    r"water hardness": r"dureza del agua",
    r"extraction": r"extracci(ón|ones)",
    r"apps?": r"aplicaci(ón|ones)",
    r"pairing": r"emparejamientos?",
    r"recipes?": r"recetas?",
    r"notifications?": r"notificaci(ón|ones)",
    r"firmware": r"firmware",
    r"service centres?": r"centros? de servicio técnico",
    r"warranty": r"garantías?",
}


def _text() -> str:
    return (files("dragoman.sample") / "espresso.tsv").read_text(encoding="utf-8")


def _segments() -> list[tuple[str, str, str]]:
    segments = []
    for line in _text().split("\n")[:-1]:
        section, english, spanish = line.split("\t")
        segments.append((section, english, spanish))
    return segments


def _without_tags_and_placeholders(text: str) -> str:
    return re.sub(r"\{\w+\}|</?\w+[^>]*>", " ", text)


def test_has_at_least_600_segments() -> None:
    assert len(_segments()) >= 600


def test_pairs_are_the_segments_in_the_order_of_the_manual() -> None:
    assert pairs() == [(english, spanish) for _, english, spanish in _segments()]


def test_every_line_has_three_clean_fields() -> None:
    for line in _text().split("\n")[:-1]:
        fields = line.split("\t")
        assert len(fields) == 3, line
        assert all(fields), line
        assert [field.strip() for field in fields] == fields, line
        assert "  " not in line
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", fields[0]), line


def test_file_is_nfc_with_lf_line_endings() -> None:
    raw = (files("dragoman.sample") / "espresso.tsv").read_bytes()
    assert b"\r" not in raw
    assert raw.endswith(b"\n") and not raw.endswith(b"\n\n")
    assert not raw.startswith(b"\xef\xbb\xbf")
    assert unicodedata.is_normalized("NFC", raw.decode("utf-8"))


def test_identical_english_has_identical_spanish() -> None:
    translations: defaultdict[str, set[str]] = defaultdict(set)
    for _, english, spanish in _segments():
        translations[english].add(spanish)
    assert {english: found for english, found in translations.items() if len(found) > 1} == {}


@pytest.mark.parametrize("pattern", COPIED)
def test_inline_material_is_copied_to_the_spanish(pattern: str) -> None:
    occurrences = 0
    for _, english, spanish in _segments():
        expected = Counter(re.findall(pattern, english))
        assert Counter(re.findall(pattern, spanish)) == expected, english
        occurrences += expected.total()
    assert occurrences > 0


def test_numbers_agree_with_decimal_commas_in_the_spanish() -> None:
    number = r"\d+(?:[.,]\d+)?"
    for _, english, spanish in _segments():
        found = Counter(value.replace(",", ".") for value in re.findall(number, spanish))
        assert found == Counter(re.findall(number, english)), english
        assert not re.search(r"\d\.\d", spanish.replace("Bluetooth 5.0", "")), spanish


@pytest.mark.parametrize(("english_term", "spanish_term"), TERMS.items())
def test_term_is_always_translated_with_its_one_term(english_term: str, spanish_term: str) -> None:
    in_english = re.compile(rf"\b{english_term}\b", re.IGNORECASE)
    in_spanish = re.compile(rf"\b{spanish_term}\b", re.IGNORECASE)
    occurrences = 0
    for _, english, spanish in _segments():
        if in_english.search(_without_tags_and_placeholders(english)):
            occurrences += 1
            assert in_spanish.search(_without_tags_and_placeholders(spanish)), (english, spanish)
    assert occurrences >= 2


def test_spanish_marks_are_balanced() -> None:
    for _, english, spanish in _segments():
        for opening, closing in ("¿?", "¡!", "«»"):
            assert spanish.count(opening) == spanish.count(closing), spanish
        assert spanish.count("?") == english.count("?"), spanish
        assert spanish.count("«") == english.count("“") == english.count("”"), spanish


def test_is_as_repetitive_as_a_manual() -> None:
    occurrences = Counter(english for _, english, _ in _segments())
    repeated = sum(count for count in occurrences.values() if count > 1)
    assert repeated >= 0.05 * occurrences.total()


def test_segments_have_the_length_of_those_of_a_manual() -> None:
    lengths = [len(english.split()) for _, english, _ in _segments()]
    assert 6 <= sum(lengths) / len(lengths) <= 14
    assert min(lengths) <= 2
    assert max(lengths) >= 20
