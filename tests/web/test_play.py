"""Playing in a real browser against a real server."""

import re

import pytest

from pythia.clients import Client
from pythia.core_cy import CHANCE, Random, View, load_game
from pythia.core_cy.record import Record, RecordEntry, header_of
from pythia.search.bots import make_bot
from tests.clients.serving import free_port, served
from tests.web.browser import Person

pytestmark = pytest.mark.integration


def test_a_whole_game_of_keltis_by_clicks(browser, server):
    with Person(browser, server.http_url) as me:
        me.open().new_table("Keltis", ["me", "greedy"])
        assert me.serious() == []
        number = 0
        while me.wait_turn():
            me.play()
            number += 1
            if number == 5:  # the game survives a reload, and the token is not in the address
                at = me.page.url
                me.page.reload()
                assert me.page.url == at
                assert re.fullmatch(r".*/#/table/\w+", at)
        assert number > 10
        assert "wins" in me.text(".status") or "win" in me.text(".status")
        # A rematch has the seats moved on.
        me.page.click("button:has-text('Rematch')")
        me.page.wait_for_function("(at) => location.href !== at", arg=at)
        me.wait(".players li:nth-child(2) .name:has-text('You')")


def near_the_end(game, decisions, **options):
    """A game of greedy bots that stops when this many decisions of seat 0 are left."""
    bot = make_bot("greedy")
    state = load_game(game, seed=5, **options).new_state()
    header = header_of(state, ["", ""])
    rng, moves, own = Random(5), [], []
    while not state.is_over:
        by = state.to_act
        if by == CHANCE:
            move = str(state.sample_chance(rng))
        else:
            if by == 0:
                own.append(len(moves))
            move = bot.choose(View.of(state, by)).move
        state.apply(move)
        moves.append(RecordEntry(by, str(move)))
    return Record(header, moves[: own[-decisions]], {})


def test_the_end_of_a_game_of_delphi_by_taps(browser, server):
    record = near_the_end("delphi", 10, players=2, removed_tasks=4)
    with Client(server.address) as client:
        made = client.import_record(record, [None, "greedy"])
    with Person(browser, server.http_url, phone=True) as me:
        me.page.add_init_script("""localStorage.setItem("pythia.hint", '{"name": "ismcts", "level": 1}')""")
        me.open(f"#/table/{made.id}/seat/{made.seat_tokens[0]}")
        assert me.wait_turn()
        assert made.seat_tokens[0] not in me.page.url
        assert me.serious() == []
        # The first hint shows bars and reasons, and a tap on a ranked move chooses it.
        for _ in range(60):
            me.page.click("button:has-text('Hint')")
            me.wait(".ranked .report")
            assert me.page.locator(".winbars li").count() == 2
            me.page.locator(".ranked .report").first.click()
            me.wait(".confirm")
            me.page.click(".confirm .strong")
            me.page.wait_for_function("() => !document.querySelector('.confirm')")
            if not me.wait_turn():
                break
        assert "win" in me.text(".status")
        assert me.page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


def test_four_players_and_a_click_on_the_board(browser, server):
    with Person(browser, server.http_url, lost=True, reduced_motion="no-preference") as me:
        me.page.add_init_script("localStorage.setItem('pythia.effort', '100')")
        me.open().new_table("Delphi", ["me", "random", "greedy", "random"])
        assert me.page.locator(".players li").count() == 4
        assert me.wait_turn()
        for _ in range(4):
            me.play()
            assert me.wait_turn()
        # Something said about a piece, and an event of the past on the board.
        me.page.hover(".picture g:has(> desc) >> nth=3")
        me.wait(".tip")
        me.page.click(".log .event >> nth=0")
        me.wait(".past")
        told = me.text(".past [role=status]")
        me.page.click(".past [aria-label='One move back']")
        me.page.wait_for_function(
            "(told) => document.querySelector('.past [role=status]').innerText !== told", arg=told
        )
        me.page.click(".past button:has-text('Back to now')")
        me.page.wait_for_function("() => !document.querySelector('.past')")
        # Undo takes back, or says in a sentence why it cannot.
        me.page.click("button:has-text('Undo')")
        me.page.click("button:has-text('Resign')")
        me.page.click("dialog .strong")
        me.wait(".status:has-text('win')")
        # The review of a match knows how long each player took.
        me.page.click("a:has-text('Review this game')")
        me.wait("table.sums thead th:has-text('You')")
        me.wait("table.sums tr:has-text('Time') td:has-text('a move') >> nth=3")


