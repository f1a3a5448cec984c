"""What things are worth, by intervention: `python -m tools.calibration.prices delphi --positions 300`.

In positions from games of a bot against itself, one thing is changed for the seat to act: six favor more, a god on top,
an injury. How often it then wins more, by playouts to the end with the same luck, is the price that the game has; how
the judgement changes is the price that it takes. Where they differ, the judgement is wrong. Positions go to a file one
by one, from which the same command goes on.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from pythia.core_cy.delphi.components import GODS, TOP_ROW
from pythia.core_cy.errors import BadPosition
from pythia.core_cy.game import State, View
from pythia.core_cy.registry import state_from_json
from pythia.core_cy.seeds import seed_of
from pythia.search.playout import play_on
from tools.calibration.truth import decisions

# Positions from each game; to play it takes longer than to find the prices of one.
PER_GAME = 6

# Changes a position, as JSON, for a seat; False where it cannot be made.
Change = Callable[[dict[str, Any], int], bool]


def more_favor(obj: dict[str, Any], seat: int) -> bool:
    obj["players"][seat]["favor"] += 6
    return True


def god_on_top(god: str) -> Change:
    def change(obj: dict[str, Any], seat: int) -> bool:
        gods = obj["players"][seat]["gods"]
        if gods[god] == TOP_ROW:
            return False
        gods[god] = TOP_ROW
        return True

    return change


def from_pile(pile: str, hand: str) -> Change:
    """The first card of a pile, in which those of all colors come in a fixed order: taken by the round."""

    def change(obj: dict[str, Any], seat: int) -> bool:
        if not obj[pile]:
            return False
        card = obj[pile].pop(7 * obj["round"] % len(obj[pile]))
        obj["players"][seat][hand].append(card)
        return True

    return change


def points(obj: dict[str, Any], seat: int) -> bool:
    obj["players"][seat]["score"] += 3
    return True


def wish_stone(obj: dict[str, Any], seat: int) -> bool:
    for place in obj["wish_stones"]:
        if place["stones"]:
            place["stones"] -= 1
            obj["players"][seat]["wish_stones"] += 1
            return True
    return False


def mirror(obj: dict[str, Any], seat: int) -> bool:
    for tile in obj["path"]:
        if tile["tile"] == "mirror" and not tile["taken"]:
            tile["taken"] = True
            obj["players"][seat]["mirrors"] += 1
            return True
    return False


PRICES: dict[str, dict[str, Change]] = {
    "delphi": {
        "favor +6": more_favor,
        **{f"{god} on top": god_on_top(god) for god in GODS},
        "an injury": from_pile("injury_pile", "injuries"),
        "an oracle card": from_pile("oracle_pile", "oracle_cards"),
    },
    "keltis": {"3 points": points, "a wish stone": wish_stone, "a mirror": mirror},
}


def changed(state: State, change: Change, seat: int) -> State | None:
    """The position with a change, or None where it cannot be."""
    obj = state.to_json()
    if not change(obj, seat):
        return None
    try:
        return state_from_json(obj)
    except BadPosition:
        return None


def share_won(state: State, seat: int, seed: int, playouts: int) -> float:
    """By playouts to the end; those of two positions with one seed meet the same luck."""
    won = []
    for number in range(playouts):
        luck = seed_of(seed, number)
        # What is hidden from the seat is drawn anew, so that no playout knows it.
        played = state.imagined(seat, luck)
        play_on(played, luck)
        won.append(played.returns()[seat])
    return fmean(won)


def prices_of(game: str, view: View, seed: int, playouts: int) -> dict[str, list[float]]:
    """By change: how much more often the seat wins, and how the judgement changes."""
    state, seat = view.imagined(seed), view.seat
    won, judged = share_won(state, seat, seed, playouts), state.evaluate()[seat]
    found = {}
    for name, change in PRICES[game].items():
        other = changed(state, change, seat)
        if other is not None:
            found[name] = [
                share_won(other, seat, seed, playouts) - won,
                other.evaluate()[seat] - judged,
            ]
    return found


def measured(
    game: str, players: int, positions: int, playouts: int, seed: int, path: Path
) -> Iterator[dict[str, list[float]]]:
    """The prices of every position: those of the file, and those that it lacks, which go to it."""
    about = {"game": game, "players": players, "playouts": playouts, "seed": seed}
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True) if path.exists() else []
    whole = [line for line in lines if line.endswith("\n")]
    if whole and json.loads(whole[0]) != about:
        sys.exit(f"file: {path} was begun with {whole[0].strip()}; give the same or another file")
    # A line that was cut off is measured again.
    path.write_text("".join(whole) or json.dumps(about) + "\n", encoding="utf-8")
    kept = [json.loads(line) for line in whole[1:]]
    yield from kept[:positions]
    with path.open("a", encoding="utf-8") as file:
        views: list[View] = []
        for number in range(len(kept), positions):
            whole_game, place = divmod(number, PER_GAME)
            own = seed_of(seed, "prices", whole_game)
            if not views or place == 0:
                views = decisions(game, players, own)
            # One from each part of the game.
            view = views[(2 * place + 1) * len(views) // (2 * PER_GAME)]
            prices = prices_of(game, view, seed_of(own, place), playouts)
            file.write(json.dumps(prices) + "\n")
            file.flush()
            yield prices


def spread(values: Sequence[float]) -> str:
    error = 1.96 * stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.nan
    return f"{fmean(values):+.3f} ±{error:.3f}"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tools.calibration.prices", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("game", choices=sorted(PRICES))
    parser.add_argument("--positions", type=int, default=300)
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--playouts", type=int, default=64, help="from each position, and after each change")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--file", type=Path, help="where positions are kept; prices-GAME-PLAYERS-SEED.jsonl")
    given = parser.parse_args(arguments)
    path = given.file or Path(f"prices-{given.game}-{given.players}-{given.seed}.jsonl")
    rows = list(measured(given.game, given.players, given.positions, given.playouts, given.seed, path))
    print("| change | positions | playouts | judgement |\n| --- | --- | --- | --- |")
    for name in PRICES[given.game]:
        pairs = [row[name] for row in rows if name in row]
        if pairs:
            won, judged = zip(*pairs, strict=True)
            print(f"| {name} | {len(pairs)} | {spread(won)} | {spread(judged)} |")


if __name__ == "__main__":
    main()
