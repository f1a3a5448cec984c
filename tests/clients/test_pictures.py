"""Pictures as clients meet them: of positions that came over the wire, and as PNG."""

import struct
import sys
from functools import partial

import pytest
import resvg_py

from pythia.clients.cli import png
from pythia.clients.cli.png import NoPng, png_of
from pythia.core_cy import SPECTATOR, BadOption, Random, list_games, load_game
from pythia.core_cy.picture import svg_of, text_of
from pythia.core_cy.svg import FONTS
from pythia.service.convert import position_message, to_json

WORDS = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="60" height="30"><rect width="60" height="30" fill="#fff"/>'
    f'<text x="5" y="20" font-family="{FONTS}">{{}}</text></svg>'
)


def played(name, moves):
    state, rng = load_game(name, players=3, seed=5).new_state(), Random(5)
    for _ in range(moves):
        state.apply(state.sample_chance(rng) if state.to_act < 0 else state.random_move(rng))
    return state


def size_of(image):
    assert image.startswith(b"\x89PNG\r\n\x1a\n")
    return struct.unpack(">II", image[16:24])


@pytest.fixture(autouse=True)
def fonts_asked_anew():
    yield
    png._has_fonts.cache_clear()


@pytest.mark.parametrize("name", list_games())
@pytest.mark.parametrize("moves", [0, 60])
def test_what_messages_leave_out_is_drawn_all_the_same(name, moves):
    """In messages, fields that have their default are absent."""
    state = played(name, moves)
    for seen in (state.to_json(), state.observation(0), state.observation(SPECTATOR)):
        bare = to_json(getattr(position_message(seen), name))
        assert bare != seen
        assert svg_of(bare) == svg_of(seen)
        assert text_of(bare) == text_of(seen)


@pytest.mark.integration  # needs fonts
@pytest.mark.parametrize("name", list_games())
def test_a_picture_as_png(name):
    svg = svg_of(played(name, 40).observation(1))
    width, height = size_of(png_of(svg, width=640))
    assert width == 640
    assert 400 < height < 640


@pytest.mark.integration  # needs fonts
def test_a_png_is_as_large_as_the_picture_says():
    assert size_of(png_of(WORDS.format("x"))) == (60, 30)


@pytest.mark.integration  # needs fonts
def test_words_are_in_the_png():
    # Greek letters are on tiles, the sign of times on cards.
    images = {png_of(WORDS.format(words)) for words in ("", "Φ", "Ψ", "Σ", "Ω", "×2", "2")}  # noqa: RUF001
    assert len(images) == 7


@pytest.mark.parametrize("width", [0, -1, 15, 10_001, 2.5, "640", True])
def test_widths_that_are_not_allowed(width):
    with pytest.raises(
        BadOption, match=r"width: .* is not allowed; allowed: a whole number from 16 to 10000"
    ):
        png_of(WORDS, width=width)


def test_without_the_extra_the_error_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(NoPng, match=r"^png: resvg is not installed; .*pip install 'pythia-opponent\[png\]'"):
        png_of(WORDS)


def test_without_fonts_nothing_is_drawn(monkeypatch):
    bare = partial(resvg_py.svg_to_bytes, skip_system_fonts=True)
    assert bare(svg_string=WORDS.format("words")) == bare(svg_string=WORDS.format(""))
    monkeypatch.setattr(png, "_painter", lambda: bare)
    with pytest.raises(NoPng, match=r"^png: no font was found to write with; install one"):
        png_of(WORDS.format("words"))
