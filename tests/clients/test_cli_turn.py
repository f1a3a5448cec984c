"""`pythia turn`: a bot's turn with dice from a seed, from a file of answers and from a person at a terminal."""

import json
import re

import pytest

from pythia.clients.cli.turn import Asker, described, differing
from pythia.core_cy import list_games, state_from_json, state_from_observation
from tests.clients.command import pythia, worked
from tests.clients.serving import served
from tests.clients.terminals import Terminal

QUICK = ("--iterations", 30)
each_game = pytest.mark.parametrize("game", list_games())


def position(game="delphi", moves=18, seat=None):
    looking = () if seat is None else ("--seat", seat)
    return worked("new", "--game", game, "--seed", 7, "--moves", moves, *looking)


def replayed(state, events):
    for event in events:
        assert event["by"] == state.to_act
        state.apply(event["move"])
    return state


@each_game
def test_a_drawn_turn(game):
    full = position(game)
    before = state_from_json(json.loads(full))
    told = json.loads(worked("turn", "-", "--draw", *QUICK, "--json", stdin=full))
    after = replayed(before.clone(), told["events"])
    assert (told["seat"], told["over"]) == (before.to_act, True)
    assert after.turn_number != before.turn_number
    assert told["position"] == after.to_json()
    for event in told["events"]:
        assert ("win_probability" in event) == (event["by"] == told["seat"])
    again = json.loads(worked("turn", "-", "--draw", *QUICK, "--json", stdin=full))
    assert again == told


@each_game
def test_a_drawn_turn_of_which_only_a_view_is_known(game):
    """What is hidden is made up, so what comes out is again only a view."""
    state = state_from_json(json.loads(position(game)))
    seen = state.observation(state.to_act)
    told = json.loads(worked("turn", "-", "--draw", *QUICK, "--json", stdin=json.dumps(seen)))
    assert told["over"]
    assert told["position"]["observer"] == told["seat"] == state.to_act
    state_from_observation(told["position"], 0)


def test_the_same_turn_from_answers_and_from_a_server(tmp_path):
    """Chance as it was drawn before, told line by line: the bot plays the same, and the view after it is right."""
    full = position()
    told = json.loads(worked("turn", "-", "--draw", *QUICK, "--json", stdin=full))
    state = state_from_json(json.loads(full))
    seen, answers, after = tmp_path / "seen.json", tmp_path / "answers.txt", tmp_path / "after.json"
    seen.write_text(json.dumps(state.observation(told["seat"])))
    lines = [event["move"] for event in told["events"] if event["by"] != told["seat"]]
    assert lines
    answers.write_text("\n".join(lines))
    arguments = ("turn", seen, "--answers", answers, *QUICK)
    with served() as server:
        shown = worked(*arguments, "--out", after, "--server", server.address)
    final = replayed(state, told["events"])
    assert json.loads(after.read_text()) == final.observation(told["seat"])
    assert re.findall(r"^(?:seat \d|chance) +(.+?)(?:   [\d.]+ %)?$", shown, re.MULTILINE) == [
        event["move"] for event in told["events"]
    ]
    assert shown.endswith("the turn is over\n")
    # One line is missing, or one is wrong.
    answers.write_text("\n".join(lines[:-1]))
    ran = pythia(*arguments, "--json")
    assert (ran.code, ran.err.startswith("pythia: answers: the file has no more lines; needed: ")) == (
        1,
        True,
    )
    told_so_far = json.loads(ran.out)
    assert not told_so_far["over"]
    assert told_so_far["events"] == told["events"][: len(told_so_far["events"])]
    answers.write_text("jump\n")
    ran = pythia(*arguments)
    assert (ran.code, ran.err.startswith("pythia: answers: 'jump'")) == (1, True)


def test_nobody_is_there_to_ask():
    ran = pythia("turn", "-", *QUICK, stdin=position())
    assert ran.code == 6
    assert (
        ran.err == "pythia: terminal: there is no terminal to ask: what do the dice or cards show; "
        "give --draw, or --answers FILE\n"
    )


class Teller(Asker):
    """Answers as one who sees the position after the move."""

    def __init__(self, view):
        super().__init__(None)
        self.view_after = view
        self.asked = []

    def _answer(self, question, allowed):
        part = question.partition("move show: ")[2]
        self.asked.append(part)
        for way, values in differing([self.view_after, *self.others]).items():
            if described(way, self.view_after) == part:
                return str(values[0])
        raise AssertionError(question)


def test_what_a_move_shows_is_asked_part_by_part():
    """Two tiles are looked at: their colors and letters are asked for, and nothing else."""
    state = state_from_json(json.loads(position(moves=1)))
    seen = state.observation(0)
    move = next(str(move) for move in state.legal_moves() if " look " in str(move))
    truth = state.clone()
    truth.apply(move)
    teller = Teller(truth.observation(0))
    teller.others = []
    for seed in range(30):
        other = state_from_observation(seen, seed)
        other.apply(move)
        teller.others.append(other.observation(0))
    assert teller.view(seen, move) == truth.observation(0)
    assert len(teller.asked) == 4
    assert all(re.search(r"\.(color|letter) \(q -?\d+, r -?\d+\)$", part) for part in teller.asked)


QUESTION = r"^what .+ \((?:such as )?([^()]*)\): $"


def test_a_person_is_asked_until_the_answer_can_be_read(monkeypatch):
    asked = []

    def answer(question):
        asked.append(question)
        return "jump" if len(asked) == 1 else re.split("[,;]", re.search(QUESTION, question)[1])[0]

    monkeypatch.setattr("builtins.input", answer)
    ran = pythia("turn", "-", *QUICK, stdin=position(seat=0), terminal=True)
    assert (ran.code, ran.err) == (0, "")
    assert "  'jump': " in ran.out
    assert asked[0] == asked[1], "asked again"
    told = re.findall(r"^chance  (.+)$", ran.out, re.MULTILINE)
    assert (
        len(told) == sum(question.startswith("what do the dice or cards show") for question in asked[1:]) > 0
    )
    assert re.search(r"^seat 0  .+ %$", ran.out, re.MULTILINE)
    assert ran.out.endswith("the turn is over\n")


def test_ctrl_c_ends_a_turn_with_what_is_played(tmp_path):
    file, after = tmp_path / "seen.json", tmp_path / "after.json"
    file.write_text(position(seat=0))
    with Terminal("turn", file, *QUICK, "--out", after) as screen:
        shown = screen.until(QUESTION)
        screen.interrupt()
        code, rest = screen.ends()
        assert (code, rest.endswith("pythia: interrupted\n")) == (130, True)
    state = state_from_observation(json.loads(file.read_text()), 0)
    for move in re.findall(r"^seat 0  (.+?)   [\d.]+ %$", shown, re.MULTILINE):
        state.apply(move)
    assert json.loads(after.read_text()) == state.observation(0)
