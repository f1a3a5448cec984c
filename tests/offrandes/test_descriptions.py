"""Everything that the box of Offrandes holds, and every ruling, is described."""

import re
from pathlib import Path

from pythia.core_cy.descriptions import LANGUAGES, descriptions
from pythia.core_cy.offrandes import components

RULES = Path(__file__).parents[2] / "docs" / "offrandes.md"


def test_every_component_is_described():
    wanted = {
        *(f"city:{city}" for city in components.CITIES),
        *(f"character:{character}" for character in components.CHARACTERS),
        *(f"animal:{animal}" for animal in components.ANIMALS),
        *(f"altar:{altar}" for altar in components.ALTARS),
    }
    kinds = {key.partition(":")[0] for key in wanted}
    assert {key for key in descriptions("offrandes") if key.partition(":")[0] in kinds} == wanted


def test_every_ruling_is_described():
    found = [entry.name for entry in descriptions("offrandes").values() if entry.kind == "ruling"]
    assert found == [f"O{number}" for number in range(1, 28)]
    cited = set(re.findall(r"\bO\d+\b", RULES.read_text(encoding="utf-8")))
    assert cited <= set(found)


def test_descriptions_agree_with_the_components():
    for language in LANGUAGES:
        entries = descriptions("offrandes", language)
        for altar in components.ALTARS:
            text = entries[f"altar:{altar}"].text
            assert re.search(rf"\b{components.altar_points(altar)}\b", text)
            assert re.search(rf"\b{components.altar_group(altar)}\b", text)
        for points in components.LAMPS[1:]:
            assert re.search(rf"\b{points}\b", entries["character:priestess"].text)
        for value, animal in enumerate(components.ANIMALS, 1):
            assert re.search(rf"\b{value}\b", entries[f"animal:{animal}"].text)
            assert re.search(rf"\b{value} ", entries["character:farmer"].text)
        assert str(components.MOST_DRACHMAS) in entries["term:drachmas"].text
        assert str(components.LAST_SCORE) in entries["ruling:O24"].text
