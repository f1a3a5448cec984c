"""What the seed decides before the first turn: the path tiles, the hands, and the cards that leave the game."""

from __future__ import annotations

from dataclasses import dataclass

from pythia.core_cy.keltis import components
from pythia.core_cy.streams import stream

# A card as numbers: its color's place in COLORS, and what it shows.
Card = tuple[int, int]


@dataclass(frozen=True)
class Cards:
    """All cards, dealt (K1)."""

    hands: tuple[tuple[Card, ...], ...]
    removed: tuple[Card, ...]
    pile: tuple[Card, ...]


def deal_path(seed: int) -> dict[int, int]:
    """Which of the path tiles lies on each small stone (K5), as places in TILES."""
    tiles = list(range(len(components.TILES)))
    stream(seed, "path").shuffle(tiles)
    return dict(zip(components.SMALL_STONES, tiles, strict=True))


def deal_cards(seed: int, players: int) -> Cards:
    cards = [
        (color, number)
        for color in range(len(components.COLORS))
        for number in components.NUMBERS
        for _ in range(components.COPIES)
    ]
    stream(seed, "cards").shuffle(cards)
    dealt = players * components.HAND
    removed = components.removed_cards(players)
    return Cards(
        hands=tuple(tuple(cards[i : i + components.HAND]) for i in range(0, dealt, components.HAND)),
        removed=tuple(cards[dealt : dealt + removed]),
        pile=tuple(cards[dealt + removed :]),
    )
