"""Everything that the box of Keltis: Das Orakel holds, and every ruling, is described."""

import re
from pathlib import Path

from pythia.core_cy.descriptions import LANGUAGES, descriptions
from pythia.core_cy.keltis import components

RULES = Path(__file__).parents[2] / "docs" / "keltis.md"


def test_every_component_is_described():
    wanted = {
        "card:number",
        *(f"tile:{tile}" for tile in ("wish_stone", *(word for word, _ in components.TILES))),
        *(f"color:{color}" for color in components.COLORS),
        *(f"space:{space}" for space in ("start", "small_stone", "big_stone", "goal")),
    }
    kinds = ("card", "tile", "color", "space")
    assert {key for key in descriptions("keltis") if key.partition(":")[0] in kinds} == wanted


def test_every_ruling_is_described():
    rulings = re.findall(r"^\| (K\d+) \|", RULES.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(rulings) == 12
    assert [entry.name for entry in descriptions("keltis").values() if entry.kind == "ruling"] == rulings


def test_descriptions_agree_with_the_components():
    for language in LANGUAGES:
        entries = descriptions("keltis", language)
        for value in set(components.WISH_VALUES):
            assert re.search(rf"(?<![\d-]){value}\b", entries["tile:wish_stone"].text)
        for value in components.GOBLIN_VALUES:
            assert re.search(rf"\b{value}\b", entries["ruling:K8"].text)
        assert f"{components.GOAL} " in entries["space:goal"].text
        assert str(components.ORACLE_BONUS) in entries["term:priestess"].text
        for stone in components.BIG_STONES:
            assert re.search(rf"\b{stone}\b", entries["ruling:K3"].text)
