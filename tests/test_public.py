"""The front door: what `from pythia import ...` offers."""

import inspect
import subprocess
import sys

import pytest

import pythia


@pytest.mark.parametrize("name", pythia.__all__)
def test_public_names_are_there_and_documented(name):
    value = getattr(pythia, name)
    if inspect.isclass(value) or callable(value):
        assert inspect.getdoc(value), f"{name} has no docstring"


def members(value):
    """The methods and properties that a class defines, but for the plain attributes of compiled classes."""
    for name, member in inspect.getmembers(value):
        if not name.startswith("_") and (callable(member) or isinstance(member, property)):
            yield name, member


@pytest.mark.parametrize("name", pythia.__all__)
def test_members_of_public_classes_are_documented(name):
    value = getattr(pythia, name)
    bare = (
        [member for member, found in members(value) if not has_words(found)] if inspect.isclass(value) else []
    )
    assert not bare, f"{name}: no docstring: {', '.join(bare)}"


def has_words(member):
    """Whether there is more than the signature, which Cython puts first."""
    lines = (inspect.getdoc(member) or "").splitlines()
    return any(line.strip() and not line.startswith(("State.", "View.", "Game.")) for line in lines)


def test_the_list_has_one_home_for_each_name():
    assert sorted(pythia.__all__) == sorted(pythia._HOMES)
    assert set(pythia.__all__) <= set(dir(pythia))


def test_an_unknown_name_is_named_with_what_there_is():
    with pytest.raises(AttributeError, match=r"'load_gaem'; it has .*load_game"):
        _ = pythia.load_gaem


def test_the_front_door_loads_nothing_by_itself():
    code = "import sys, pythia; print([name for name in sys.modules if name.startswith('pythia.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
