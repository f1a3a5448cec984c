"""Pictures as clients meet them: of positions that came over the wire, and as PNG."""

import json
import re
import shlex
import struct
import sys
from functools import partial
from pathlib import Path

import pytest
import resvg_py

from pythia.clients.cli import png
from pythia.clients.cli.png import NoPng, png_of
from pythia.core_cy import SPECTATOR, BadOption, Random, list_games, load_game
from pythia.core_cy.picture import svg_of, text_of
from pythia.core_cy.svg import FONTS
from pythia.service.wire import position_message, to_json
from tests.clients.command import pythia, worked
from tools.screens import GAMES, SIZES, drawing

ROOT = Path(__file__).parent.parent.parent
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


# -- the pictures of the docs


def picture_commands():
    """(page, words of the command) of every picture that a page shows with how it was made."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    for page in (str(path.relative_to(ROOT)) for path in pages):
        text = (ROOT / page).read_text(encoding="utf-8")
        for command in re.findall(r"^pythia show .*--png .*$", text, re.MULTILINE):
            yield page, shlex.split(command)[1:]


def test_the_docs_say_how_their_pictures_were_made():
    shown = {path.stem for path in (ROOT / "docs/pictures").glob("*.png")}
    screens = {
        f"terminal-{game}-{columns}x{rows}" for game in GAMES for columns, rows in SIZES
    }  # by tools/screens.py
    pages = {
        f"web-{view}" for view in ("analyse", "phone", "play", "review", "table", "watch")
    }  # tools/screenshots.py
    by_command = {Path(words[words.index("--png") + 1]).stem for _, words in picture_commands()}
    assert by_command == shown - screens - pages
    assert pages < shown
    assert screens < shown
    page = (ROOT / "docs/play.md").read_text(encoding="utf-8")
    assert set(re.findall(r"pictures/(terminal-[^)]+)\.png", page)) == screens


def test_screens_are_drawn_as_they_are_played():
    words = re.sub(r"<[^>]+>|&#160;", " ", drawing("keltis", 80, 24))
    assert re.search(r"seat 0 +\(you\): +total", words)
    assert "Your move." in words


@pytest.mark.parametrize(("page", "words"), list(picture_commands()), ids=lambda value: str(value)[:20])
def test_the_command_of_a_picture_gives_the_position_and_the_move(page, words, tmp_path, monkeypatch):
    """As SVG, which needs no fonts: the position of the file beside the picture, with the move marked in it."""
    at = words.index("--png")
    svg = tmp_path / "picture.svg"
    monkeypatch.chdir(ROOT)
    worked(*words[:at], "--svg", str(svg))
    position = json.loads((ROOT / words[1]).read_text(encoding="utf-8"))
    assert svg.read_text(encoding="utf-8") == svg_of(position, move=words[words.index("--move") + 1])
    assert (ROOT / words[1]).with_suffix(".png").name == words[at + 1]


@pytest.mark.integration  # needs fonts
@pytest.mark.parametrize(("page", "words"), list(picture_commands()), ids=lambda value: str(value)[:20])
def test_the_command_of_a_picture_gives_the_picture(page, words, tmp_path, monkeypatch):
    """Its size and most of its pixels: letters differ with the fonts of the machine."""
    at = words.index("--png") + 1
    png = tmp_path / words[at]
    monkeypatch.chdir(ROOT)
    worked(*words[:at], str(png), *words[at + 1 :])
    kept = (ROOT / "docs/pictures" / words[at]).read_bytes()
    assert size_of(png.read_bytes()) == size_of(kept)
    assert 0.8 < len(png.read_bytes()) / len(kept) < 1.25


@pytest.mark.parametrize("name", list_games())
def test_show_refuses_moves_that_are_not_legal(name, tmp_path):
    state = played(name, 40)
    position = tmp_path / "position.json"
    position.write_text(json.dumps(state.to_json()))
    legal = {str(move) for move in state.legal_moves()}
    other = next(
        str(move)
        for moves in range(39)
        for move in played(name, moves).legal_moves()
        if str(move) not in legal
    )
    ran = pythia("show", position, "--move", other, "--svg", tmp_path / "x.svg")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith(f"pythia: {other!r}: ")
    assert not (tmp_path / "x.svg").exists()


@pytest.mark.integration  # needs fonts
@pytest.mark.parametrize("name", list_games())
def test_a_picture_as_png(name):
    svg = svg_of(played(name, 40).observation(1))
    own_width, own_height = size_of(png_of(svg))
    width, height = size_of(png_of(svg, width=640))
    assert width == 640
    assert height == pytest.approx(640 * own_height / own_width, abs=1)
    assert 320 < height < 640, "wide, but not flat"


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
    with pytest.raises(NoPng, match=r"^png: no font was found; install one"):
        png_of(WORDS.format("words"))
