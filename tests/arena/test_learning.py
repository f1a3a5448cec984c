"""Learning: samples that are whole and the same for a seed, fits that find what is there, gates, and going on."""

import json
import re
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from pythia.arena.learning import samples
from pythia.arena.learning.encoded import fit_model
from pythia.arena.learning.fit import Decisions, Ways, cross_entropy, fit_priors, fit_value
from pythia.arena.learning.net_fit import fit_net
from pythia.arena.learning.page import run_page
from pythia.arena.learning.run import (
    Arena,
    BadRun,
    LearnSpec,
    Verdict,
    begin,
    command,
    install,
    learn,
    write_best,
)
from pythia.arena.learning.samples import BadSamples, SampleSpec, sampled_weights, step_of
from pythia.arena.learning.traces import TraceSpec
from pythia.arena.tournament.entrants import BadTournament
from pythia.core_cy import View, load_game
from pythia.core_cy.weights import BadWeights, read_weights, weights_text
from pythia.search.bots import BotSpec
from pythia.search.model import empty_model, read_model
from pythia.search.plugins import BadBot

FLAGSHIP, OTHER = "delphi", "keltis"


def spec_of(game, **changes):
    weights = tuple(load_game(game, seed=0).weights().items())
    quick = {"play": 4, "shallow": 4, "deep": 12, "ways": 4, "way_turns": 0.2, "decision_share": 0.1}
    return SampleSpec(game, 7, weights, **(quick | changes))


def test_the_same_seed_gives_the_same_samples():
    first, second = (samples.play(spec_of(OTHER), 3) for _ in range(2))
    assert set(first) == set(second)
    for name, array in first.items():
        np.testing.assert_array_equal(array, second[name])
    assert not np.array_equal(first["turn_search"], samples.play(spec_of(OTHER), 4)["turn_search"])


def test_samples_fit_together():
    file = samples.play(spec_of(FLAGSHIP, play=2), 1)
    game = load_game(FLAGSHIP, seed=0)
    assert len(file["decision_visits"]) == file["decision_sizes"].sum() > 0
    assert file["decision_features"].shape == (len(file["decision_visits"]), len(game.move_feature_names))
    assert file["way_slopes"].shape == (file["way_sizes"].sum(), len(sampled_weights(game)))
    assert set(np.unique(file["way_results"])) <= {0.0, 0.5, 1.0}
    assert file["turn_features"].shape[1] == len(game.feature_names)
    # Every decision was searched as deeply as asked.
    ends = np.cumsum(file["decision_sizes"])
    sums = [
        file["decision_visits"][end - n : end].sum()
        for end, n in zip(ends, file["decision_sizes"], strict=True)
    ]
    assert set(sums) == {12.0}


def test_only_what_is_missing_is_played(tmp_path):
    told = []
    samples.collect(spec_of(OTHER), tmp_path, 2, 1, lambda done, games: told.append((done, games)))
    assert told == [(0, 2), (1, 2), (2, 2)]
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    (tmp_path / "000001.npz").unlink()
    (tmp_path / "000001.77.part").write_bytes(b"half a game")
    samples.collect(spec_of(OTHER), tmp_path, 2, 1)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(before)
    kept = [file["turn_search"] for file in samples.read(tmp_path)]
    assert len(kept) == 2


ON_RAY = """
import sys
from pathlib import Path
from pythia.arena.learning import samples
from tests.arena.test_learning import OTHER, spec_of

samples.collect(spec_of(OTHER), Path(sys.argv[1]), 3, 2, executor="ray")
"""


@pytest.mark.integration
def test_the_same_samples_on_ray(tmp_path):
    """What Ray has begun, processes finish; the files are the same."""
    samples.collect(spec_of(OTHER), tmp_path / "here", 4, 1)
    run = subprocess.run(
        [sys.executable, "-c", ON_RAY, tmp_path / "there"], capture_output=True, text=True, timeout=300
    )
    assert run.returncode == 0, run.stderr
    assert len(list((tmp_path / "there").iterdir())) == 3
    samples.collect(spec_of(OTHER), tmp_path / "there", 4, 2)
    for here, there in zip(samples.read(tmp_path / "here"), samples.read(tmp_path / "there"), strict=True):
        for name, array in here.items():
            np.testing.assert_array_equal(array, there[name])


def test_an_unknown_executor_is_refused(tmp_path):
    with pytest.raises(BadTournament, match="executor: 'clouds' is not allowed; allowed: processes, ray"):
        samples.collect(spec_of(OTHER), tmp_path, 1, executor="clouds")


