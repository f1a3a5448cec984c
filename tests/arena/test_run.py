"""Whole tournaments: the same games whatever the parallelism, forfeits, and results that survive being killed."""

import io
import json
import re
import signal
import sqlite3
import subprocess
import sys
import time
import zlib
from pathlib import Path

import pytest

from pythia.arena.tournament.code import own_code
from pythia.arena.tournament.definition import read_definition
from pythia.arena.tournament.entrants import BadTournament, entrant_of
from pythia.arena.tournament.runner import (
    CodeChanged,
    EntrantFailed,
    load_schedule,
    record_of,
    run_tournament,
)
from pythia.arena.tournament.store import ResultStore
from pythia.arena.tournament.summary import summarize, write_games
from tests.arena.conftest import entrant

PAIR = entrant("first", bot="random") + entrant("second", bot="greedy", params={"samples": 1})


@pytest.fixture(autouse=True)
def own_path(monkeypatch):
    """What a run adds to the module path is gone after the test."""
    monkeypatch.setattr(sys, "path", list(sys.path))


def games_of(path, results):
    with ResultStore(results, read_definition(path), write=False) as store:
        return {game.key: game.result for game in store.games()}


def played(path, name="results.sqlite", **values):
    results = path.parent / name
    schedule = run_tournament(read_definition(path), results, **values)
    return schedule, games_of(path, results)


def test_the_same_games_whatever_the_parallelism(write):
    text = "blocks = 4\n" + PAIR + entrant("third", bot="ismcts", iterations=4)
    path = write(text)
    _, one = played(path, "one.sqlite", processes=1)
    schedule, three = played(path, "three.sqlite", processes=3)
    assert one == three  # times take no part in the comparison
    assert len(one) == 3 * 4 * 2
    assert schedule.is_over
    summary = summarize(schedule)
    assert summary.reproducible
    assert summary.games == summary.planned == 24
    assert summary.blocks == 12


def test_more_seats(write):
    names = "".join(entrant(name, bot="greedy", params={"samples": 1}) for name in "abc")
    path = write("seats = 3\nblocks = 1\noptions = { removed_tasks = 4 }\n" + names, game="delphi")
    schedule, games = played(path, processes=2)
    assert len(games) == 3
    for key in games:
        others = [other for other in games if (other.table, other.block) == (key.table, key.block)]
        assert sorted(other.seating.index(key.table[0]) for other in others) == [0, 1, 2]
    summary = summarize(schedule)
    assert {standing.games for standing in summary.standings} == {3}
    assert summary.first_seat_elo is None
    assert len(summary.win_rate_of_seats) == 3
    assert summary.rounds.mean > 1
    assert len(summary.pairs) == 3


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("raise", "error: failed: RuntimeError: out of ideas"),
        ("illegal", "illegal move: 'fly to the moon'"),
        ("none", "error: answered with a NoneType; allowed: a Move"),
        ("leave", "error: failed: SystemExit: 3"),
        ("die", "crash: its process ended, exit code 7"),
        ("abort", "crash: its process ended, signal SIGABRT"),
        ("slow", "time: 0.6 s for a decision; allowed: 0.3"),
    ],
)
def test_a_broken_bot_loses_and_the_tournament_goes_on(write, bots, fault, reason):
    path = write(
        "blocks = 2\nclock = { decision_seconds = 0.3 }\n"
        + entrant("good", bot="random")
        + entrant("bad", **{"class": f"{bots}:Faulty"}, params={"fault": fault})
    )
    schedule, games = played(path, processes=1, keep_going=True)
    assert len(games) == 4
    for key, game in games.items():
        seat = key.seating.index("bad")
        assert game.forfeit.seat == seat
        assert game.forfeit.reason.startswith(reason) or (
            fault == "slow" and game.forfeit.reason.startswith("time")
        )
        assert game.returns[seat] == 0
        assert game.returns[1 - seat] == 1
    summary = summarize(schedule)
    (bad,) = [standing for standing in summary.standings if standing.name == "bad"]
    assert bad.forfeits[reason.partition(":")[0]] == 4
    assert sum(bad.forfeits.values()) == len(summary.forfeits) == 4
    assert summary.reproducible == (fault != "slow")


