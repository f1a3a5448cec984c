"""The `pythia` command. Errors are one line on standard error; docs/cli.md lists the exit codes."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from importlib.metadata import version as installed_version
from typing import NamedTuple

import cyclopts

from pythia.clients.cli.console import (
    EXIT_FAILED,
    EXIT_INTERRUPTED,
    EXIT_USAGE,
    exit_code,
    fail,
    in_options,
    way_out,
)


class Command(NamedTuple):
    path: str
    line: str
    group: cyclopts.Group


LOOK, PLAY, SERVE, COMPARE, GENERAL = (
    cyclopts.Group(name, sort_key=number)
    for number, name in enumerate(
        ("Positions and advice", "Playing", "Matches and servers", "Comparing bots", "General")
    )
)

# By their path, so that a command loads only what it needs. The line is the first of the command's own help: the list
# of commands shows it without loading them.
COMMANDS = {
    "games": Command("games:games", "List the games with their options.", LOOK),
    "new": Command("new:new", "Make a position or a board.", LOOK),
    "show": Command("show:show", "Show a position as text, SVG or PNG.", LOOK),
    "moves": Command("moves:moves", "List the legal moves of a position.", LOOK),
    "suggest": Command(
        "suggest:suggest", "Suggest a move, and show what a bot thinks of the best moves.", LOOK
    ),
    "turn": Command("turn:turn", "Let a bot play a whole turn.", LOOK),
    "explain": Command(
        "explain:explain", "Explain a word of a game: a card, tile, god, move, phase, option or ruling.", LOOK
    ),
    "record": Command("record:record", "Print a game of random moves as a record.", LOOK),
    "web": Command("web:web", "Open the page: play, analyse, review and watch in a browser.", PLAY),
    "play": Command("play:play", "Play against bots in the terminal.", PLAY),
    "replay": Command("replay:replay", "Step through a record, or check it and show its end.", PLAY),
    "review": Command("review:review", "Review a game: what decisions cost, and who was lucky.", PLAY),
    "match": Command("match:app", "Create, play and watch matches.", SERVE),
    "serve": Command(
        "serve:serve", "Serve the games over gRPC, and with --http over HTTP, until interrupted.", SERVE
    ),
    "demo": Command("demo:demo", "Start a server, show a game between bots on it, and exit.", SERVE),
    "run": Command("run:run", "Start a server, show a game between bots on it, and keep serving.", SERVE),
    "bench": Command("bench:bench", "Measure how fast this machine plays and searches.", COMPARE),
    "tournament": Command("tournament:app", "Compare bots: run a tournament and show its results.", COMPARE),
    "tune": Command(
        "tune:tune",
        "Optimize search parameters or evaluation weights against a baseline.",
        COMPARE,
    ),
    "learn": Command(
        "learn:learn_game", "Learn the weights of a game's evaluation and policy from self-play.", COMPARE
    ),
}


def make_app(*, listing: bool = False) -> cyclopts.App:
    """The command line. With `listing` it can list the commands at once; each alone explains itself at length."""
    app = cyclopts.App(
        name="pythia",
        help="An AI opponent for board games with dice and hidden information.\n\n"
        "`pythia COMMAND --help` explains a command. Add --debug anywhere to get the traceback of an error.",
        help_format="plaintext",
        group_commands=GENERAL,
        version=version_line,
        suppress_keyboard_interrupt=False,
    )
    # Start-up files belong to the user: the command says what to add where the shell needs it.
    app.register_install_completion_command(add_to_startup=False)
    app.command(version)
    for order, (name, command) in enumerate(COMMANDS.items()):
        app.command(
            f"pythia.clients.cli.{command.path}",
            name=name,
            group=command.group,
            help=command.line if listing else None,
            sort_key=order,
        )
    return app


def version() -> None:
    """Print the version.

    For example:

        pythia version
    """
    print(version_line())


def version_line() -> str:
    return f"pythia {installed_version('pythia-opponent')}"


def main(arguments: Sequence[str] | None = None) -> None:
    # gRPC's own log would stand between the lines of a command; what it has to say comes as an error as well.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    words = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in words
    words = [word for word in words if word != "--debug"]
    app = make_app(listing=not COMMANDS.keys() & set(words))
    try:
        app(words, exit_on_error=False, print_error=False, result_action="return_none")
        sys.stdout.flush()
    except cyclopts.CycloptsError as error:
        command = " ".join(["pythia", *(error.command_chain or ())])
        fail(EXIT_USAGE, f"{error} `{command} --help` shows what is allowed.")
    except BrokenPipeError:
        # The reader (`| head`) has gone; nobody is there to tell, and Python must not try to flush at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(EXIT_FAILED)
    except KeyboardInterrupt as error:
        fail(EXIT_INTERRUPTED, str(error) or "interrupted")
    except Exception as error:
        if debug:
            traceback.print_exc()
        for note in getattr(
            error, "__notes__", []
        ):  # such as the traceback of a bot; the message is one line
            print(note, file=sys.stderr)
        code = exit_code(error)
        if code is None:
            fail(
                EXIT_FAILED,
                f"{type(error).__name__}: {error}; this is a bug in pythia; --debug shows the traceback",
            )
        fail(code, f"{in_options(str(error))}{way_out(error, code)}")