def test_a_cut_file_is_named(tmp_path):
    samples.collect(spec_of(OTHER), tmp_path, 1, 1)
    path = tmp_path / "000000.npz"
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(BadSamples, match=r"000000.npz: not a whole file of samples .* delete it"):
        list(samples.read(tmp_path))


# -- fits


def made_up_decisions(game, wanted, count=400, moves=12, seed=1):
    """Decisions whose visits follow a policy with these weights exactly."""
    rng = np.random.default_rng(seed)
    names = game.weight_names.moves
    columns = [names.index(name) for name in wanted]
    features = np.zeros((count * moves, len(names)), np.float32)
    features[:, columns] = rng.normal(size=(count * moves, len(columns)))
    vector = np.zeros(len(names))
    vector[columns] = list(wanted.values())
    logits = (features @ vector).reshape(count, moves)
    target = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    return Decisions(
        features,
        np.full(count * moves, -np.log(moves)),
        target.ravel(),
        np.ones(count),
        np.arange(count) * moves,
        np.arange(count) % 5 == 0,
    )


def test_priors_find_the_policy_behind_the_visits():
    game = load_game(FLAGSHIP, seed=0)
    game = game.with_weights({name: 0.0 for name in game.weights() if name.startswith("prior.")})
    wanted = {"draw": 1.5, "fight": -2.0, "paid": 0.5}
    fitted = fit_priors(game, made_up_decisions(game, wanted), "prior")
    assert fitted.after < fitted.before
    unit = game.weights()["temperature"]
    for name, value in wanted.items():
        assert fitted.weights[f"prior.{name}"] / unit == pytest.approx(value, abs=0.25)
    assert fitted.weights["prior.sail"] == 0
    only = fit_priors(game, made_up_decisions(game, wanted), "playout", ["draw"])
    assert only.weights["playout.fight"] == 0 != only.weights["playout.draw"]


def test_the_gradient_is_that_of_the_loss():
    game = load_game(FLAGSHIP, seed=0)
    decisions = made_up_decisions(game, {"draw": 1.0}, count=20)
    change = np.zeros(len(game.weight_names.moves))
    loss, gradient = cross_entropy(decisions, change)
    column = game.weight_names.moves.index("draw")
    change[column] = 1e-4
    assert (cross_entropy(decisions, change)[0] - loss) / 1e-4 == pytest.approx(gradient[column], rel=0.01)


def test_judgement_is_fitted_to_differences_within_a_position():
    game = load_game(OTHER, seed=0)
    names = sampled_weights(game)
    rng = np.random.default_rng(2)
    slopes = rng.normal(scale=0.05, size=(20_000, len(names))).astype(np.float32)
    steps = np.zeros(len(names))
    steps[names.index("stones")] = 4.0
    judged = rng.normal(scale=0.1, size=len(slopes))
    results = judged + slopes @ steps + rng.normal(scale=0.4, size=len(slopes))
    fitted = fit_value(game, Ways(judged, slopes, results, np.arange(len(slopes)) % 5 == 0))
    assert fitted.after < fitted.before
    old = game.weights()
    moved = {name: (fitted.weights[name] - old[name]) / step_of(old[name]) for name in names}
    assert moved["stones"] == pytest.approx(4.0, abs=0.6)
    assert abs(moved["mirrors"]) < 0.6


# -- a network


def trace_of(**changes):
    weights = tuple(load_game(FLAGSHIP, seed=0).weights().items())
    return TraceSpec(FLAGSHIP, 5, weights, **({"players": (2, 3), "games": 3} | changes))


@pytest.mark.parametrize("play", [0, 3])
def test_traces_have_positions_and_what_became_of_them(play):
    inputs = load_game(FLAGSHIP, seed=0).weight_names.net
    for number, players in enumerate((2, 3)):
        file = trace_of(play=play).arrays(number)
        count = len(file["inputs"])
        assert count > 3
        assert file["inputs"].shape == (count, players, len(inputs))
        np.testing.assert_allclose(file["returns"].sum(axis=1), np.ones(count), rtol=1e-5)
        again = trace_of(play=play).arrays(number)
        for name, array in file.items():
            np.testing.assert_array_equal(array, again[name])
    assert len(trace_of(play=play).arrays(2)["inputs"]) != count


