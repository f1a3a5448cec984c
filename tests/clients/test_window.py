"""What a player sees fits the window, has colors only where they are wanted, and says what is needed."""

import io
import os
import re
import subprocess
from contextlib import nullcontext
from types import SimpleNamespace

import pytest
from rich.console import Console
from rich.text import Text

from pythia.clients import Client
from pythia.clients.cli.console import plain_table
from pythia.clients.cli.explain import explained
from pythia.clients.cli.palette import STYLES, colored
from pythia.clients.cli.play import Left, Moves, PlayTable, new_seats
from pythia.clients.cli.prompt import next_words
from pythia.clients.cli.views import analysis, expected, moves_table
from pythia.clients.cli.window import draw, everything, filled, fitted, in_columns, least, wrapped
from pythia.core_cy import SPECTATOR, Random, View, game_info, list_games, load_game
from pythia.core_cy.delphi import screen as delphi_screen
from pythia.core_cy.descriptions import descriptions
from pythia.core_cy.deukalion import screen as deukalion_screen
from pythia.core_cy.keltis import screen as keltis_screen
from pythia.core_cy.panels import width_of
from pythia.core_cy.picture import screen_of
from pythia.search.bots import BotSpec
from pythia.search.result import MoveReport, Result
from pythia.service.wire import position_message, to_json
from tests.clients.terminals import PYTHIA, Terminal
from tests.delphi.scenario import Scene

PROMPT = r"^> $"
QUICK = ("--bot", "greedy")
COLOR = re.compile(r"\x1b\[[0-9;]*(?:3[0-7]|9[0-7]|38;[25];[0-9;]+)m")
# The rows that the least that is shown may take in a window of 24, so that news, moves and the prompt have theirs.
MOST = 18


def positions(name, players, seed=3):
    """Some of the first moves of a game of random moves, as the seat to act sees them."""
    state, rng, number = load_game(name, players=players, seed=seed).new_state(), Random(seed), 0
    while not state.is_over and number < 300:
        if state.to_act >= 0 and number % 31 == 0:
            yield state.observation(state.to_act)
        state.apply(state.random_move(rng) if state.to_act >= 0 else state.sample_chance(rng))
        number += 1


def window(columns, rows, **options):
    return Console(width=columns, height=rows, file=io.StringIO(), highlight=False, **options)


def drawn(position, columns, rows, **options):
    console = window(columns, rows, **options)
    draw(fitted(screen_of(position), console, rows), console)
    return console.file.getvalue()


def counts():
    infos = map(game_info, list_games())
    return [
        (info.name, players) for info in infos for players in range(info.min_players, info.max_players + 1)
    ]


@pytest.mark.parametrize(("name", "players"), counts())
def test_every_position_fits_every_window(name, players):
    for position in positions(name, players):
        screen = screen_of(position)
        assert least(screen, window(80, 24)) <= MOST
        for columns, rows in ((80, 24), (120, 40), (200, 60)):
            lines = fitted(screen, window(columns, rows), rows - 6)
            assert len(lines) <= rows - 6
            assert max(map(len, lines)) <= columns


@pytest.mark.parametrize("name", list_games())
def test_larger_windows_show_more(name):
    (position, *_) = positions(name, game_info(name).max_players)
    sizes = [
        len(drawn(position, columns, rows).split()) for columns, rows in ((80, 18), (120, 34), (200, 54))
    ]
    assert sizes == sorted(sizes)
    assert "`board all` shows everything" not in drawn(position, 200, 54)
    # What has no room at all is cut off, and no reason not to play.
    assert max(map(len, drawn(position, 20, 5).splitlines())) <= 20


