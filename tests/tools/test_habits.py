"""What bots spend their dice on, by command."""

import sys

from pythia.search.bots import BotSpec
from tools.strength import habits


def test_dice_are_counted_by_what_they_do():
    dice, favor, cards, rounds = habits.play(BotSpec.parse("prior"), 2, seed=3)
    assert sum(dice.values()) > 3 * rounds
    assert dice["sail"] > dice["advance"]
    assert set(dice) <= {
        "sail", "fight", "explore", "build", "load", "deliver", "raise", "heal", "advance", "bundle", "draw",
        "favor", "look",
    }  # fmt: skip
    assert favor >= 0
    assert cards >= 0


def test_the_command(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["habits", "prior", "--games", "2"])
    habits.main()
    told = capsys.readouterr().out
    assert "prior: 2 games" in told
    assert "draw, favor, heal and look together" in told
