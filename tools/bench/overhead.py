"""What lies around a search: the share of a decision over gRPC, and how much longer than the direct call it takes here.

Level 1 searches least, so there the rest counts most. The direct call is what a Python program would write itself.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from pythia.clients.cli.console import Thinking
from pythia.clients.cli.suggest import suggest
from pythia.clients.client import Client
from pythia.core_cy import View, state_from_json
from pythia.search.bots import BotSpec
from tools.bench import measure

LEVEL = 1
BOT = f"ismcts:level={LEVEL}"
LINES = 10
CALLS = 200
WARM_UP = 5


def timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def in_turns(*works: Callable[[], object]) -> list[float]:
    """The shortest seconds of each: others use the machine too, and noise only slows."""
    for _ in range(WARM_UP):
        for work in works:
            work()
    rounds = [[timed(work) for work in works] for _ in range(CALLS)]
    return [min(column) for column in zip(*rounds, strict=True)]


def search_share(address: str) -> tuple[float, float]:
    """Of the shortest level-1 decisions over gRPC: the share that is search, and their mean in seconds."""
    state = measure.position()
    seen = state.observation(state.to_act)
    calls = []  # the seconds of each, and those of its search
    with Client(address) as client:
        for number in range(WARM_UP + CALLS):
            began = time.perf_counter()
            result = client.suggest(seen, BOT, lines=LINES, seed=number)
            if number >= WARM_UP:
                calls.append((time.perf_counter() - began, result.seconds))
    shortest = sorted(calls)[: CALLS // 10]
    taken, searched = map(sum, zip(*shortest, strict=True))
    return searched / taken, taken / len(shortest)


def local_seconds() -> tuple[float, float]:
    """`Client.local().suggest` and the direct call, from an observation."""
    state = measure.position()
    seen = state.observation(state.to_act)
    spec = BotSpec.parse(BOT)
    with Client.local() as client:
        ours, direct = in_turns(
            lambda: client.suggest(seen, spec, lines=LINES),
            lambda: spec.make(0).choose(View.from_observation(seen), lines=LINES),
        )
    return ours, direct


def command_seconds() -> tuple[float, float]:
    """`pythia suggest FILE --json` without starting a process, and the direct call from the same file."""
    state = measure.position()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "position.json")
        file.write_text(json.dumps(state.to_json()))

        def direct() -> None:
            position = state_from_json(json.loads(file.read_text()))
            view = View.of(position, position.to_act)
            print(json.dumps(BotSpec.parse(BOT).make(0).choose(view, lines=LINES).to_json(), indent=2))

        def quiet(work: Callable[[], None]) -> Callable[[], None]:
            def run() -> None:
                with contextlib.redirect_stdout(io.StringIO()):
                    work()

            return run

        ours, theirs = in_turns(
            quiet(lambda: suggest(str(file), thinking=Thinking(level=LEVEL), lines=LINES, as_json=True)),
            quiet(direct),
        )
    return ours, theirs


def rows(address: str) -> Iterator[tuple[str, float, str, str, str, float | None]]:
    """For `python -m tools.bench service`."""
    share, taken = search_share(address)
    yield "level-1 decision over gRPC: in the search", 100 * share, "%", "at least 60", "", None
    yield "  its time", taken * 1e3, "ms", "", "", None
    for what, (ours, direct) in (
        ("Client.local().suggest, level 1", local_seconds()),
        ("pythia suggest, level 1, beside start-up", command_seconds()),
    ):
        yield what, ours * 1e3, "ms", "at most 2", "direct call", direct * 1e3


def main() -> None:
    """Alone, with the address of a server."""
    for what, value, unit, aim, _, compared in rows(sys.argv[1]):
        ratio = "" if compared is None else f"{value / compared:.2f} times {compared:.3g}  "
        print(f"{what:50}{value:10.3g} {unit:4}{ratio:24}{aim}")


if __name__ == "__main__":
    main()
