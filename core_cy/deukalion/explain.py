"""Why a move is not legal."""
def why_illegal(facts, position, move):
    return "not among the legal moves"
