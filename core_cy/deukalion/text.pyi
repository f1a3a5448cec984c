from typing import Any

from pythia.core_cy.deukalion.components import Facts

def move_parts(facts: Facts, text: str) -> dict[str, Any]:
    """The parts of the move with this text by name, whether or not it is legal anywhere; for tests."""