@pytest.mark.parametrize("name", list_games())
def test_full_positions_and_what_spectators_see(name):
    """Such as replays show, the end among them, and of those what messages leave out."""
    state, rng = load_game(name, players=3, seed=5).new_state(), Random(5)
    for number in range(4000):
        if number % 200 == 0 or state.is_over:
            for seen in (state.to_json(), state.observation(SPECTATOR)):
                assert "(you)" not in drawn(seen, 200, 60)
            bare = to_json(getattr(position_message(state.observation(0)), name))
            assert drawn(bare, 80, 18) == drawn(state.observation(0), 80, 18)
        if state.is_over:
            break
        state.apply(state.random_move(rng) if state.to_act >= 0 else state.sample_chance(rng))


def test_panels_stand_beside_the_board_where_it_is_wide_enough():
    (position, *_) = positions("delphi", 2)
    assert re.search(r"^4,-6 +~[a-z] +seat \d \(you\), ", drawn(position, 80, 20), re.MULTILINE)
    assert re.search(r"^ +4,-6 +seat \d \(you\), ", drawn(position, 200, 54), re.MULTILINE)


@pytest.mark.parametrize("name", list_games())
def test_everything_fits_the_width_of_a_small_window(name):
    for position in positions(name, game_info(name).max_players):
        lines = everything(screen_of(position), window(80, 24))
        assert max(map(len, lines)) <= 80


def test_a_narrow_window_has_every_space_of_the_path():
    (position, *_) = positions("keltis", 2)
    shown = drawn(position, 40, 40)
    for space in ("11p", "23p", "34g!", "(35p)!"):
        assert space in shown
    # A wider window has fewer lines.
    assert "10g   11p" in drawn(position, 80, 20)


def test_what_the_small_board_only_counts_is_told_in_full():
    (position, *_) = positions("delphi", 2)
    shown = " ".join(" ".join(line.plain for line in everything(screen_of(position), window(80, 24))).split())
    for at in position["board"]:
        if at["kind"] == "statue_island":
            assert f"{at['q']},{at['r']} {' '.join(at['sites'])}" in shown
    for what in ("offerings", "monsters"):
        for there in position[what]:
            assert f"{there['q']},{there['r']} {' '.join(there['colors'])}" in shown
    assert "oracle pile" in shown


def test_free_sites_of_a_statue_aboard():
    (position, *_) = positions("delphi", 2)
    seat = position["observer"]
    position["players"][seat]["cargo"]["statues"] = ["red"]
    position["statues"]["red"] -= 1
    sites = [at for at in position["board"] if "red" in at.get("sites", [])]
    places = " ".join(f"{at['q']},{at['r']}" for at in sites)
    assert sites
    assert f"red statue sites: {places}" in drawn(position, 200, 60)


def test_two_characters_for_every_space():
    for position in positions("delphi", 4):
        cells = [delphi_screen._two(position, at) for at in position["board"]]
        assert {width_of(cell) for cell in cells} == {2}


def test_tables_of_keltis_have_room_in_the_smallest_window():
    (position, *_) = positions("keltis", 2)
    shown = drawn(position, 80, 20)
    for words in (
        "a figure scores, up to space 5: -4",
        "wish stones score 0: -4, 1: -3",
        "priestess by card 0 10: 5",
        "total -4",
    ):
        assert words in shown


def test_no_hand_but_the_own():
    for position in positions("keltis", 3):
        assert drawn(position, 200, 60).count("hand:") == 1


# -- colors


def test_colors_have_letters_beside_them():
    """The same text with colors and without."""
    (position, *_) = positions("delphi", 2)
    plain = drawn(position, 120, 40)
    bright = drawn(position, 120, 40, force_terminal=True, color_system="256", no_color=False)
    assert COLOR.search(bright)
    assert not COLOR.search(plain)
    assert re.sub(r"\x1b\[[0-9;]*m", "", bright) == plain


def test_words_of_the_game_are_colored_and_no_others():
    text = colored("the red die, Ares and a bored reader", {"red": "red", "ares": "black"})
    assert [(text.plain[span.start : span.end], span.style) for span in text.spans] == [
        ("red", STYLES["red"]),
        ("Ares", STYLES["black"]),
    ]


