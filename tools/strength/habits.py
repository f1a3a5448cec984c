"""What a Delphi bot spends its dice on, and what its winners have left over.

python -m tools.strength.habits ismcts:iterations=100 --games 40
"""

import argparse
from collections import Counter
from statistics import fmean

from pythia.arena.luck import Luck
from pythia.core_cy import CHANCE, View, load_game
from pythia.core_cy.seeds import seed_of
from pythia.search.bots import BotSpec

# Dice that further no task.
ASIDE = ("draw", "favor", "heal", "look")


def play(bot: BotSpec, players: int, seed: int) -> tuple[Counter[str], int, int, int]:
    """The actions of all dice, and of the winner the favor and oracle cards left; the rounds."""
    state = load_game("delphi", players=players, seed=seed_of(seed, "start")).new_state()
    luck = Luck(seed_of(seed, "luck"))
    seats = [bot.make(seed_of(seed, seat)) for seat in range(players)]
    dice: Counter[str] = Counter()
    while not state.is_over:
        if state.to_act == CHANCE:
            state.apply(luck.draw(state))
            continue
        move = seats[state.to_act].choose(View.of(state, state.to_act)).move
        source, _, action = move.partition(" ")
        if source.startswith("die:"):
            dice[action.split()[0]] += 1
        state.apply(move)
    obj = state.to_json()
    winner = obj["players"][state.returns().index(max(state.returns()))]
    return dice, winner["favor"], len(winner["oracle_cards"]), obj["round"]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.strength.habits", description=__doc__)
    parser.add_argument("bot")
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    bot = BotSpec.parse(given.bot)
    games = [play(bot, given.players, seed_of(given.seed, "habits", number)) for number in range(given.games)]
    total: Counter[str] = Counter()
    for dice, *_ in games:
        total += dice
    used = sum(total.values())
    print(f"{bot}: {given.games} games, {fmean(game[3] for game in games):.1f} rounds")
    print("dice: " + ", ".join(f"{name} {100 * count / used:.1f} %" for name, count in total.most_common()))
    print(f"draw, favor, heal and look together: {100 * sum(total[name] for name in ASIDE) / used:.1f} %")
    print(
        f"left with the winner: {fmean(game[1] for game in games):.1f} favor, "
        f"{fmean(game[2] for game in games):.1f} oracle cards"
    )


if __name__ == "__main__":
    main()
