"""Sentences with marked phrases, of which it is known what each may be in Spanish.

Constants were chosen on the sentences for development. The others have other phrases and other frames; what their
phrases may be was written before any of them was translated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

SENTENCES = 300
# English, and what it may be in Spanish: a pattern of the whole, in any case.
PHRASES = [
    ("the red car", "(el|un|del|al) (coche|auto|automóvil|vehículo) rojo"),
    ("the white house", "(la|una) (casa|vivienda) blanca"),
    ("the old book", "(el|un|del|al) (viejo libro|libro (viejo|antiguo)|antiguo libro)"),
    ("the green button", "(el|un|del|al) (botón|botones) verdes?"),
    ("the European Parliament", "(el|del|al) Parlamento( Europeo)?"),
    ("the final report", "(el|un|del|al) informe (final|definitivo)|informe final"),
    ("a new agreement", "(un|el|al) (nuevo (acuerdo|pacto)|acuerdo nuevo)|nuevos acuerdos"),
    ("the national government", "(el|del|al) gobierno (nacional|central|estatal)|el gobierno de la nación"),
    ("the economic crisis", "(a )?(la|una) crisis económica"),
    ("the black dog", "(el|un|del|al) perro negro"),
    ("clean water", "(el |al |del )?agua (limpia|potable|pura)"),
    ("the new president", "(el|un|del|al) nuevo presidente|la nueva presidenta"),
    ("human rights", "(los |el )?(derechos humanos|derecho humano)"),
    ("public health", "(la |de la )?(salud|sanidad) pública|(la )?(salud|sanidad) de la población"),
    ("the first chapter", "(el|un|del|al) primer capítulo|(el )?capítulo primero"),
    ("the last page", "la última página"),
    (
        "three small children",
        "(a )?(los )?tres (niños pequeños|hijos pequeños|pequeños niños|pequeños hijos|niños|hijitos)",
    ),
    ("the blue door", "(la|una) puerta azul"),
    ("the hungry cat", "(el|un|del|al) gato (hambriento|hambrío|(de )?hambre|hungrio)|(el|un) hambre"),
    ("my best friend", "(a )?mi mejor (amigo|amiga)"),
    ("his younger brother", "(a )?su (hermano( más)? (menor|pequeño|joven)|hermano)"),
    ("the financial market", "(el|los|del|al) mercados? financieros?|el mercado de las? finanzas"),
    ("climate change", "(el |del |al )?cambio climático"),
    ("the morning train", "(el|un|del|al) tren (de la mañana|matutino|por la mañana|matinal)|el tren"),
    ("the second question", "la segunda (pregunta|cuestión)"),
    ("a serious mistake", "(un|el|al) (grave error|error grave|serio error|error serio|error muy grave)"),
    ("the common market", "(el|un|del|al) mercado común"),
    ("the long road", "(el|un|del) (largo camino|camino largo)|(la|una) (larga carretera|carretera larga)"),
    ("the legal basis", "(la|el|una) (base jurídica|base legal|fundamento jurídico)"),
    ("the member states", "(a )?(los )?estados miembros"),
]
FRAMES = [
    "I saw {0} yesterday.",
    "{0} is very important.",
    "We talked about {0} in Madrid.",
    "Nobody knows why {0} was there.",
    "She thinks that {0} will be enough, but I do not agree.",
    "In 2010, {0} was in the news.",
    "Do you remember {0}?",
    "They are looking for {0} and {1}.",
    "After the meeting, {0} became the main topic, together with {1}.",
    "Tom likes {0}, but Mary prefers {1}.",
]

PHRASES_FOR_JUDGING = [
    ("the small table", "(la|una) (mesa pequeña|pequeña mesa|mesita)|el cuadro pequeño|el pequeño cuadro"),
    ("a difficult decision", "(una|la) (decisión difícil|difícil decisión)"),
    ("the international community", "(la|una) comunidad internacional"),
    ("the yellow flowers", "(las )?flores amarillas"),
    ("two old friends", "(a )?(los )?dos (viejos amigos|amigos viejos|antiguos amigos|amigos antiguos|viejas amigas)"),
    ("my new computer", "(a )?mi (nuevo ordenador|ordenador nuevo|nueva computadora|computadora nueva)"),
    ("the European Commission", "(a )?la Comisión( Europea)?"),
    ("the internal market", "(el|del|al) mercado interior|(el|del|al) mercado interno"),
    ("her older sister", "(a )?su hermana( más)? (mayor|vieja|grande)"),
    ("the next meeting", "(la|una) (próxima|siguiente) (reunión|sesión)"),
    ("sustainable development", "(el |del |al |un )?desarrollo sostenible"),
    ("the military conflict", "(el|un|del|al) conflicto (militar|armado)"),
    ("the big city", "(la|una) (gran ciudad|ciudad grande|gran urbe)"),
    ("renewable energy", "(la |las |de )?energías? renovables?"),
    (
        "the young teacher",
        "(a )?(el|la|un|una|del|al) (joven (profesora?|maestr[oa]|docente)|(profesora?|maestr[oa]) joven)",
    ),
    ("the third paragraph", "(el|un|del|al) (tercer (párrafo|apartado)|apartado 3|párrafo tercero|apartado tercero)"),
    ("the broken window", "(la|una) (ventana|ventanilla|vidriera) (rota|quebrada|destrozada)|la ventana rompida"),
    ("food safety", "(la |de la )?(seguridad (alimentaria|de los alimentos)|inocuidad de los alimentos)"),
    ("the main reason", "(la|una) (razón principal|principal razón)|el (motivo principal|principal motivo)"),
    ("the French capital", "(la )?capital francesa|la capital de francia"),
    ("an important document", "(un|el) (documento importante|importante documento)"),
    ("the political parties", "(a )?(los )?partidos políticos"),
    ("the old bridge", "(el|un|del|al) (viejo puente|puente viejo|antiguo puente|puente antiguo)"),
    ("social justice", "(la )?justicia social"),
    ("the warm weather", "(el|un|del|al) (clima|tiempo) (cálido|caluroso|caliente|templado)|el calor|el buen tiempo"),
    ("the annual budget", "(el|un|del|al) (presupuesto anual|presupuesto)|los presupuestos anuales"),
    ("a good opportunity", "(una|la) (buena (oportunidad|ocasión)|oportunidad buena)"),
    (
        "the younger generation",
        "(la|las) (generación(es)? (más )?j[oó]ven(es)?|jóvenes generaciones|nuevas generaciones|joven generación)",
    ),
    ("the final vote", "(la|una) (votación final|votación definitiva)|el voto final"),
    ("the wooden box", "(la|una) caja de madera|(la|una) (caja|cajas) (madera|de maderas)"),
]
FRAMES_FOR_JUDGING = [
    "Everybody is waiting for {0}.",
    "It is {0} that worries me most.",
    "Have you ever seen {0} in this country?",
    "When we arrived, {0} was already gone.",
    "According to the newspaper, {0} has changed since 1999.",
    "Please tell me more about {0}, because I need it tomorrow.",
    "Without {0} nothing is possible.",
    "{0} and {1} are two different things.",
    "My father always says that {0} is less interesting than {1}.",
    "If you find {0}, do not forget {1}!",
]


class Case(NamedTuple):
    """A sentence with marked phrases: words, and phrases as (words, pattern, how they are marked)."""

    parts: list[str | tuple[str, str, str]]

    @property
    def wanted(self) -> list[str]:
        """What each phrase may be."""
        return [part[1] for part in self.parts if not isinstance(part, str)]


def cases(*, judging: bool = False) -> Iterator[Case]:
    """300 sentences, the same every time."""
    frames, phrases = (FRAMES_FOR_JUDGING, PHRASES_FOR_JUDGING) if judging else (FRAMES, PHRASES)
    for number in range(SENTENCES):
        frame = frames[number % len(frames)]
        first = (number * 7 + number // len(frames)) % len(phrases)
        chosen = [phrases[first], phrases[(first + 11) % len(phrases)]]
        looks = (["bold", "link"], ["link", "bold"], ["both", "bold"])[number % 3]
        parts: list[str | tuple[str, str, str]] = []
        for piece in re.split(r"(\{\d\})", frame):
            if not piece.startswith("{"):
                parts += [piece] if piece else []
                continue
            words, pattern = chosen[int(piece[1])]
            begins = not parts and words[0].islower()
            parts.append((words[0].upper() + words[1:] if begins else words, pattern, looks[int(piece[1])]))
        yield Case(parts)
