"""What the seed decides before the ships are placed (D2): treasures, hands, orders."""

from __future__ import annotations

from dataclasses import dataclass

from pythia.core_cy.deukalion.components import Facts
from pythia.core_cy.streams import stream


@dataclass(frozen=True)
class Dealt:
    """Colors, cards and orders by number, in the order of the data."""

    cities: tuple[tuple[int, ...], ...]
    hands: tuple[tuple[int, ...], ...]
    pile: tuple[int, ...]
    orders: tuple[int, ...]  # one for each hand
    open_orders: tuple[int, ...]


def deal(facts: Facts, players: int, seed: int) -> Dealt:
    slots = [place for place, city in enumerate(facts.cities) for _ in range(city.slots)]
    stream(seed, "treasures").shuffle(slots)
    treasures = [color for color in range(len(facts.colors)) for _ in range(facts.treasures_per_color)]
    lying = list(zip(slots, treasures, strict=False))
    cards = [card for card, copies in enumerate(facts.copies) for _ in range(copies)]
    stream(seed, "cards").shuffle(cards)
    orders = list(range(len(facts.orders)))
    stream(seed, "orders").shuffle(orders)
    hand = facts.first_hand
    return Dealt(
        cities=tuple(
            tuple(color for there, color in lying if there == place) for place in range(len(facts.cities))
        ),
        hands=tuple(tuple(cards[seat * hand : (seat + 1) * hand]) for seat in range(players)),
        pile=tuple(cards[players * hand :]),
        orders=tuple(orders[:players]),
        open_orders=tuple(orders[players : players + facts.open_orders]),
    )