@pytest.mark.parametrize(
    ("variables", "colors"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)]
)
def test_terminals_that_want_no_colors(variables, colors, tmp_path):
    arguments = ("play", "--game", "keltis", "--seed", "7", *QUICK)
    with Terminal(*arguments, columns=80, rows=24, cwd=tmp_path, **variables) as screen:
        screen.until(PROMPT)
        screen.answer("legend")
        assert bool(COLOR.search(screen.raw)) == colors


def test_in_a_pipe(tmp_path):
    """Everything is shown, without colors; the end of the input saves the game."""
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    ran = subprocess.run(
        [PYTHIA, "play", "--game", "delphi", "--players", "4", "--seed", "7", *QUICK],
        input="1\nlegend\n",
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment,
        check=False,
    )
    assert ran.returncode == 130
    assert "the game is saved in" in ran.stderr
    assert "\x1b" not in ran.stdout
    assert "seat 3, blue · Ship" in ran.stdout
    assert "equipment on display: " in ran.stdout
    assert "you: Give back a shrine task" in ran.stdout


@pytest.mark.parametrize("name", list_games())
def test_a_decision_takes_no_more_than_the_window(name, tmp_path):
    """The board, what bots did and the moves, with the prompt, in 80 by 24; even 30 by 8 is played in."""
    players = game_info(name).max_players
    arguments = ("play", "--game", name, "--players", players, "--seed", "7", *QUICK)
    with Terminal(*arguments, columns=80, rows=24, cwd=tmp_path) as screen:
        shown = screen.until(PROMPT)
        for _ in range(4):
            shown = screen.answer("1")
            title = game_info(name).title
            lines = shown[shown.rindex(f"\n{title} · round") + 1 :].splitlines()
            assert len(lines) <= 24
            assert max(map(len, lines)) <= 80
            news = [number for number, line in enumerate(lines) if line.startswith("you: ")]
            hidden = [
                number for number, line in enumerate(lines) if "in brief; `history` shows everything" in line
            ]
            assert news or hidden
            below = next(number for number, line in enumerate(lines) if line.startswith("Your move"))
            assert max(news + hidden) < below
    with Terminal(*arguments, columns=30, rows=8, cwd=tmp_path) as screen:
        assert "This window has 30 columns and" in screen.until(PROMPT)


class Measured(PlayTable):
    """Plays as a bot would, and keeps how many rows each decision takes, beside those that cannot be done without."""

    def ask(self):
        self._moves = self.legal_moves()
        self._console.file.seek(0)
        self._console.file.truncate()
        self.show_board()
        shown = self._console.file.getvalue().strip("\n").splitlines()
        self.taken.append((len(shown), least(screen_of(self.observation()), self._console)))
        self.submit(self._client.suggest(self.observation(), BotSpec.parse("greedy")).move)

    def end(self):
        raise Left


@pytest.mark.parametrize("name", list_games())
def test_a_whole_game_fits_a_small_window(name):
    """With the prompt in 24 rows, except if the board and the own panel alone leave no room for the rest."""
    seats = new_seats(0, ["greedy"], None, game_info(name).min_players)
    console = window(80, 24, force_terminal=True, no_color=True)
    with Client.local() as client:
        created = client.create_match(name, seats, seed=21, reproducible=True)
        table = Measured(client, created, console)
        table.taken = []
        table.waiting = nullcontext
        table.play()
    assert len(table.taken) > 20
    assert {rows for rows, needed in table.taken if rows > 23 and needed <= MOST} == set()


