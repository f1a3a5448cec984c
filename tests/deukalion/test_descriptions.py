"""Everything that the box of Deukalion holds, and every ruling, is described."""

import re
from pathlib import Path

from pythia.core_cy.descriptions import LANGUAGES, descriptions
from pythia.core_cy.deukalion import components

RULES = Path(__file__).parents[2] / "docs" / "deukalion.md"
PRINTED = components.default_facts()


def test_every_component_is_described():
    wanted = {
        *(f"card:{card}" for card in components.CARDS),
        *(f"order:{order.name}" for order in PRINTED.orders),
        *(f"place:{site.name}" for site in PRINTED.sites),
        *(f"color:{color}" for color in PRINTED.colors),
        *(f"hero:{hero}" for hero in PRINTED.heroes),
        *(f"space:{space}" for space in ("sea", "anchor", "styx", "athens", "center")),
    }
    kinds = {key.partition(":")[0] for key in wanted}
    assert {key for key in descriptions("deukalion") if key.partition(":")[0] in kinds} == wanted


def test_every_ruling_is_described():
    found = [entry.name for entry in descriptions("deukalion").values() if entry.kind == "ruling"]
    assert found == [f"D{number}" for number in range(1, 36)]
    cited = set(re.findall(r"\bD\d+\b", RULES.read_text(encoding="utf-8")))
    assert cited <= set(found)


def test_descriptions_agree_with_the_data():
    for language in LANGUAGES:
        entries = descriptions("deukalion", language)
        for order in PRINTED.orders:
            text = entries[f"order:{order.name}"].text
            assert re.match(rf"{order.points}\b", text)
            for task in order.tasks:
                assert not task.city or entries[f"place:{task.city}"].title in text
                assert not task.number or re.search(rf"\b{task.number}\b", text)
        for city in PRINTED.cities:
            text = entries[f"place:{city.name}"].text
            assert re.search(rf"\b{city.slots}\b", text)
            assert re.search(rf"\b{city.value}\b", text)
        for settlement in PRINTED.settlements:
            text = entries[f"place:{settlement.name}"].text
            assert re.search(rf"\b{settlement.fighters}\b", text)
            assert re.search(rf"\b{settlement.value}\b", text)
        for target in PRINTED.target.values():
            assert re.search(rf"\b{target}\b", entries["term:points"].text)
        assert str(PRINTED.hydra_value) in entries["term:hydra"].text