def test_a_bot_that_never_comes_back_loses_on_time(write, bots):
    path = write(
        "blocks = 1\nclock = { decision_seconds = 0.2 }\n"
        + entrant("good", bot="random")
        + entrant("bad", **{"class": f"{bots}:Faulty"}, params={"fault": "hang"})
    )
    schedule, games = played(path, processes=2)
    assert all(game.forfeit.reason.startswith("time: no answer after") for game in games.values())
    assert any("decided by the clock" in note for note in summarize(schedule).notes)


def test_time_for_the_whole_game(write, bots):
    path = write(
        "blocks = 1\nclock = { decision_seconds = 0, game_seconds = 0.3 }\n"
        + entrant("good", bot="random")
        + entrant("bad", **{"class": f"{bots}:Faulty"}, params={"fault": "slow"})
    )
    _, games = played(path, processes=1)
    assert all("s for the game; allowed: 0.3" in game.forfeit.reason for game in games.values())


def test_a_bot_that_breaks_when_it_is_made_in_play(write, bots, monkeypatch):
    path = write(
        "blocks = 1\n"
        + entrant("good", bot="random")
        + entrant("bad", **{"class": f"{bots}:Faulty"}, params={"fault": "make"})
    )
    monkeypatch.setattr("pythia.arena.tournament.definition.Definition.check_entrants", lambda self: None)
    monkeypatch.setenv("FAULT_WHEN_MADE", "1")
    _, games = played(path, processes=1, keep_going=True)
    assert all("cannot be made: AssertionError: not today" in game.forfeit.reason for game in games.values())


def test_a_class_takes_part_with_its_limit_and_seed(write, bots):
    path = write(
        "blocks = 3\n"
        + entrant("mine", **{"class": f"{bots}:Seeded"}, iterations=5)
        + entrant("yours", **{"class": f"{bots}:Steady"}, params={"depth": 2})
    )
    _, games = played(path, processes=1)
    assert not any(game.forfeit for game in games.values())


def test_weights_of_the_evaluation(write):
    """The same bot with weights upside down loses to itself."""
    path = write(
        "blocks = 3\noptions = { removed_tasks = 4 }\n"
        + entrant("usual", bot="greedy", params={"samples": 1})
        + entrant("odd", bot="greedy", params={"samples": 1}, weights={"actions": -5.0, "sails": -5.0}),
        game="delphi",
    )
    schedule, games = played(path, processes=1)
    assert not any(game.forfeit for game in games.values())
    assert summarize(schedule).standings[0].name == "usual"


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (
            "raise",
            r"(?s)'bad' failed in game 1 of its own, error: failed: RuntimeError: out of ideas.*bots_.*in choose",
        ),
        ("illegal", "illegal move: 'fly to the moon'"),
        ("die", "crash: its process ended, exit code 7"),
    ],
)
def test_an_entrant_that_fails_in_its_first_games_stops_the_run(write, folder, bots, fault, told):
    path = write(
        "blocks = 2\n"
        + entrant("good", bot="random")
        + entrant("bad", **{"class": f"{bots}:Faulty"}, params={"fault": fault})
    )
    with pytest.raises(EntrantFailed, match=told) as failed:
        played(path, processes=1)
    assert "add --keep-going to play on" in str(failed.value)
    assert games_of(path, folder / "results.sqlite") == {}  # what failed is not a result


# -- the code behind results


