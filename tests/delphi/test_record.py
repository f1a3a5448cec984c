"""Records: written, read, replayed, and a line number for everything that is wrong with one."""

import io
import json
import pickle

import pytest

from pythia.core_cy import Random, load_game
from pythia.core_cy.record import (
    BadRecord,
    Record,
    RecordEntry,
    header_of,
    record_game,
    result_of,
    write_record,
)


def random_record(game="delphi", seed=3, **options):
    luck = Random(seed)
    state = load_game(game, seed=seed, **options).new_state()
    return record_game(state, lambda state: state.random_move(luck), rng=seed, players=["Ada", "Bo"])


RECORD = random_record(players=2, removed_tasks=4)


def lines_of(record):
    out = io.StringIO()
    record.write(out)
    return out.getvalue().splitlines(keepends=True)


LINES = lines_of(RECORD)


def test_a_record_is_the_header_the_moves_and_the_result():
    objects = [json.loads(line) for line in LINES]
    assert list(objects[0]) == ["game", "format", "options", "seed", "start", "players"]
    assert objects[0]["players"] == [{"name": "Ada"}, {"name": "Bo"}]
    assert all(list(entry) == ["by", "move"] for entry in objects[1:-1])
    assert sorted(objects[-1]["result"]) == ["reason", "returns", "winners"]
    assert objects[1]["by"] == -1
    assert objects[1]["move"].startswith("roll ")


def test_a_record_comes_back_from_a_file_and_from_lines(tmp_path):
    RECORD.write(tmp_path / "game.jsonl")
    assert Record.read(tmp_path / "game.jsonl") == RECORD
    assert Record.read(str(tmp_path / "game.jsonl")) == RECORD
    assert Record.read(LINES) == RECORD
    assert isinstance(Record.read(LINES).moves[0], RecordEntry)


def test_replaying_gives_every_state_again():
    state = load_game("delphi", players=2, seed=3, removed_tasks=4).new_state()
    states = list(RECORD.replay())
    assert len(states) == len(RECORD.moves) + 1
    for again, (by, move) in zip(states, RECORD.moves, strict=False):
        assert again.position_hash() == state.position_hash()
        assert state.to_act == by
        state.apply(move)
    assert states[-1].is_over
    assert result_of(states[-1]) == RECORD.result


def test_a_random_game_for_four_replays():
    record = random_record(players=4, ship_tiles="draft", seed=11, removed_tasks=4)
    *_, last = Record.read(lines_of(record)).replay()
    assert last.is_over


def test_every_game_has_records():
    record = random_record("kuhn", seed=1)
    assert len(list(record.replay())) == len(record.moves) + 1


def test_the_start_alone_is_enough_for_a_header():
    lean = [json.dumps({"start": RECORD.header["start"]}) + "\n", *LINES[1:]]
    assert len(list(Record.read(lean).replay())) == len(RECORD.moves) + 1


@pytest.mark.parametrize(
    ("players", "names"),
    [
        (None, ["seat 0", "seat 1"]),
        (7, ["seat 0", "seat 1"]),
        ([{"name": "Ada"}], ["Ada", "seat 1"]),
        ([{"name": "a\nb"}, {"name": "Bo"}, {"name": "Cy"}], ["seat 0", "Bo"]),
        (["Ada", {"name": 7}], ["seat 0", "seat 1"]),
    ],
)
def test_names_are_those_that_can_be_shown(players, names):
    assert Record({**RECORD.header, "players": players}, [], {}).names(2) == names


def test_a_game_can_be_recorded_from_any_state():
    *_, middle = (state for state, _ in zip(RECORD.replay(), range(40), strict=False))
    before = middle.position_hash()
    record = record_game(middle, lambda state: state.legal_moves()[0], rng=Random(5))
    assert middle.position_hash() == before
    assert record.header["start"] == middle.to_json()
    assert [player["name"] for player in record.header["players"]] == ["seat 0", "seat 1"]
    *_, last = record.replay()
    assert last.is_over


def test_a_draw_by_length_has_no_winners():
    """R29."""
    state = load_game("delphi", players=3, seed=1).new_state()
    record = record_game(state, idle, rng=2)
    assert record.result == {"winners": [], "returns": [1 / 3] * 3, "reason": "length"}
    *_, last = Record.read(lines_of(record)).replay()
    assert last.to_json()["round"] == 100


