"""Positions for scenarios: say what matters, the rest is filled in so that everything adds up."""

from pythia.core_cy import load_game, state_from_json
from pythia.core_cy.offrandes.components import ANIMALS, CITIES
from tests.positions import play


def position(
    phase, to_act, *, players=4, ladders=None, drachmas=None, scores=None, altars=None, pending=None, **fields
):
    """The JSON of a position: `ladders` by city, `drachmas` and `scores` by seat, altars as {"ares": "2 ox sparta"}.

    Scores that are not given are what the offerings on the altars brought.
    """
    obj = load_game("offrandes", players=players, seed=1).new_state().to_json()
    obj.update({"round": 2, "first": 0, "turn": max(to_act, 0), "to_act": to_act, "phase": phase})
    for city, levels in (ladders or {}).items():
        obj["players"][CITIES.index(city)]["ladders"].update(levels)
    for altar, lying in (altars or {}).items():
        number, animal, city = lying.split()
        lay(obj, altar, int(number), animal, city)
    for seat, held in (drachmas or {}).items():
        obj["players"][seat]["drachmas"] = held
    for seat, score in (scores or {}).items():
        obj["players"][seat]["score"] = score
    kinds = {"auction": {"sold": [], "buyers": []}, "bribe": {"bribed": []}}
    kinds["open"] = kinds["auction"] | {"pair": ["farmer", "carrier"]}
    kinds["bid"] = kinds["open"] | {"high": 1, "leader": 0, "bidders": list(range(players))}
    if phase in kinds:
        obj["pending"] = {"kind": phase, "seat": to_act} | kinds[phase] | (pending or {})
    elif phase == "over":
        obj["pending"] = {"kind": "over"} | (pending or {})
    return obj | fields


def lay(obj, altar, number, animal, city):
    entry = next(entry for entry in obj["altars"] if entry["altar"] == altar)
    entry.update({"city": city, "number": number, "animal": animal})
    obj["supply"][animal] -= number
    obj["players"][CITIES.index(city)]["score"] += number * (ANIMALS.index(animal) + 1)


def state(phase, to_act, **more):
    return state_from_json(position(phase, to_act, **more))


def levels(state, seat):
    return state.to_json()["players"][seat]["ladders"]


def purses(state):
    return [player["drachmas"] for player in state.to_json()["players"]]


def scores(state):
    return [player["score"] for player in state.to_json()["players"]]


# The rulebook's example: what four cities begin with, and Sparta's auction turn.
SET_UP = (
    "first sparta",
    "recruit farmer carrier guard",  # Thebes
    "recruit carrier florist guard",  # Athens
    "recruit servant priestess seducer",  # Corinth
    "recruit farmer florist servant",  # Sparta
)
AUCTION_TURN = (
    *("auction servant guard", "bid 3", "pass", "pass", "bid 4", "pass"),
    *("auction farmer carrier", "bid 2", "pass", "pass"),
)


def example(*moves):
    """The rulebook's game after its set-up and some moves."""
    return play(load_game("offrandes", players=4, seed=1).new_state(), *SET_UP, *moves)
