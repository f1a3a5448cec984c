"""Why a move is good, in words: what it brings, and which terms of the evaluation it changes."""

from __future__ import annotations

from collections.abc import Mapping
from operator import itemgetter
from typing import Any

from pythia.core_cy.move_words import Phrase, ending
from pythia.core_cy.offrandes.components import ALTARS, CITIES, TOP, altar_points
from pythia.core_cy.offrandes.facts import offering_points

Json = Mapping[str, Any]

# Terms that are worth a word when they rise.
RISES = ("product", "growth", "spare", "lamp", "reach", "unready", "bribes", "exposed", "money", "safe")
# What one more of a character is good for, where a pair does not make the next offering larger.
CLIMBS = {
    "farmer": "better_animals",
    "carrier": "spare",
    "florist": "spare",
    "servant": "reach",
    "priestess": "lamp",
    "seducer": "to_bribe",
    "guard": "protects",
}
# Everything that is told; the words are in moves.en.json and moves.de.json.
REASONS = (
    *(
        "ends",
        "ends_won",
        "ends_shared",
        "scores",
        "renews",
        "takes",
        "takes_from",
        "bribes_climbing",
        "no_pair",
    ),
    *(
        "no_use",
        "adds",
        "worth_no_more",
        "worth_it",
        "buys",
        "leaves",
        "better_animals",
        "to_bribe",
        "protects",
    ),
    *RISES,
)
# Changes of fewer points are not mentioned; of the others, at most this number.
WORTH_SAYING = 0.7
MOST = 3


def why_good(
    fields: Json,
    before: Json,
    after: Json,
    seat: int,
    judged: Mapping[str, float],
    then: Mapping[str, float],
    share: float | None,
) -> list[Phrase]:
    """Reasons for a move with these fields. `judged`, `then`: the terms before and after it; `share`: of the win, if
    the game is over then."""
    told = _plain(fields, before, after, seat)
    if share is not None:
        return [*told, ending(share)]
    if fields["action"] == "auction":
        return told + _put_up(fields["characters"], before["players"][seat]["ladders"])
    if fields["action"] in ("pass", "bid"):
        return told + _bidding(fields, before, after)
    # What a new round brings everybody is not the move's doing.
    income = ("money", "unready") if after["round"] != before["round"] else ()
    changes = [(then[name] - judged[name], Phrase(name)) for name in RISES if name not in income]
    worth = [change for change in changes if change[0] >= WORTH_SAYING]
    return told + [phrase for _, phrase in sorted(worth, key=itemgetter(0), reverse=True)[:MOST]]


def _plain(fields: Json, before: Json, after: Json, seat: int) -> list[Phrase]:
    """What everybody can see that the move does."""
    action = fields["action"]
    if action == "offer":
        altar = fields["altar"]
        points = after["players"][seat]["score"] - before["players"][seat]["score"]
        city = before["altars"][ALTARS.index(altar)]["city"]
        told = [Phrase("scores", {"n": points})]
        if city == CITIES[seat]:
            return [*told, Phrase("renews", {"altar": altar})]
        values = {"altar": altar, "n": altar_points(altar)}
        return [*told, Phrase("takes_from", values | {"city": city}) if city else Phrase("takes", values)]
    if action == "bribe":
        return [Phrase("bribes_climbing", {"character": fields["characters"][0], "city": fields["city"]})]
    if action == "end":
        return [Phrase("no_pair")]
    return []


def _put_up(pair: list[str], levels: Mapping[str, int]) -> list[Phrase]:
    """What a pair would bring the auctioneer."""
    climbing = [character for character in pair if levels[character] < TOP]
    if not climbing:
        return [Phrase("no_use")]
    after = dict(levels) | {character: levels[character] + 1 for character in climbing}
    more = offering_points(after) - offering_points(dict(levels))
    if more:
        return [Phrase("adds", {"n": more})]
    return [Phrase(key) for key in dict.fromkeys(CLIMBS[character] for character in climbing)]


def _bidding(fields: Json, before: Json, after: Json) -> list[Phrase]:
    """Who has the pair, or is ahead for it, after a bid or a pass."""
    pending, pair = after.get("pending", {}), before["pending"]["pair"]
    if after["phase"] == "bid" and pending["pair"] == pair:
        worth = "worth_no_more" if fields["action"] == "pass" else "worth_it"
        return [Phrase(worth, {"pair": pair, "n": pending["high"]})]
    if fields["action"] == "bid":
        return [Phrase("buys", {"pair": pair, "n": fields["drachmas"]})]
    return [Phrase("leaves", {"pair": pair})]