def test_a_small_window_says_what_each_of_the_others_did(tmp_path):
    """In brief if there is no room for every event: no seat's turn scrolls away."""
    arguments = ("play", "--game", "keltis", "--players", "4", "--seed", "12", "--auto", *QUICK)
    with Terminal(*arguments, columns=80, rows=24, cwd=tmp_path) as screen:
        screen.until(PROMPT)
        shown = screen.answer("1")
        while "in brief" not in shown:
            shown = screen.answer("1")
        told = shown[shown.rindex("in brief") : shown.rindex("Your move")].splitlines()[1:]
        assert [line.partition(":")[0] for line in told] == ["chance (you)", "seat 1", "seat 2", "seat 3"]
        assert max(map(len, told)) <= 80


def test_a_fight_keeps_its_odds_in_a_small_window(tmp_path):
    """What it brings is left out before what it risks."""
    with Terminal("play", "--seed", "3", *QUICK, columns=80, rows=24, cwd=tmp_path) as screen:
        screen.until(PROMPT)
        screen.answer("die:black sail 2,3")
        shown = screen.answer("fight", r"^Play it\? \[Y/n\] $")
        assert max(map(len, shown.splitlines())) <= 80
        shown = screen.answer("y")
        assert "chance (you): Battle roll: 6" in shown
        assert re.search(
            r"^1  Fight on for 1 favor · strength 8: needs a roll of 8 or more, 20% to win", shown, re.M
        )
        lines = shown[shown.rindex("The Oracle of Delphi") :].splitlines()
        assert len(lines) <= 24


def test_a_large_window_lists_many_moves(tmp_path):
    """Where there is room for them beside the largest board; in a small one they are counted."""
    arguments = ("play", "--game", "keltis", "--seed", "3", *QUICK)
    with Terminal(*arguments, columns=200, rows=60, cwd=tmp_path) as screen:
        shown = screen.until(PROMPT)
        assert "goblin" in shown  # not `gobl.`, as on the small board
        assert re.search(r"^36  \S+ .+ discard", shown, re.M | re.I)
    with Terminal(*arguments, columns=80, rows=24, cwd=tmp_path) as screen:
        assert "Your move. 36 are possible; press Enter to list them, or" in screen.until(PROMPT)


def test_many_figures_on_a_space_are_counted_without_the_priestess():
    (position, *_) = positions("keltis", 4)
    assert re.search(r"^12f\* ", drawn(position, 80, 20), re.M)
    assert re.search(r"^000111\* ", drawn(next(positions("keltis", 2)), 120, 40), re.M)


def test_legends_break_between_their_entries():
    assert list(filled("~r red water    Cr red city    Ar red temple", 28)) == [
        "~r red water    Cr red city",
        "Ar red temple",
    ]


# -- what is typed


def test_tab_offers_the_next_word():
    lines = ["die:red sail 2,1", "die:red sail 3,1", "die:red>pink draw", "end", "explain ares"]
    assert next_words(lines, "", "") == ["die:", "end", "explain "]
    assert next_words([*lines, "explain"], "", "exp") == ["explain "]
    assert next_words(lines, "die:", "r") == ["red ", "red>pink "]
    assert next_words(lines, "die:red ", "") == ["sail "]
    assert next_words(lines, "die:red sail ", "3") == ["3,1"]
    assert next_words(lines, "die:red sail 3,1", "") == []


def test_menus_say_prices_odds_and_gains():
    state = load_game("delphi", seed=7).new_state()
    for text in ("roll red pink blue", "roll red pink blue", "injury red", "injury red", "return shrine"):
        state.apply(text)
    moves = Moves([str(move) for move in state.legal_moves()], View.of(state, 0))
    recolored = next(text for text in moves.texts if text.startswith("die:red>pink sail"))
    assert "with the red die as pink · 2 favor for the color" in moves.line(recolored)
    assert recolored in moves.line(recolored, 120)
    # Words that people read find moves as well.
    assert moves.matching("with the blue die as red") == [
        text for text in moves.texts if text.startswith("die:blue>red")
    ]
    state = load_game("keltis", seed=7).new_state()
    moves = Moves([str(move) for move in state.legal_moves()], View.of(state, 0))
    assert re.search(
        r"figure from 0 to \d+ · .*figure worth [+-]\d, total [+-]\d", moves.line(moves.texts[0])
    )


