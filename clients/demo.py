"""A game between bots that move at random, told line by line."""

from collections.abc import Iterator

from pythia.core_cy import CHANCE, Random, load_game


def random_game(name: str, players: int, seed: int, turns: int) -> Iterator[str]:
    """Play a whole game and yield its story: the first `turns` turns, the final board, the result.

    The same arguments tell the same story.
    """
    state = load_game(name, players=players, seed=seed).new_state()
    rng = Random(seed)
    yield f"{name}, {players} players, seed {seed}: random bots play"
    told, last = 0, None
    while not state.is_over:
        turn, actor = state.turn_number, state.to_act
        moves = []
        while not state.is_over and (state.turn_number, state.to_act) == (turn, actor):
            move = state.sample_chance(rng) if actor == CHANCE else rng.choice(state.legal_moves())
            state.apply(move)
            moves.append(str(move))
        told += turn != last
        if told <= turns:
            number = "" if turn == last else told
            who = "chance" if actor == CHANCE else f"seat {actor}"
            yield f"{number:>4}  {who}  {'; '.join(moves)}"
        last = turn
    if told > turns:
        yield f"  ..  and so on, {told} turns in all"
    yield ""
    yield str(state).rstrip("\n")
    yield ""
    for seat, (rank, value) in enumerate(zip(state.ranks(), state.returns(), strict=True)):
        yield f"seat {seat}: rank {rank}, return {value:g}"
