"""Everything that the box of The Oracle of Delphi holds, and every ruling, is described."""

import re
from pathlib import Path

import pytest

from pythia.core_cy.delphi import components
from pythia.core_cy.descriptions import LANGUAGES, descriptions

RULES = Path(__file__).parents[2] / "docs" / "rules.md"


def test_every_component_is_described():
    companions = (*components.HEROES, *components.DEMIGODS, *components.CREATURES)
    wanted = {
        *(f"card:{card}" for card in (*components.EQUIPMENT_IDS, "oracle", "injury")),
        *(f"ship:{ship}" for ship in components.SHIP_TILE_IDS),
        *(f"god:{god}" for god in components.GODS),
        *(f"monster:{monster}" for monster in components.MONSTERS),
        *(f"companion:{kind}" for kind in components.COMPANION_KINDS),
        *(f"companion:{name.lower()}" for name in companions),
        *(f"tile:{task}" for task in components.REMOVAL_ORDER),
        *(f"tile:{letter}" for letter in components.LETTERS),
        *(f"space:{kind}" for kind in (*components.HEX_KINDS, components.SHALLOW)),
        *(f"color:{color}" for color in components.COLORS),
        *(f"source:{source}" for source in ("die", "card", "extra", "god")),
    }
    found = {key for key in descriptions("delphi") if key.partition(":")[0] in KINDS}
    assert found == wanted


KINDS = ("card", "ship", "god", "monster", "companion", "tile", "space", "color", "source")


def test_every_ruling_is_described():
    rulings = re.findall(r"^\*\*(R\d+) ", RULES.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(rulings) == 39
    found = [entry.name for entry in descriptions("delphi").values() if entry.kind == "ruling"]
    assert found == rulings


COLOR_WORDS = {
    "en": {color: color for color in components.COLORS},
    "de": {
        "red": "rot",
        "black": "schwarz",
        "pink": "rosa",
        "blue": "blau",
        "yellow": "gelb",
        "green": "grün",
    },
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_descriptions_agree_with_the_components(language):
    """Colors and numbers that the components know, in the words of the language."""
    entries = descriptions("delphi", language)
    words = COLOR_WORDS[language]

    def names(key, color):
        return words[color] in f"{entries[key].title} {entries[key].text}".casefold()

    for number, color in enumerate(components.COLORS):
        for key in (
            f"god:{components.GODS[number]}",
            f"monster:{components.MONSTERS[number]}",
            f"companion:{components.HEROES[number].lower()}",
            f"companion:{components.DEMIGODS[number].lower()}",
            f"companion:{components.CREATURES[number].lower()}",
        ):
            assert [other for other in components.COLORS if names(key, other)] == [color], key
        assert components.GODS[number].capitalize() in entries[f"color:{color}"].text
    for card in components.EQUIPMENT:
        for color in card.colors:
            assert names(f"card:{card.id}", color)
        for god in card.gods:
            assert god.capitalize() in entries[f"card:{card.id}"].text
    for ship in components.SHIP_TILES:
        assert re.search(rf"\b{ship.storage}\b", entries[f"ship:{ship.id}"].text)
