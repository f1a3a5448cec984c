"""Deukalion played in a terminal by a person against a bot."""

from tests.clients.terminals import Terminal
from tests.clients.test_play import PROMPT, QUICK


def test_two_rounds_in_a_terminal(tmp_path):
    arguments = ("play", "--game", "deukalion", "--players", "3", "--seed", "7", *QUICK)
    with Terminal(*arguments, cwd=tmp_path) as screen:
        shown = screen.until(PROMPT)
        assert "deukalion: you are seat 0" in shown
        assert "anchor 3,0" in shown
        shown = screen.answer("anchor 3,0")
        while "round 3" not in shown:
            shown = screen.answer("1")
        # Hands of the others are not on the screen.
        assert "seat 1 perseus" in screen.text
        assert screen.text.count("hand: 3 cards\r\n") > 0 or screen.text.count("hand: 3 cards\n") > 0
        screen.interrupt()
        assert screen.ends()[0] == 130
