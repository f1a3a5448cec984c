"""What pictures show; that every position has one is a matter of the contract."""

from pythia.core_cy.picture import svg_of
from tests.offrandes.positions import example, position, state
from tests.offrandes.test_rules import ALL_READY, ELEVEN
from tests.pictures import Picture


def picture(state, move=None, **more):
    return Picture(svg_of(state.to_json(), move=move, **more))


def test_every_disc_stands_on_its_level():
    drawn = picture(example())
    assert drawn.count("disc") == 4 * 7
    assert drawn.one("disc", seat=3, character="guard").data("level") == "1"
    assert drawn.one("disc", seat=3, character="servant").data("level") == "0"
    assert drawn.count("field") == 7 * 6
    assert drawn.one("field", character="farmer", level=2).title == "farmer 2: pig 2"


def test_the_auction_under_way():
    drawn = picture(example("auction servant guard", "bid 3", "pass", "pass"), move="bid 4")
    assert {tile.data("character") for tile in drawn.all("for-sale")} == {"servant", "guard"}
    assert drawn.one("high").data("value") == "3"
    assert [bidder.data("seat") for bidder in drawn.all("bidder")] == ["0", "3"]
    assert "bid 4" in drawn.words()
    assert drawn.count("mark") == 1
    sold = picture(example("auction servant guard", "bid 3", "pass", "pass", "bid 4", "pass"))
    assert {tile.data("character") for tile in sold.all("sold")} == {"servant", "guard"}


def test_altars_and_the_supply():
    drawn = Picture(svg_of(position("over", -2, altars=ELEVEN)))
    assert drawn.count("altar") == 11
    assert drawn.one("altar", altar="zeus").data("seat") == "0"
    assert drawn.one("altar", altar="zeus").title == "zeus: 1 ox of Seat 0, 25 points at the end"
    assert drawn.one("supply-of", animal="chicken").data("count") == "12"
    assert [player.count("badge") for player in drawn.all("player")] == [0, 0, 0, 1]  # the winner


def test_moves_are_marked_where_they_happen():
    ladders = {"sparta": ALL_READY | {"seducer": 1}, "athens": {"farmer": 2}}
    offering = picture(state("offer", 0, ladders=ladders), move="offer 1 chicken ares")
    assert offering.one("altar", altar="ares").count("mark") == 1
    assert picture(state("bribe", 0, ladders=ladders), move="bribe athens farmer").count("way") == 2
    put_up = picture(state("auction", 0), move="auction farmer guard")
    assert put_up.one("character", character="guard").count("mark") == 1
    begin = example().game.new_state()
    assert picture(begin, move="first thebes").one("player", seat=3).count("mark") == 1


def test_players_have_their_names_and_cities():
    drawn = picture(example(), names=["Ann"])
    assert drawn.one("player", seat=0).one("name").words() == ["Ann"]
    assert "thebes" in drawn.one("player", seat=3).words()
    assert drawn.one("first").data("seat") == "0"