def test_changed_source_of_a_class_is_noticed_and_named(write, folder, bots):
    text = "blocks = {}\n" + entrant("mine", **{"class": f"{bots}:Steady"}) + entrant("other", bot="random")
    path, results = write(text.format(1)), folder / "results.sqlite"
    played(path, processes=1)
    played(path, processes=1)  # nothing changed
    with (folder / f"{bots}.py").open("a") as file:
        file.write("# another thought\n")
    write(text.format(2))
    with pytest.raises(
        CodeChanged, match=r"changed: entrant 'mine' \(source \w+, now source \w+\)\. Add --fresh"
    ):
        played(path, processes=1)
    schedule, games = played(path, processes=1, changed="keep")
    assert len(games) == 4
    assert any(
        "several versions of the code; changed: entrant 'mine'" in note for note in summarize(schedule).notes
    )
    with ResultStore(results, read_definition(path), write=False) as store:
        assert any("entrant 'mine'" in text for text in load_schedule(read_definition(path), store).remarks)
    schedule, games = played(path, processes=1, changed="fresh")
    assert len(games) == 4
    assert not summarize(schedule).notes
    assert len(games_of(path, folder / "results.old1.sqlite")) == 4  # renamed, not lost


def test_changed_behavior_of_the_built_in_bots_is_noticed(write, folder, monkeypatch):
    path = write("blocks = 1\n" + PAIR)
    played(path, processes=1)
    monkeypatch.setattr("pythia.arena.tournament.code.behavior", lambda game, players: "00000000")
    with pytest.raises(
        CodeChanged, match=r"the rules and built-in bots \(signature \w{8}, now signature 00000000\)"
    ):
        played(path, processes=1)


def test_results_from_before_codes_were_kept(write, folder):
    """They say nothing about their code, so it is not known to be the same."""
    path = write("blocks = 1\n" + PAIR)
    played(path, processes=1)
    with sqlite3.connect(folder / "results.sqlite") as connection:
        identity = read_definition(path).identity() | {"version": "0.1.0"}
        connection.execute("DELETE FROM about WHERE name = 'code'")
        connection.execute("UPDATE about SET value = 'older' WHERE name = 'digest'")
        connection.execute("UPDATE about SET value = ? WHERE name = 'identity'", (json.dumps(identity),))
    with pytest.raises(CodeChanged, match=r"the rules and built-in bots .not known, now signature"):
        played(path, processes=1)
    _, games = played(path, processes=1, changed="keep")
    assert len(games) == 2


def test_what_the_code_of_a_class_is(folder, bots, monkeypatch):
    """Its module, loaded modules beside it, its version, and the files that its parameters name."""
    monkeypatch.syspath_prepend(folder)
    (folder / "beside_it.py").write_text("NUMBER = 1\n")
    (folder / "own_bot.py").write_text(
        "import beside_it\nclass Own:\n    version = '7'\n    def choose(self, view, limit=None): ...\n"
    )
    data = folder / "model.txt"
    data.write_text("first")
    mine = entrant_of({"class": "own_bot:Own", "params": {"file": str(data)}}, "entrants[0]", "kuhn")
    seen = {own_code(mine)}
    for file in (data, folder / "beside_it.py", folder / "own_bot.py"):
        file.write_text(file.read_text() + "# more\n")
        seen.add(own_code(mine))
    assert len(seen) == 4
    assert all(text.startswith("version 7, source ") for text in seen)


# -- results


def test_nothing_is_played_again(write):
    path = write("blocks = 3\n" + PAIR)
    _, first = played(path)
    before = (path.parent / "results.sqlite").read_bytes()
    _, again = played(path)
    assert again == first
    assert (path.parent / "results.sqlite").read_bytes() == before


def test_more_blocks_go_on_with_the_same_results(write):
    path = write("blocks = 2\n" + PAIR)
    _, first = played(path)
    write("blocks = 5\n" + PAIR)
    _, more = played(path)
    assert len(more) == 10
    assert first.items() <= more.items()


