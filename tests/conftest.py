"""What all tests share."""

import signal

import pytest

# A shell that starts the tests in the background makes them, and every program they start, deaf to interrupts;
# some tests interrupt a program and wait for it to end.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def state_folder(tmp_path_factory):
    """Matches, tokens and saved games of whoever runs the tests are let alone, also by the programs they start."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("state")
        patch.setenv("XDG_STATE_HOME", str(folder))
        for name in ("CONFIG", "SERVER", "TOKEN", "SEAT_TOKEN", "STORE"):
            patch.delenv(f"PYTHIA_{name}", raising=False)
        yield folder