def test_menus_say_what_a_fight_needs():
    state, rng = load_game("delphi", seed=3).new_state(), Random(3)
    while True:
        texts = [str(move) for move in state.legal_moves()] if state.to_act >= 0 else []
        fights = [text for text in texts if text.startswith("die:") and " fight " in text]
        if fights:
            break
        state.apply(state.random_move(rng) if texts else state.sample_chance(rng))
    line = Moves(texts, View.of(state, state.to_act)).line(fights[0])
    assert re.search(r"strength (\d): needs a roll of \1 or more, \d+% to win", line)
    assert "completes a monster task" in line


def test_names_in_tables_are_not_cut_off():
    table = plain_table("entrant", *["a number"] * 4)
    table.add_row("ismcts:level=1", *["12345678"] * 4)
    table.add_row("ismcts:level=2", *["12345678"] * 4)
    console = window(50, 24)
    console.print(table)
    shown = console.file.getvalue()
    assert "…" not in shown
    names = "".join(line[:7].strip() for line in shown.splitlines())
    assert names.endswith("ismcts:level=1ismcts:level=2")


def test_lists_in_columns():
    lines = [colored(f"{number}  word", {}) for number in range(1, 8)]
    assert [line.plain.rstrip() for line in in_columns(lines, 30)] == [
        "1  word  4  word  7  word",
        "2  word  5  word",
        "3  word  6  word",
    ]


# -- hints


def test_moves_without_visits_have_no_value():
    tried = MoveReport(
        "discard blue 1", 10, 0.5, 0.4, 0.6, 0.5, line=["discard blue 1", "take pile", "draw red 7"]
    )
    untried = MoveReport("discard red 2", 0, 0.51, 0.0, 1.0, 0.5)
    result = Result("discard blue 1", [tried, untried], [0.5, 0.5])
    console = window(120, 30)
    console.print(moves_table(result, "keltis", 10, 120))
    shown = console.file.getvalue()
    assert "50.0 %" in shown
    assert "51.0 %" not in shown
    assert "take pile; draw ?" in shown
    assert "red 7" not in shown
    # Without room for it in the table, the line of the best move stands below.
    console = window(80, 24)
    console.print(analysis(result, game="keltis", lines=10, width=60))
    assert "  then: take pile; draw ?" in console.file.getvalue()


def test_draws_in_the_expected_line_are_unknown():
    line = ["die:black favor", "die:red draw", "oracle blue", "end", "roll red pink blue"]
    assert expected("delphi", line) == "die:red draw; oracle ?; end; roll ?"


def line_of(state, moves):
    """What could come next in a game, with the cards that lie there."""
    luck, line = Random(1), []
    for _ in range(moves):
        move = state.legal_moves()[0] if state.to_act >= 0 else state.sample_chance(luck)
        line.append(str(move))
        state.apply(move)
    return line


def test_the_expected_line_ends_where_nobody_knows_the_cards():
    """The other seat may hold that card, or another: only the kind of its move is told."""
    state = load_game("keltis", seed=7).new_state()
    state.apply("play blue 1 figure 0")
    view = View.of(state, 0)
    line = line_of(state, 5)
    assert line[0] == "take pile"
    assert (
        expected("keltis", line, view)
        == f"draw ?; seat 1: {'play figure' if 'play' in line[2] else 'discard'} ?"
    )
    # What can be foreseen is told, and whose it is.
    state = load_game("offrandes", players=3, seed=1).new_state()
    state.apply("first sparta")
    view = View.of(state, 0)
    line = line_of(state, 4)
    first, last, then = line[1:]
    assert expected("offrandes", line, view) == f"seat 1: {first}; seat 0: {last}; {then}"


