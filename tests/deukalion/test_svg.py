"""Pictures of Deukalion: everything on the table is in them, and nothing hidden."""

from pythia.core_cy import Random, load_game
from pythia.core_cy.picture import svg_of, text_of
from tests.deukalion.tables import Table
from tests.pictures import Picture, assert_well_laid_out


def test_the_table_is_drawn():
    table = Table(players=3).seat(
        1, ship="2,5", treasures=["red", "blue"], cards=["charon", "midas"], order="two_red"
    )
    picture = Picture(svg_of(table.settle(argos=2, lindos=0).state().to_json()))
    assert_well_laid_out(picture)
    assert picture.count("square") == 63
    assert picture.one("ship", seat=1).data("square") == "2,5"
    assert picture.one("hydra").data("square") == "5,6"
    assert picture.count("settler", seat=0) == 2
    assert picture.count("settler", seat=2) == 1
    assert picture.count("treasure") == 15 + 5 - 5  # all of them; those of the legend have no class
    area = picture.all("player")[1]
    assert [card.data("card") for card in area.all("card")] == ["charon", "midas"]
    assert area.one("order own").data("order") == "two_red"
    assert picture.count("order open") == 2


def test_hidden_hands_show_their_backs():
    knows = [{"seat": 1, "cards": ["midas"]}]
    state = Table(players=3).seat(1, cards=["charon", "midas"]).seat(0, knows=knows).state()
    area = Picture(svg_of(state.observation(0))).all("player")[1]
    assert area.count("card back") == 1
    assert area.one("card known").data("card") == "midas"
    assert area.count("order back") == 1
    spectator = Picture(svg_of(state.observation(-1))).all("player")[1]
    assert spectator.count("card back") == 2


def test_moves_are_marked():
    state = Table().seat(1, ship="2,5").city(thera=["red"]).state()
    sail = Picture(svg_of(state.to_json(), move="sail 2,4"))
    assert sail.one("mark", square="2,4")
    assert sail.count("way") == 1
    attack = Picture(svg_of(state.to_json(), move="attack thera"))
    assert attack.one("mark", square="3,5")


def test_the_text_shows_the_board_and_the_hands():
    state = Table().seat(1, ship="2,5", treasures=["red"], cards=["charon"], order="two_red").state()
    text = text_of(state.to_json())
    assert "THERA" in text
    assert ">1" in text
    assert "hand: charon · order: two_red" in text
    assert "two_red" not in text_of(state.observation(0)).replace("two_red (", "")
    assert "HYDRA" in text


def test_text_of_whole_games():
    state, rng = load_game("deukalion", players=4, seed=3).new_state(), Random(3)
    while not state.is_over:
        assert text_of(state.to_json()).startswith("Deukalion · round ")
        for _ in range(25):
            if not state.is_over:
                state.apply(state.sample_chance(rng) if state.to_act == -1 else state.random_move(rng))
    assert "over: won by seat" in text_of(state.to_json())


def test_all_cards_in_one_hand_stay_on_the_table():
    picture = Picture(svg_of(Table().no_pile().state().to_json()))
    assert_well_laid_out(picture)
    assert picture.all("player")[1].count("card") == 30