def test_a_network_finds_what_the_estimate_overlooks(monkeypatch):
    """Results that follow one input, and that only where another is there: no linear judgement could say it."""
    for name in ("RESULTS_STEPS", "SEARCHED_STEPS"):
        monkeypatch.setattr(f"pythia.arena.learning.net_fit.{name}", (0.02, 40))
    game = load_game(FLAGSHIP, seed=0).with_weights({"net": ""})
    names = game.weight_names.net
    rng = np.random.default_rng(2)
    files = []
    for _ in range(14):
        inputs = np.zeros((300, 2, len(names)), np.float16)
        inputs[:, :, names.index("estimate")] = 2.0
        both = rng.integers(0, 2, (300, 2, 2))
        inputs[:, :, names.index("has_hero")] = both[:, :, 0]
        inputs[:, :, names.index("room")] = both[:, :, 1]
        helped = both.prod(axis=2)
        first = np.where(helped[:, 0] == helped[:, 1], 0.5, helped[:, 0] * 0.9 + helped[:, 1] * 0.1)
        files.append({"inputs": inputs, "returns": np.stack([first, 1 - first], axis=1).astype(np.float32)})
    fitted = fit_net(game, None, files)
    least = -np.mean([(file["returns"] * np.log(file["returns"])).sum(axis=1).mean() for file in files])
    assert fitted.before > least + 0.08
    assert fitted.after < least + 0.02
    # The text of it says the same, from features of its own or from the present ones.
    again = fit_net(game.with_weights(fitted.weights), None, files)
    assert again.before == pytest.approx(fitted.after, abs=0.003)
    assert fit_net(game, files, files).after < least + 0.02


def test_a_run_learns_a_network(tmp_path, monkeypatch):
    monkeypatch.setattr("pythia.arena.learning.run.gate", passing_gate)
    monkeypatch.setattr("pythia.arena.learning.run.RESULTS_IN_FILE", 5)
    monkeypatch.setattr("pythia.arena.learning.run.SEARCHED_IN_FILE", 2)
    spec = replace(TINY, game=FLAGSHIP, results=10, searched=4)
    told = []
    verdicts = learn(spec, tmp_path, Arena(1, tell=told.append))
    assert [verdict.part for verdict in verdicts] == ["net", "value", "moves"]
    game = load_game(FLAGSHIP, seed=0)
    file = read_weights((tmp_path / "weights.json").read_text(), game.weight_names, "here")
    assert file.net
    assert file.net == json.loads((tmp_path / "001/net.json").read_text())["weights"]["net"]
    # The game has a network, so this one begins with it, and needs no results.
    assert {step.step for step in told} == {"searched", "games"}
    before = sorted(path.name for path in (tmp_path / "001/searched").iterdir())
    assert before == ["000000.npz", "000001.npz"]
    # Nothing is played or fitted again; another generation begins with this network.
    told.clear()
    learn(replace(spec, generations=2), tmp_path, Arena(1, tell=told.append))
    assert all(step.done == step.planned for step in told if step.generation == 1)


# -- a run


TINY = LearnSpec(
    OTHER, 3, 1, 2, play=4, shallow=4, deep=8, ways=4, gate_bot="prior", gate_iterations=1, gate_blocks=3
)


def test_a_run_goes_on_and_is_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr("pythia.arena.learning.run.gate", passing_gate)
    first = learn(TINY, tmp_path / "one", Arena(1))
    assert [verdict.part for verdict in first] == ["value", "moves"]
    text = (tmp_path / "one/weights.json").read_text()
    # Stopped after the games: what is there is used, and leads to the same weights.
    (tmp_path / "two").mkdir()
    begin(TINY, tmp_path / "two")
    place = tmp_path / "two/001/samples"
    place.mkdir(parents=True)
    (place / "000000.npz").write_bytes((tmp_path / "one/001/samples/000000.npz").read_bytes())
    learn(TINY, tmp_path / "two", Arena(1))
    assert json.loads((tmp_path / "two/weights.json").read_text())["value"] == json.loads(text)["value"]
    assert "passed" in run_page(tmp_path / "one", first)


def passing_gate(spec, place, generation, part, fitted, weights, arena):
    return Verdict(
        generation, part, True, "elo1", 20, 0.7, 0.6, 0.8, fitted.before, fitted.after, fitted.samples
    )


def test_the_gate_plays_both_weights(tmp_path):
    """A real gate, with so few blocks that the sequential test stays open: nothing is used then."""
    spec = replace(TINY, gate_bot="greedy")
    told = []
    for verdict in learn(spec, tmp_path, Arena(1, tell=told.append)):
        assert (verdict.verdict, verdict.passed, verdict.games) == ("open", False, 6)
    weights = json.loads((tmp_path / "weights.json").read_text())
    assert (
        weights["value"]
        == json.loads(
            weights_text(load_game(OTHER, seed=0).weights_file(), load_game(OTHER, seed=0).weight_names)
        )["value"]
    )
    assert weights["provenance"]["command"] == command(spec)
    assert {step.step for step in told} == {"games", "gate of value", "gate of moves", "gate of both"}
    with pytest.raises(BadWeights, match="nothing in it has passed its gate"):
        install(tmp_path / "weights.json", OTHER)