def test_a_die_is_not_foreseen():
    view = View.of(Scene().dice("red", "pink", "green").state(), 0)
    line = ["die:red draw", "oracle blue", "die:pink favor", "card:blue favor", "end"]
    assert expected("delphi", line, view) == "oracle ?; die:pink favor; favor ?"


def shown_of(game_screen, position, columns, rows):
    """A position that was changed, without a check whether it can be."""
    console = window(columns, rows)
    draw(fitted(game_screen.screen(position), console, rows), console)
    return re.sub(r"\s+", " ", console.file.getvalue())


def test_figures_have_the_color_of_their_seat():
    (position, *_) = positions("keltis", 2)
    position["players"][0]["figures"] = [9, 0, 0]
    position["players"][1]["figures"] = [9, 9, 0]
    for board in keltis_screen.screen(position).boards:
        spans = [span for line in board for span in line]
        assert spans.count(("0", "seat 0")) == 3
        assert spans.count(("1", "seat 1")) == 3
    assert {f"seat {seat}" for seat in range(5)} <= STYLES.keys()


def test_cards_have_the_names_that_people_read():
    (delphi, *_), (deukalion, *_) = positions("delphi", 2), positions("deukalion", 3)
    delphi["equipment_display"] = ["take_statue_a", "favor_on_black"]
    delphi["players"][delphi["observer"]]["equipment"] = ["extra_action"]
    shown = shown_of(delphi_screen, delphi, 200, 60)
    assert "equipment on display: Take a statue (red, yellow, green) · Favor on black" in shown
    assert "equipment: Extra action" in shown
    deukalion["players"][deukalion["observer"]]["cards"] = ["fair_wind", "charon"]
    for rows in (24, 60):
        assert "hand: Fair wind, Charon" in shown_of(deukalion_screen, deukalion, 80, rows)


def test_where_offerings_and_shrines_go():
    (position, *_) = positions("delphi", 2)
    player = position["players"][position["observer"]]
    temple = next(at for at in position["board"] if at["kind"] == "temple_island")
    color = temple["color"]
    player["cargo"]["offerings"] = [color]
    player["tasks"] |= {"offering": [color], "shrine": 1}
    tile = position["island_tiles"][0]
    tile |= {"face_up": True, "shrine": False, "color": player["color"], "letter": "phi"}
    for columns, rows, words in ((240, 60, f"{color} temples: "), (80, 24, f"temples: {color} ")):
        shown = shown_of(delphi_screen, position, columns, rows)
        assert f"{words}{temple['q']},{temple['r']}" in shown
        assert "offerings: " not in shown, "it is aboard"
        assert f"build a shrine: {tile['q']},{tile['r']}" in shown


def choosing_a_card():
    """A position of random play where one of six cards is taken, one that the menu cannot list in full width."""
    state, rng = load_game("delphi", seed=3).new_state(), Random(3)
    while (
        not (texts := [str(move) for move in state.legal_moves()])[0].startswith("equip ") or len(texts) < 6
    ):
        state.apply(state.random_move(rng) if state.to_act >= 0 else state.sample_chance(rng))
        assert not state.is_over
    return state, texts


def test_six_cards_to_choose_from_are_listed_in_a_small_window():
    """Cut off if they must be, as long as they can be told apart."""
    state, texts = choosing_a_card()
    view = View.of(state, state.to_act)
    screen = screen_of(view.observation())
    with Client.local() as client:
        created = client.create_match("delphi", new_seats(0, ["greedy"], None, 2))
        table = PlayTable(client, created, window(80, 24, force_terminal=True))
        table._moves = Moves(texts, view)
        room = table.rows() - least(screen, table._console)
        lines = table.listed(screen, room)
        same = [Text(f"{number}  {'the same long beginning ' * 2}{number}") for number in range(6)]
        assert table.in_two_columns(same) == []
    assert 0 < len(lines) < room
    assert max(map(len, lines)) <= 80
    numbers = re.findall(r"(\d)  Take: ", "\n".join(line.plain for line in lines))
    assert sorted(numbers) == list("123456")


