"""Move texts of Deukalion: one for each move, and errors that name the word."""

import pytest

from pythia.core_cy import IllegalMove, Random, load_game
from pythia.core_cy.deukalion.components import default_facts
from pythia.core_cy.deukalion.text import move_parts
from pythia.core_cy.move_words import tell_reasons
from tests.deukalion.tables import Table, play

FACTS = default_facts()


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("sail 4,2", {"action": "sail", "x": 4, "y": 2}),
        ("attack thera", {"action": "attack_city", "place": "thera"}),
        ("attack argos", {"action": "attack_settlement", "place": "argos"}),
        (
            "claim two_red red red",
            {"action": "claim_treasures", "order": "two_red", "colors": ["red", "red"]},
        ),
        (
            "claim crew_to_zypern cards charon charon midas midas",
            {
                "action": "claim_cards",
                "order": "crew_to_zypern",
                "cards": ["charon", "charon", "midas", "midas"],
            },
        ),
        ("claim crew_to_zypern fighters", {"action": "claim_fighters", "order": "crew_to_zypern"}),
        ("kylix 3 1 2 2", {"action": "kylix", "dice": [3, 1, 2, 2]}),
        ("roll 2 1 1 3 2", {"action": "roll", "dice": [2, 1, 1, 3, 2]}),
        ("throw 4 5 1", {"action": "throw", "up": 4, "down": 5, "half": 1}),
        ("steal", {"action": "steal"}),
        ("steal charon", {"action": "stolen", "card": "charon"}),
    ],
)
def test_moves_by_their_parts(text, fields):
    assert move_parts(FACTS, text) == {"text": text, **fields}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a word is missing; allowed: anchor, sail"),
        ("fly 4,2", "'fly' is not allowed there"),
        ("sail", "a word is missing; allowed: a square"),
        ("sail 4,9", "'4,9' is not allowed there; allowed: a square such as"),
        ("sail 4,2 ", "allowed: nothing more"),
        ("take pink", "'pink' is not allowed there; allowed: red, yellow"),
        ("claim two_red", "a word is missing; allowed: red"),
        ("claim two_red green red", "this move is written 'claim two_red red green'"),
        ("claim crew_to_zypern cards", "a word is missing; allowed: pegasus"),
        ("claim two_red" + " red" * 8, "at most 7 of a kind"),
        ("kylix 1 2 3", "a word is missing; allowed: 1, 2, 3"),
        ("kylix 1 2 3 4", "'4' is not allowed there"),
        ("throw 11 0 0", "'11' is not allowed"),
        ("x" * 500, r"x\.\.\."),
    ],
)
def test_errors_name_the_word(text, message):
    with pytest.raises(IllegalMove, match=message):
        move_parts(FACTS, text)


WHY = [
    (Table(), "sail 4,0", "4,0 is land"),
    (Table().seat(1, ship="0,6"), "sail 0,3", "0,3 is 3 steps away, the range is 2"),
    (Table(hydra="0,5").seat(1, ship="0,6"), "sail 0,5", "no order that asks for it"),
    (Table(hydra="0,5").seat(1, ship="0,6").rolled(3, 1, 1, 1, 1), "sail 0,4", "end the way before 0,4"),
    (Table().use(sailed=True), "sail 3,1", "sails once"),
    (Table().use(acted=True), "sail 3,1", "after the deed"),
    (Table(), "found argos", "not near argos"),
    (Table().seat(1, ship="2,2").settle(argos=0), "found argos", "fighters of seat 0 are on argos"),
    (Table().seat(1, ship="2,2").settle(argos=1), "attack argos", "the own fighters"),
    (Table().seat(1, ship="2,2"), "attack argos", "it can be founded"),
    (Table().seat(1, ship="2,5", fighters=0), "attack thera", "needs a fighter"),
    (Table(), "deliver red", "no red treasure is aboard"),
    (Table().seat(1, ship="2,1", treasures=["red"]), "deliver red", "on an anchor"),
    (Table(), "rest", "no fighters of seat 1 are in the underworld"),
    (Table(), "play charon", "charon is not in the hand"),
    (Table().seat(1, cards=["midas"]), "play midas", "not played alone"),
    (Table(), "kylix 1 1 2 3", "not in phase follow; kylix belongs to kylix"),
    (Table(), "claim two_red red red", "neither open nor in the hand"),
    (Table().seat(1, order="two_red"), "claim two_red red red", "2 red treasures are not aboard"),
    (Table().seat(1, order="two_red"), "claim two_red fighters", "no task of two_red is fighters"),
    (Table().seat(1, order="crew_to_zypern"), "claim crew_to_zypern fighters", "not near zypern"),
    (Table().act(1, 1, 1, 1), "end", "the card die shows 1 and must be used"),
    (Table().act(2, 1, 1, 1), "card", "a 2 of the card die brings nothing"),
    (Table().act(2, 1, 1, 1), "hydra 0,0", "does not enter 0,0"),
    (Table().act(2, 1, 1, 1), "hydra 0,6", "steps away for the Hydra"),
    (Table(phase="kylix", mover=0), "kylix 3 3 3 3", "no turning of the ring"),
]


@pytest.mark.parametrize(("table", "move", "message"), WHY)
def test_why_a_move_is_illegal(table, move, message):
    with pytest.raises(IllegalMove, match=message):
        table.state().apply(move)


def test_every_refusal_has_a_reason():
    """All texts of one game against positions of another: none is refused without words."""
    texts, states = set(), []
    for seed in (1, 2):
        state, rng = load_game("deukalion", players=3, seed=seed).new_state(), Random(seed)
        while not state.is_over:
            texts.update(str(move) for move in state.legal_moves()[:40])
            if len(states) < 60 and rng.below(8) == 0:
                states.append(state.clone())
            state.apply(state.sample_chance(rng) if state.to_act == -1 else state.random_move(rng))
    for number, state in enumerate(states):
        legal = {str(move) for move in state.legal_moves()}
        for text in sorted(texts - legal)[number % 7 :: 7]:
            with pytest.raises(IllegalMove, match=r": \w+"):
                state.apply(text)


def test_reasons_tell_what_a_move_brings():
    state = Table().seat(1, ship="2,5").city(thera=["red"]).state()
    assert why(state, "attack thera") == ["attacks Thera, which falls in 99% of throws"]
    assert why(state, "attack thera", "de") == ["greift Thera an, das bei 99 % der Würfe fällt"]
    state = Table().seat(1, ship="4,1", treasures=["red"]).state()
    assert why(state, "deliver red") == ["scores 1 point"]
    win = (
        Table()
        .seat(1, ship="3,1", treasures=["red"], victory_cards=13, fulfilled=["yellow_or_green"])
        .state()
    )
    assert why(win, "deliver red") == ["ends the game and wins"]


def why(state, move, language="en"):
    after = play(state.clone(), move)
    found = state.game.why_good(state, after, 1, state.parse_move(move))
    return tell_reasons("deukalion", found, language)