def test_a_hint(browser, server):
    with Person(browser, server.http_url) as me:
        me.page.add_init_script("""localStorage.setItem("pythia.hint", '{"name": "ismcts", "level": 3}')""")
        me.open().new_table("Keltis", ["me", "greedy"])
        assert me.wait_turn()
        me.page.click("button:has-text('Hint')")
        me.wait(".act .ranked .report")
        # A bar with an interval for each player, called by name; the best move is marked on the board at once.
        assert me.page.locator(".winbars .name").all_inner_texts() == ["You", "greedy"]
        assert re.search(
            "\\d+ % \\(\\d+ % \N{EN DASH} \\d+ %\\)",
            me.page.locator(".winbars .scale").first.get_attribute("aria-label"),
        )
        me.wait(".picture .p-mark", state="attached")
        # What is expected, in words, goes on over the board while the pointer rests on a move.
        me.page.hover(".ranked .report >> nth=0")
        me.page.wait_for_function(
            "() => /^[A-Z]/.test(document.querySelector('.expected .step')?.innerText ?? '')"
        )
        me.wait(".expected li:nth-child(2)[aria-current]")
        assert me.serious() == []
        me.page.locator(".ranked .report").first.click()
        me.wait(".confirm")
        me.page.click(".confirm button:has-text('Back')")
        me.wait(".ranked .report")
        me.page.click("button:has-text('Close the hint')")
        me.wait(".moves .move")
        me.wait(".picture .p-mark", state="detached")


def test_reasons_of_a_hint_are_in_the_language_of_the_page(browser, server):
    record = near_the_end("delphi", 10, players=2, removed_tasks=4)
    with Client(server.address) as client:
        made = client.import_record(record, [None, "greedy"])
        token = made.seat_tokens[0]
        told = {
            language: list(client.hint(made.id, token, "greedy", language=language))[-1].result.reasons
            for language in ("de", "en")
        }
    assert told["de"]
    with Person(browser, server.http_url, locale="de-DE") as me:
        me.page.add_init_script("""localStorage.setItem("pythia.hint", '{"name": "greedy"}')""")
        me.open(f"#/table/{made.id}/seat/{token}")
        assert me.wait_turn()
        me.page.click("button:has-text('Tipp')")
        me.wait(f".reasons li:has-text('{told['de'][0]}')")
        assert me.page.locator(".reasons li").all_inner_texts() == told["de"]
        me.page.select_option(".language", "en")
        me.wait(f".reasons li:has-text('{told['en'][0]}')")
        assert me.page.locator(".reasons li").all_inner_texts() == told["en"]