def test_results_of_another_tournament_are_refused(write):
    path = write("blocks = 1\n" + PAIR)
    played(path)
    write("blocks = 1\nseed = 9\nformat = 'gauntlet'\n" + PAIR)
    with pytest.raises(
        BadTournament, match=r"belongs to another tournament; it differs in format, seed, challengers"
    ):
        played(path)


def test_files_that_are_no_results(write, folder):
    path = write("blocks = 1\n" + PAIR)
    (folder / "text.sqlite").write_text("not a database at all, but long enough to look like one" * 30)
    with pytest.raises(BadTournament, match="is not a results file"):
        played(path, "text.sqlite")
    sqlite3.connect(folder / "other.sqlite").execute("CREATE TABLE x (y)").connection.close()
    with pytest.raises(BadTournament, match="is not a results file of a tournament"):
        played(path, "other.sqlite")
    with pytest.raises(BadTournament, match="does not exist"):
        games_of(path, folder / "nothing.sqlite")
    with pytest.raises(BadTournament, match="cannot be written"):
        played(path, "no/such/folder.sqlite")


def test_two_runs_do_not_share_results(write, folder):
    path = write("blocks = 1\n" + PAIR)
    first = ResultStore(folder / "results.sqlite", read_definition(path))
    with pytest.raises(BadTournament, match="in use by a running tournament"):
        played(path)
    first.close()
    played(path)


@pytest.mark.parametrize(
    ("values", "message"), [({"processes": 0}, "processes: 0"), ({"executor": "x"}, "'x' is not")]
)
def test_bad_executors(write, values, message):
    with pytest.raises(BadTournament, match=message):
        played(write("blocks = 1\n" + PAIR), **values)


@pytest.mark.parametrize("kept", [True, False])
def test_every_game_has_a_record(write, folder, kept):
    path = write(f"blocks = 2\nrecords = {str(kept).lower()}\n" + PAIR)
    played(path)
    definition = read_definition(path)
    with ResultStore(folder / "results.sqlite", definition, write=False) as store:
        games = list(store.games())
        assert (store.record(1) is not None) == kept
    for game in games:
        record = record_of(definition, folder / "results.sqlite", game.number)
        assert [player["name"] for player in record.header["players"]] == game.key.seating
        assert list(record.replay())[-1].returns() == game.result.returns
    with pytest.raises(BadTournament, match="game: 5 is not allowed; allowed: 1 to 4"):
        record_of(definition, folder / "results.sqlite", 5)


def test_a_game_that_cannot_be_played_again_says_so(write, folder, bots):
    path = write("blocks = 1\nrecords = false\n" + PAIR + entrant("timed", bot="ismcts", seconds=0.001))
    played(path)
    with pytest.raises(BadTournament, match="cannot be replayed because of limits in seconds"):
        record_of(read_definition(path), folder / "results.sqlite", 1)


def test_a_table_of_all_games(write, folder):
    path = write("blocks = 2\n" + PAIR)
    played(path, processes=1)
    text = io.StringIO()
    with ResultStore(folder / "results.sqlite", read_definition(path), write=False) as store:
        write_games(text, store.games())
    lines = text.getvalue().splitlines()
    assert len(lines) == 1 + 4 * 2
    assert lines[0].startswith("game,round,table,block,turn,seed,seat,entrant,return,rank")
    assert lines[1].startswith("1,0,first - second,0,0,")


def test_the_sequential_test_stops_a_tournament(write):
    path = write(
        "blocks = 400\nsprt = { elo0 = 0, elo1 = 200 }\n"
        + entrant("strong", bot="ismcts", iterations=20)
        + entrant("weak", bot="random")
    )
    schedule, _ = played(path, "one.sqlite", processes=1)
    parallel, _ = played(path, "two.sqlite", processes=2)
    assert schedule.is_over
    summary = summarize(schedule)
    (test,) = summary.tests
    assert test.verdict
    assert test.blocks == summary.blocks < 400
    assert summarize(parallel).standings[0].win_rate == summary.standings[0].win_rate
    assert summarize(parallel).tests == summary.tests


