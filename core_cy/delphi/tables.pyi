from typing import Any

from pythia.core_cy.delphi.board import Board

def tables_as_dict(board: Board, players: int) -> dict[str, Any]:
    """For tests: the tables of a board as plain lists and numbers, by the names of `tables.pxd`."""
