from typing import Any

def move_parts(text: str) -> dict[str, Any]:
    """The parts of the move with this text by name, whether or not it is legal anywhere; for tests."""