def test_two_browsers_at_one_table(browser, server):
    url = server.http_url
    with (
        Person(browser, url) as me,
        Person(browser, url, phone=True) as friend,
        Person(browser, url, lost=True) as third,
    ):
        me.open().new_table("Keltis", ["me", "friend"])
        links = me.page.locator(".share input")
        invitation = links.first.input_value()
        assert me.wait_turn()
        # Trying a friend's link in one's own browser takes nobody's seat, least of all one's own.
        me.open(invitation.removeprefix(f"{url}/"))
        assert "already have a seat" in me.text(".problem")
        me.page.click(".problem a:has-text('Watch')")
        assert me.wait_turn()
        assert me.page.locator("button:has-text('Hint')").count() == 0  # other people play
        friend.open(invitation.removeprefix(f"{url}/"))
        friend.wait(".status:has-text('to act')")
        me.play()
        while me.page.locator(".status.mine").count():  # a turn of Keltis ends with a card
            me.play()
        assert friend.wait_turn()
        friend.play()
        me.wait(".log .event:has(.seat-1)")
        # The link has been used; somebody else can only watch.
        third.open(invitation.removeprefix(f"{url}/"))
        assert "taken" in third.text(".problem")
        third.page.click(".problem a:has-text('Watch')")
        third.wait(".picture svg")
        assert third.page.locator(".moves").count() == 0
        # Hands are hidden from spectators: all cards of both players show their backs or are known.
        assert (
            me.page.locator(".picture .p-card.p-back").count()
            < third.page.locator(".picture .p-card.p-back").count()
        )


def test_a_restarted_server(browser, tmp_path):
    port = free_port()
    settings = {"http_port": port, "store": f"sqlite:{tmp_path / 'matches.sqlite'}"}
    with served(**settings) as server:
        me = Person(browser, server.http_url, lost=True)
        me.open().new_table("Keltis", ["me", "random"])
        assert me.wait_turn()
        me.play()
    me.wait("text=The connection is lost")
    with served(**settings):
        me.wait(".waiting", state="detached")
        assert me.wait_turn()
        label = me.play()
        assert label
        me.close()


def test_keyboard_only(browser, server):
    with Person(browser, server.http_url) as me:
        keys = me.page.keyboard
        me.open()
        me.wait("button:has-text('Start')")
        me.page.locator(".game:has-text('Keltis')").focus()
        keys.press("Enter")
        me.page.locator("button:has-text('Start')").focus()
        keys.press("Enter")
        me.wait(".moves .move")
        events = me.page.locator(".log li").count()
        me.page.locator(".filter").focus()
        word = me.text(".moves .move span").split()[1]
        keys.type(word)
        me.page.wait_for_function("() => document.querySelectorAll('.moves .move').length > 0")
        keys.press("ArrowDown")
        keys.press("ArrowUp")
        keys.press("Enter")
        me.wait(".confirm")
        keys.press("Escape")
        me.wait(".moves")
        me.page.wait_for_function("() => document.activeElement.matches('.filter')")
        # A piece on the board, reached by Tab, is picked by Enter.
        me.page.locator(".picture [data-state=live]").first.focus()
        keys.press("Enter")
        me.page.wait_for_function("() => document.querySelector('.chip, .confirm')")
        if not me.page.locator(".confirm").count():
            me.page.locator(".filter").focus()
            keys.press("Enter")
        me.wait(".confirm")
        keys.press("Enter")  # the button to play has the focus
        me.page.wait_for_function(f"() => document.querySelectorAll('.log li').length > {events}")


def test_german_dark_and_wrong_links(browser, server):
    with Person(browser, server.http_url, locale="de-DE", color_scheme="dark") as me:
        me.open()
        me.wait("text=Neuer Tisch")
        assert me.serious() == []
        me.page.select_option(".language", "en")
        me.wait("text=New table")
    with Person(browser, server.http_url, lost=True) as me:
        me.open("#/table/0123456789abcdef01234567")
        assert "no such table" in me.text(".problem")
        me.open("#/table/0123456789abcdef01234567/seat/nonsense")
        me.page.reload()
        assert "table" in me.text(".problem")
        me.open("#/analyse/cut-off")
        assert "cannot be read" in me.text(".problem")


def test_names_are_text(browser, server):
    """What others write stays text."""
    evil = "<img src=x onerror=alert(1)>"
    with Person(browser, server.http_url) as me:
        me.open()
        me.page.fill("input[aria-label='Name, Seat 0']", evil)
        me.new_table("Keltis", ["me", "random"])
        assert evil in me.text(".players")
        assert me.page.locator("img[src=x]").count() == 0