def test_a_card_to_choose_is_explained():
    state, texts = choosing_a_card()
    for number, text in enumerate(texts, start=1):
        card = descriptions("delphi")[f"card:{text.split()[1]}"]
        assert f"{card.title}: {card.text}" in explained(state, texts, str(number), "en")


def test_odds_are_listed_even_if_others_did_much():
    """Two lines are enough for the news if otherwise a fight would have no odds."""
    state, rng = load_game("delphi", seed=3).new_state(), Random(3)
    while "fight on" not in (texts := [str(move) for move in state.legal_moves()]):
        state.apply(state.random_move(rng) if state.to_act >= 0 else state.sample_chance(rng))
        assert not state.is_over
    view = View.of(state, state.to_act)
    screen = screen_of(view.observation())
    with Client.local() as client:
        created = client.create_match("delphi", new_seats(0, ["greedy"], None, 2))
        table = PlayTable(client, created, window(80, 24, force_terminal=True))
        table._moves = Moves(texts, view)
        for seat in (0, 1):
            table._news = [SimpleNamespace(by=seat)] * 3
            lines = table.listed(screen, len(table.menu(texts, screen, gains=False)) + 3)
            assert "to win" in " ".join(line.plain for line in lines)


def test_a_wrapped_text_fills_its_first_line():
    """What follows is indented, so only that has less room."""
    text = Text("pile: 64 cards, and each of the others")
    lines = [line.plain for line in wrapped(text, window(80, 24), 14, " " * 4)]
    assert lines == ["pile: 64", "    cards, and", "    each of", "    the others"]
    assert [line.plain for line in wrapped(Text("just enough"), window(80, 24), 11)] == ["just enough"]
    # A first line that is full to the last column loses nothing of its width, and no space comes before the second.
    full = wrapped(Text("twelve chars, then more"), window(80, 24), 13)
    assert [line.plain for line in full] == ["twelve chars,", "  then more"]


@pytest.mark.parametrize("name", list_games())
def test_what_is_shown_has_names_and_no_ids(name):
    for position in positions(name, game_info(name).max_players):
        lines = everything(screen_of(position), window(200, 60))
        assert not [line.plain for line in lines if re.search("[a-z]_[a-z]", line.plain)]


def test_a_large_window_lists_more_moves_than_lines_in_columns(table):
    """With their prices; where even that is too much, the moves are counted by kind."""
    table._console = window(200, 60, force_terminal=True)
    table._moves = table.legal_moves()
    texts = table._moves.texts[:45]
    menu = table.many(texts, screen_of(table.observation()), 30)
    assert 20 < len(menu) < 30
    assert "favor for the color" in "".join(line.plain for line in menu)
    assert table.many(table._moves.texts, screen_of(table.observation()), 30) == []


def test_the_first_question_says_how_to_get_help(table):
    """The greeting has no room in a window that the board fills."""
    table._moves = table.legal_moves()
    screen = screen_of(table.observation())
    assert "(`?` is help)" in " ".join(line.plain for line in table.question(screen, 20))
    table.submit(table._moves.texts[0])
    table._moves = table.legal_moves()
    assert "(`?` is help)" not in "".join(line.plain for line in table.question(screen, 20))


def test_a_kind_of_move_that_is_not_possible_now(table):
    table._moves = table.legal_moves()
    assert table.why_not("explore").startswith("'explore' is not possible now; allowed now: ")
    assert table.why_not("explore").endswith("; `explain explore` says what it does")


@pytest.fixture
def table():
    """A game that has just begun, on a small terminal."""
    with Client.local() as client:
        created = client.create_match("delphi", new_seats(0, ["greedy"], None, 2), seed=11, reproducible=True)
        yield PlayTable(client, created, window(80, 24, force_terminal=True))