def test_another_run_in_the_same_folder_is_refused(tmp_path):
    begin(TINY, tmp_path)
    begin(replace(TINY, generations=5), tmp_path)
    with pytest.raises(BadRun, match="was started with deep=8, not 9"):
        begin(replace(TINY, deep=9), tmp_path)


def test_a_game_without_weights_says_so(tmp_path):
    with pytest.raises(BadRun, match="kuhn has no weights to learn"):
        learn(replace(TINY, game="kuhn"), tmp_path)


# -- weights files


def test_weights_files_that_are_refused(tmp_path):
    game = load_game(OTHER, seed=0)
    good = weights_text(game.weights_file(), game.weight_names)
    assert read_weights(good, game.weight_names, "here").values == game.weights()
    for bad, message in (
        (good[: len(good) // 2], "here: not a whole JSON file"),
        (good.replace('"keltis"', '"delphi"'), "here: weights of 'delphi', not of 'keltis'"),
        (good.replace('"format": 1', '"format": 2'), "here: format 2 is not allowed; allowed: 1"),
        (good.replace('"stones"', '"pebbles"'), "here: value.pebbles is not a feature of this version"),
        (re.sub(r'"fade": [0-9.]+', '"fade": "much"', good), "here: settings.fade: 'much' is not allowed"),
    ):
        with pytest.raises(BadWeights, match=message):
            read_weights(bad, game.weight_names, "here")
    with pytest.raises(BadWeights, match=r"cannot be read .* run `pythia learn keltis` first"):
        install(tmp_path / "none.json", OTHER)


def test_best_weights_carry_how_they_came_about(tmp_path):
    begin(TINY, tmp_path)
    game = load_game(OTHER, seed=0)
    verdict = Verdict(1, "value", True, "elo1", 40, 0.6, 0.5, 0.7, 0.2, 0.1, 99)
    write_best(TINY, tmp_path, game, game.weights() | {"stones": 6.5}, [verdict])
    file = read_weights((tmp_path / "weights.json").read_text(), game.weight_names, "here")
    assert file.values["stones"] == 6.5
    assert file.provenance["gates"][0]["win_rate"] == 0.6
    assert file.provenance["games"] == 2


# -- a model of the encoding


def test_a_model_of_the_encoding_is_learned_and_plays(tmp_path):
    """From nothing, by the command's own steps: it explains results and its bot plays with it."""
    spec = replace(TINY, games=10, gate_blocks=2, encoding=True)
    (verdict,) = learn(spec, tmp_path, Arena(1))
    assert verdict.part == "model"
    assert verdict.samples > 100
    model = read_model(str(tmp_path / "001/model.npz"))
    assert (model.game, model.players) == (OTHER, 2)
    assert np.any(model.policy)
    state = load_game(OTHER, players=2, seed=5).new_state()
    bot = BotSpec.parse(f"pythia.search.model:ModelBot:file={tmp_path / '001/model.npz'}").make(1)
    result = bot.choose(View.of(state, 0))
    assert result.move in map(str, state.legal_moves())
    assert sum(result.values) == pytest.approx(1.0)
    # The same folder goes on: nothing is played again.
    assert learn(spec, tmp_path, Arena(1)) == [verdict]
    assert read_model(str(tmp_path / "model.npz")).provenance["command"] == command(spec)
    three = load_game(OTHER, players=3, seed=5).new_state()
    with pytest.raises(BadBot, match="a model of keltis with 2 players is not allowed"):
        bot.choose(View.of(three, 0))


def test_a_model_finds_what_wins():
    """Results that follow one number of the encoding: value and policy find it."""
    game = load_game(OTHER, players=2, seed=0)
    empty = empty_model(game)
    rng = np.random.default_rng(4)
    files = []
    for _ in range(60):
        seen = rng.random((40, len(empty.policy)))
        won = float(rng.random() < 0.5)
        seen[:, 7] = 0.5 + 0.4 * (won - 0.5)
        files.append(
            {
                "seats": np.zeros(40, np.int8),
                "seen": seen,
                "steps": rng.normal(scale=0.1, size=seen.shape),
                "returns": np.array([won, 1 - won]),
            }
        )
    learned = fit_model(empty, files)
    assert learned.after < 0.5 * learned.before
    assert np.argmax(learned.model.value[:-1]) == 7
    assert np.argmax(learned.model.policy) == 7


def test_a_broken_model_is_named(tmp_path):
    path = tmp_path / "model.npz"
    path.write_bytes(b"PK half")
    with pytest.raises(BadWeights, match=r"model.npz: not a whole model .* learn or copy it again"):
        read_model(str(path))