# -- killed at any moment


SCRIPT = """
import sys
from pathlib import Path
from pythia.arena.tournament.definition import read_definition
from pythia.arena.tournament.runner import run_tournament

if __name__ == "__main__":
    run_tournament(read_definition(Path(sys.argv[1])), Path(sys.argv[2]), processes=2)
"""


def count(results: Path) -> int:
    try:
        with sqlite3.connect(f"file:{results}?mode=ro", uri=True) as connection:
            return connection.execute("SELECT count(*) FROM games").fetchone()[0]
    except sqlite3.OperationalError:  # not there yet
        return 0


def test_killed_and_resumed(write, folder):
    """kill -9 again and again, after a few more games each time: in the end all games are there, once, and right."""
    path = write("blocks = 200\n" + PAIR)  # many: games go on between the last look and the kill
    _, undisturbed = played(path, "quiet.sqlite", processes=2)
    script = folder / "run.py"
    script.write_text(SCRIPT)
    results = folder / "killed.sqlite"
    kills = 0
    for more in (1, 7, 20, 35, 60):
        process = subprocess.Popen([sys.executable, script, path, results], start_new_session=True)
        try:
            deadline = time.monotonic() + 60
            while count(results) < more and process.poll() is None and time.monotonic() < deadline:
                time.sleep(0.001)
            assert process.poll() is None, "it was over before it could be killed"
        finally:
            process.send_signal(signal.SIGKILL)  # the run only: its workers notice by themselves
            process.wait()
        kills += 1
    assert kills == 5
    before = games_of(path, results)
    assert 60 <= len(before) < len(undisturbed)
    assert before.items() <= undisturbed.items()
    run_tournament(read_definition(path), results, processes=1)
    assert games_of(path, results) == undisturbed


def test_workers_end_with_their_run(write, folder, bots):
    """A run that is killed leaves no processes behind, even when a bot hangs."""
    path = write(
        "blocks = 1\n"
        + entrant("good", bot="random")
        + entrant("bad", **{"class": f"{bots}:Faulty"}, params={"fault": "hang"})
    )
    script = folder / "run.py"
    script.write_text(SCRIPT)
    process = subprocess.Popen([sys.executable, script, path, folder / "hung.sqlite"], start_new_session=True)
    try:
        workers = wait_until(lambda: children(process.pid))
    finally:
        process.kill()
        process.wait()
    wait_until(lambda: not any(map(runs, workers)))


