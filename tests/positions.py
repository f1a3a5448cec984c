"""What the tests of several games do with positions."""

import copy


def changed(obj, *path, value):
    """A copy with one part changed; `...` takes it away."""
    obj = copy.deepcopy(obj)
    *way, last = path
    part = obj
    for step in way:
        part = part[step]
    if value is ...:
        del part[last]
    else:
        part[last] = value
    return obj


def play(state, *moves):
    """The state after some moves, given by their texts; the state itself stays."""
    state = state.clone()
    for move in moves:
        state.apply(move)
    return state


def texts(state):
    return [str(move) for move in state.legal_moves()]