def idle(state):
    """Takes favor, so that no task is ever done."""
    texts = [str(move) for move in state.legal_moves()]
    return next((text for text in texts if text.endswith(" favor")), texts[-1])


def changed(number, **fields):
    """The lines with one object changed; numbers count from 1, and from the end below 0."""
    lines = list(LINES)
    index = number - 1 if number > 0 else number
    lines[index] = json.dumps({**json.loads(lines[index]), **fields}) + "\n"
    return lines


@pytest.mark.parametrize(
    ("lines", "line", "reason"),
    [
        ([], 0, "the record is empty"),
        (LINES[:-1], len(LINES) - 1, "the record ends without a result"),
        (LINES[:1], 1, "the record ends without a result"),
        ([*LINES[:-1], LINES[-1][:20]], len(LINES), "the line is truncated or not JSON"),
        ([*LINES[:4], "\n", *LINES[4:]], 5, "the line is empty"),
        ([*LINES[:4], "[1]\n", *LINES[4:]], 5, "a list is not allowed; allowed: an object"),
        ([*LINES[:4], LINES[-1], *LINES[4:]], 5, "a result before the last line"),
        (changed(3, by="red"), 3, "by: 'red' is not allowed; allowed: a seat, or -1"),
        (changed(3, by=True), 3, "by: True is not allowed"),
        (changed(3, move=7), 3, "move: 7 is not allowed; allowed: the text of a move"),
        (changed(3, note="!"), 3, "note: there is no such field; known: by, move"),
        (changed(1, format=2), 1, "format: 2, but 1 in start"),
        (
            changed(1, start=RECORD.header["start"] | {"format": 2}, format=2),
            1,
            "format: version 2 is not known",
        ),
        (changed(1, game="chess"), 1, "game: 'chess', but 'delphi' in start"),
        (changed(1, start=None), 1, "the header has no start"),
        (LINES[1:], 1, "the header has no start"),
        (changed(-1, result=[]), len(LINES), "result: not an object"),
        (changed(-1, result={}), len(LINES), "result.returns: not a list"),
    ],
)
def test_an_unreadable_record_names_the_line(lines, line, reason):
    with pytest.raises(BadRecord) as caught:
        Record.read(lines)
    assert (caught.value.line, caught.value.reason.startswith(reason)) == (line, True), str(caught.value)


@pytest.mark.parametrize(
    ("lines", "line", "reason"),
    [
        (changed(2, by=0), 2, "by 0, but -1 is to act"),
        (changed(2, move="roll red red"), 2, "a word is missing"),
        (changed(2, move="titan 3"), 2, "a move of phase titan"),
        (LINES[:-2] + LINES[-1:], len(LINES) - 1, "the game is not over after the last move"),
        ([*LINES[:-1], LINES[-2], LINES[-1]], len(LINES), "is to act"),
        (
            changed(-1, result={"returns": [0.25, 0.75]}),
            len(LINES),
            "result.returns: [0.25, 0.75], but the game ends",
        ),
        (changed(-1, result={"returns": [1]}), len(LINES), "result.returns: [1], but"),
        (
            changed(-1, result={**RECORD.result, "reason": "boredom"}),
            len(LINES),
            "result.reason: 'boredom', but the game ends with",
        ),
        (changed(1, start=RECORD.header["start"] | {"round": 0}), 1, "start: round: 0 is not allowed"),
    ],
)
def test_a_record_that_does_not_replay_names_the_line(lines, line, reason):
    record = Record.read(lines)
    with pytest.raises(BadRecord) as caught:
        list(record.replay())
    assert (caught.value.line, reason in caught.value.reason) == (line, True), str(caught.value)


def test_writing_takes_plain_parts(tmp_path):
    write_record(
        tmp_path / "game.jsonl", RECORD.header, [tuple(entry) for entry in RECORD.moves], RECORD.result
    )
    assert Record.read(tmp_path / "game.jsonl") == RECORD


def test_the_header_keeps_the_seed():
    game = load_game("delphi", players=2, seed=77)
    assert header_of(game.new_state())["seed"] == 77
    assert header_of(game.new_state(), seed=5)["seed"] == 5


def test_errors_survive_pickling():
    error = pickle.loads(pickle.dumps(BadRecord(3, "what is wrong")))
    assert (error.line, error.reason, str(error)) == (3, "what is wrong", "line 3: what is wrong")
