"""A game between bots that move at random, told line by line."""

from collections.abc import Iterator

from pythia.core_cy import CHANCE, Random, load_game


def random_game(name: str, players: int, seed: int, turns: int | None = None) -> Iterator[str]:
    """Play a whole game and yield its story: a line per turn (the first `turns` of them), the final board, the result.

    The same arguments tell the same story.
    """
    game = load_game(name, players=players, seed=seed)
    state = game.new_state()
    rng = Random(seed)
    yield f"{name}, {players} players, seed {seed}: random bots play"
    told = 0
    while not state.is_over:
        turn, actor = state.turn_number, state.to_act
        moves = []
        while not state.is_over and (state.turn_number, state.to_act) == (turn, actor):
            move = state.sample_chance(rng) if actor == CHANCE else rng.choice(state.legal_moves())
            state.apply(move)
            moves.append(str(move))
        told += 1
        if turns is None or told <= turns:
            yield f"{told:4}  {'chance' if actor == CHANCE else f'seat {actor}'}  {'; '.join(moves)}"
        elif told == turns + 1:
            yield "  ..  and so on to the end"
    yield ""
    yield str(state)
    yield ""
    for seat, (rank, value) in enumerate(zip(state.ranks(), state.returns(), strict=True)):
        yield f"seat {seat}: rank {rank}, return {value:g}"