def runs(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"  # a zombie has ended; who inherits it has not looked yet


def children(pid):
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    # The tracker of shared memory comes first and is none of ours; two workers follow.
    return found if len(found) >= 2 else []


def wait_until(condition):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if found := condition():
            return found
        time.sleep(0.05)
    raise AssertionError("it never happened")


# -- the summary


def test_the_summary_as_json(write):
    schedule, _ = played(write("blocks = 3\n" + PAIR), processes=1)
    obj = json.loads(json.dumps(summarize(schedule, convergence=True).to_json(), allow_nan=False))
    assert obj["name"] == "cup"
    assert obj["standings"][0]["rating"]["elo"] >= 0
    assert sum(standing["rating"]["elo"] for standing in obj["standings"]) == pytest.approx(0, abs=1e-6)
    assert len(obj["convergence"]) == 3
    assert obj["over"]


def test_the_summary_of_nothing(write, folder):
    path = write("blocks = 3\n" + PAIR)
    definition = read_definition(path)
    with ResultStore(folder / "results.sqlite", definition) as store:
        summary = summarize(load_schedule(definition, store), convergence=True)
    assert summary.games == 0
    assert not summary.over
    assert [standing.rating for standing in summary.standings] == [None, None]
    json.dumps(summary.to_json(), allow_nan=False)


# -- damaged results


def changed_results(path, name, statement, *values):
    """A copy of the results with one statement run on it."""
    results = path.parent / f"{name}.sqlite"
    if not results.exists():
        played(path, results.name, processes=1)
    with sqlite3.connect(results) as connection:
        connection.execute(statement, values)
    connection.close()
    return results


@pytest.mark.parametrize(
    ("column", "value", "fault"),
    [
        ("names", "[", "JSONDecodeError: "),
        ("names", '["first", "nobody"]', r"do not play at one table of this tournament"),
        ("names", "3", "TypeError: "),
        ("result", '{"returns": [1', "JSONDecodeError: .*line 1 column"),
        ("result", "[]", "TypeError: "),
        ("result", "{}", "KeyError: 'forfeit'"),
        ("result", '{"forfeit": null, "returns": [1], "ranks": [1]}', "returns are not 2 numbers"),
    ],
)
def test_a_damaged_game_is_named_with_what_to_do(write, column, value, fault):
    path = write("blocks = 1\n" + PAIR)
    results = changed_results(path, "damaged", f"UPDATE games SET {column} = ? WHERE rowid = 2", value)
    with pytest.raises(BadTournament, match=fault) as caught:
        games_of(path, results)
    assert f"results: '{results}', game 2: damaged" in str(caught.value)
    # What the message advises works.
    advice = re.search(r"`sqlite3 \S+ '(.*?)'`", str(caught.value))[1]
    with sqlite3.connect(results) as connection:
        connection.execute(advice)
    connection.close()
    schedule = run_tournament(read_definition(path), results, processes=1)
    assert schedule.is_over
    assert len(games_of(path, results)) == 2


@pytest.mark.parametrize("record", [b"no zlib", zlib.compress(b"\xff"), zlib.compress(b"{"), "text"])
def test_a_damaged_record_is_named_with_what_to_do(write, record):
    path = write("blocks = 1\n" + PAIR)
    results = changed_results(path, "record", "UPDATE games SET record = ? WHERE rowid = 1", record)
    with pytest.raises(BadTournament, match=r"game 1: damaged \(.*DELETE FROM games WHERE rowid = 1"):
        record_of(read_definition(path), results, 1)
    assert len(games_of(path, results)) == 2


def test_a_file_that_lost_what_it_is_about(write):
    path = write("blocks = 1\n" + PAIR)
    for statement in (
        "UPDATE about SET value = '{' WHERE name = 'identity'",
        "DELETE FROM about WHERE name = 'identity'",
    ):
        results = changed_results(path, "about", "UPDATE about SET value = 'x' WHERE name = 'digest'")
        changed_results(path, "about", statement)
        with pytest.raises(BadTournament, match=r"is damaged: what it says about its tournament.*--results"):
            games_of(path, results)


def test_a_file_with_broken_pages(write):
    path = write("blocks = 1\n" + PAIR)
    results = changed_results(path, "pages", "PRAGMA wal_checkpoint(TRUNCATE)")
    with results.open("r+b") as file:
        file.seek(2 * 4096)
        file.write(b"\xff" * 8192)
    with pytest.raises(BadTournament, match=r"(is damaged|is not a results file)"):
        games_of(path, results)


def test_draws_are_reported(write):
    """A game that its guard against endless play ends has no winner, and the report says so."""
    text = "blocks = 1\n" + PAIR
    few = write("options = { data = { max_rounds = 1 } }\n" + text, "deukalion")
    schedule, games = played(few, "draws.sqlite", processes=1)
    assert [game.returns for game in games.values()] == [[0.5, 0.5]] * 2
    assert "draws, in which all seats share the win: 2 of 2 games" in summarize(schedule).notes
    schedule, games = played(write(text, "deukalion"), "decided.sqlite", processes=1)
    assert all(1.0 in game.returns for game in games.values())
    assert not summarize(schedule).notes
