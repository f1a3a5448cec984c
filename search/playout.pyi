from pythia.core_cy.game import Game, State

def play_on(
    state: State,
    luck: int,
    last_turn: int = ...,
    power: float = ...,
    wander_until: int = ...,
    moves_at_most: int = ...,
) -> None: ...
def judge_with(state: State, games: list[Game]) -> list[list[float]]: ...
