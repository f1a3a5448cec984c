"""What the hidden tiles are worth: a bot against the same bot that is shown them all.

    python -m tools.strength.seer "ismcts:iterations=500" --blocks 40 --processes 2

The seer is no part of the package: it is handed the true state, which no bot there ever is.
"""

import argparse
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from statistics import fmean

from pythia.arena.luck import Luck
from pythia.arena.stats import mean_interval, share_estimate
from pythia.core_cy import CHANCE, State, load_game, state_from_json
from pythia.core_cy.seeds import seed_of
from pythia.search.bots import BotSpec

GAME = "delphi"


def shown_all(state: State, seat: int) -> State:
    """The same position, with this seat knowing every face-down tile."""
    obj = state.to_json()
    hidden = [tile for tile in obj["island_tiles"] if not tile.get("face_up")]
    obj["players"][seat]["knows"] = [
        {key: tile[key] for key in ("q", "r", "color", "letter")} for tile in hidden
    ]
    return state_from_json(obj)


def play(spec: str, seed: int, seer: int, players: int) -> tuple[float, int]:
    """The seer's return and the rounds of one game."""
    state = load_game(GAME, players=players, seed=seed_of(seed, "start")).new_state()
    luck = Luck(seed_of(seed, "luck"))
    bots = [BotSpec.parse(spec).make(seed_of(seed, "bot", seat)) for seat in range(players)]
    while not state.is_over:
        seat = state.to_act
        if seat == CHANCE:
            state.apply(luck.draw(state))
            continue
        sees = shown_all(state, seat) if seat == seer else state
        state.apply(bots[seat].choose(sees.observation(seat)).move)
    return state.returns()[seer], state.to_json()["round"]


def play_block(spec: str, players: int, seed: int) -> tuple[float, float]:
    """The means over a block: one start and luck, the seer in each seat."""
    games = [play(spec, seed, seer, players) for seer in range(players)]
    return fmean(value for value, _ in games), fmean(rounds for _, rounds in games)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tools.strength.seer", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("bot")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--blocks", type=int, default=20)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    seeds = [seed_of(given.seed, "block", number) for number in range(given.blocks)]
    with ProcessPoolExecutor(given.processes, mp_context=get_context("spawn")) as pool:
        blocks = list(pool.map(partial(play_block, given.bot, given.players), seeds))
    rate = share_estimate([value for value, _ in blocks])
    rounds = mean_interval([length for _, length in blocks])
    print(
        f"{given.bot} that sees all against the same that does not, {given.players} players, "
        f"{given.blocks * given.players} games: {100 * rate.mean:.1f} % "
        f"({100 * rate.low:.1f} to {100 * rate.high:.1f}), rounds {rounds.mean:.2f}"
    )


if __name__ == "__main__":
    main()
