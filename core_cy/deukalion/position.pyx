"""Positions as JSON: full states and what one seat sees of them, both ways.

Reading trusts nothing: types, names, ranges, and then that the position can be reached at all - cards, orders,
treasures and fighters add up to what the box holds, ships lie on water, and what is open fits the rest. The rules rely
on that for accepted positions and check nothing themselves.
"""

from libc.string cimport memset

from pythia.core_cy.bits cimport count_bits
from pythia.core_cy.deukalion.observe cimport seen_in_hand
from pythia.core_cy.deukalion.rules cimport (
    MAX_MOVES, after, can_claim, deukalion_legal_moves, deukalion_to_act, free_places,
    list_claims, points_of, right_of, treasures_aboard,
)
from pythia.core_cy.deukalion.state cimport (
    ACT, ASK, BITE, BY_LENGTH, BY_POINTS, CITY_FIGHT, CLAIM_CARDS, CLAIM_FIGHTERS, CLAIM_TREASURES, DISPLACE, DRAWING,
    DeukalionState, FIGHTS, FOLLOW, HYDRA_FIGHT, KYLIX, LOOT, MAX_AHEAD, NONE, OVER, PHASES, PLACE, Player, REFILL,
    REVEAL, ROLLING, SETTLEMENT_FIGHT, SETUP, SHIP_FIGHT, SPOILS, STEALING, STYX, Step, THE_HYDRA, THROWING,
    claim_count, claim_order, move_kind,
)
from pythia.core_cy.deukalion.tables cimport (
    CARDS, COLORS, HAND, KINDS, Tables, Task, die,
)
from pythia.core_cy.deukalion.text cimport Notation
from pythia.core_cy.parts cimport Part, part
from pythia.core_cy.types cimport move_t, u8, u16, u32, u64

import json

from pythia.core_cy.deukalion import components
from pythia.core_cy.deukalion.tables import smallest
from pythia.core_cy.errors import BadOption, IllegalMove

FORMAT = 1

# -- words, in the order of the numbers in state.pxd

cdef tuple PHASE_WORDS = components.PHASES
assert len(PHASE_WORDS) == PHASES
cdef tuple STEP_WORDS = (*PHASE_WORDS, "refill")
cdef tuple FIGHT_WORDS = ("ship", "city", "settlement", "hydra", "bite")
assert len(FIGHT_WORDS) == FIGHTS
cdef tuple RESULT_WORDS = ("", "points", "length")
cdef tuple CARD_WORDS = components.CARDS
cdef tuple PERMANENT_WORDS = components.PERMANENT
# Phases without `pending`.
cdef tuple PLAIN_PHASES = (SETUP, ROLLING, FOLLOW, KYLIX, ACT)

cdef enum:
    MAX_SCORE = 1000        # in halves; far more than fighters and cards can bring


# ---------------------------------------------------------------- writing

cdef dict square_to_json(const Tables* t, int square):
    return {"x": square % t.width, "y": square // t.width}


cdef list counted(const u8* counts, tuple words):
    """Words, each as often as it is there."""
    cdef int i
    return [words[i] for i in range(len(words)) for _ in range(counts[i])]


cdef list chosen(u32 bits, tuple words):
    cdef int i
    return [words[i] for i in range(len(words)) if bits >> i & 1]


cdef list knows_to_json(const Tables* t, const Player* p, int only):
    """What a player knows of other hands; `only` of that seat, EVERYTHING for all."""
    cdef int seat
    cdef list known = []
    for seat in range(t.players):
        if only in (EVERYTHING, seat):
            cards = counted(p.knows[seat], CARD_WORDS)
            if cards:
                known.append({"seat": seat, "cards": cards})
    return known


cdef dict player_to_json(const Tables* t, const DeukalionState* s, Notation words, int seat, int observer):
    cdef const Player* p = &s.players[seat]
    cdef bint shown = observer in (EVERYTHING, seat)
    cdef dict player = {"hero": words.heroes[seat]}
    if p.ship != NONE:
        player["ship"] = square_to_json(t, p.ship)
    player["fighters"] = p.fighters
    player["underworld"] = p.underworld
    player["treasures"] = counted(p.treasures, words.colors)
    player["points"] = points_of(t, s, seat)
    player["victory_cards"] = p.victory_cards
    player["fulfilled"] = chosen(p.fulfilled, words.orders)
    player["permanent"] = counted(p.permanent, PERMANENT_WORDS)
    player["card_count"] = p.hand_count
    if shown:
        player["cards"] = counted(p.hand, CARD_WORDS)
    player["has_order"] = p.order != NONE
    if shown:
        player["order"] = words.orders[p.order] if p.order != NONE else ""
    player["knows"] = knows_to_json(t, p, EVERYTHING if shown else observer)
    return player


cdef dict step_to_json(const Tables* t, Notation words, const Step* step):
    """What waits ahead: its kind, whose it is, and what it is about."""
    cdef dict found = {"kind": STEP_WORDS[step.kind]}
    if step.kind in (REVEAL, REFILL):
        return found
    found["seat"] = step.seat
    if step.kind == PLACE:
        found["color"] = words.colors[step.item]
    elif step.kind == DISPLACE:
        found["piece"] = "hydra" if step.item == THE_HYDRA else words.heroes[step.item]
    elif step.kind in (SPOILS, STEALING):
        found["loser"] = step.item
    elif step.kind == LOOT:
        found["place"] = words.cities[step.item]
    return found


cdef list asked_seats(const Tables* t, const DeukalionState* s):
    """The seats still to be asked, from the mover clockwise."""
    cdef list seats = []
    cdef int seat = s.mover, _seat
    for _seat in range(t.players):
        if s.asked >> seat & 1:
            seats.append(seat)
        seat = after(t, seat)
    return seats


cdef list claims_to_json(const Tables* t, const DeukalionState* s, Notation words):
    cdef list claims = []
    cdef int seat = s.mover, _seat
    for _seat in range(t.players):
        if s.claims[seat]:
            claims.append({"seat": seat, "move": words.text(s.claims[seat])})
        seat = after(t, seat)
    return claims


cdef dict pending_to_json(const Tables* t, const DeukalionState* s, Notation words):
    cdef int i
    cdef dict pending
    if s.now.kind == OVER:
        winners = [i for i in range(t.players) if s.winners >> i & 1]
        return {"kind": "over", "result": RESULT_WORDS[s.result], "winners": winners}
    pending = step_to_json(t, words, &s.now)
    if s.now.kind == THROWING:
        pending["fight"] = FIGHT_WORDS[s.fight]
        pending["attacker"] = s.attacker
        if s.fight in (SHIP_FIGHT, BITE):
            pending["defender"] = s.defender
        elif s.fight == CITY_FIGHT:
            pending["place"] = words.cities[s.now.item]
        elif s.fight == SETTLEMENT_FIGHT:
            pending["place"] = words.settlements[s.now.item]
        if s.defending:
            pending["score"] = s.score
    elif s.now.kind == ASK:
        pending["order"] = words.orders[s.revealed]
        pending["ask"] = asked_seats(t, s)
        pending["claims"] = claims_to_json(t, s, words)
    if s.ahead_count:
        pending["then"] = [step_to_json(t, words, &s.ahead[i]) for i in range(s.ahead_count - 1, -1, -1)]
    return pending


cdef dict kylix_to_json(const DeukalionState* s):
    cdef int i
    return {
        "center": s.roll & 3, "ring": [die(s.roll, i) for i in range(1, 5)] if s.roll else [],
        "card": s.card_die, "fighters": s.fighters_die, "sail": s.sail_die, "hydra": s.hydra_die,
    }


cdef dict used_to_json(const DeukalionState* s):
    return {
        "sailed": s.sailed != 0, "acted": s.acted != 0, "delivered": s.delivered != 0, "card": s.card_used != 0,
        "fighters": s.fighters_used != 0, "hydra": s.hydra_used != 0, "wind": s.wind, "cry": s.cry,
    }


cdef dict write_position(const Tables* t, const DeukalionState* s, Notation words, object options, int observer):
    cdef int i
    cdef dict obj = {"game": "deukalion", "format": FORMAT}
    if observer != EVERYTHING:
        obj["observer"] = observer
    obj["options"] = {"players": t.players, "throw": list(options["throw"])}
    if options["data"] is not None:
        obj["options"]["data"] = json.dumps(options["data"], separators=(",", ":"))
    obj["round"] = s.round
    obj["turn"] = s.turn
    obj["mover"] = s.mover
    obj["to_act"] = deukalion_to_act(t, s)
    obj["phase"] = PHASE_WORDS[s.now.kind]
    if s.now.kind not in PLAIN_PHASES:
        obj["pending"] = pending_to_json(t, s, words)
    obj["kylix"] = kylix_to_json(s)
    obj["used"] = used_to_json(s)
    obj["players"] = [player_to_json(t, s, words, i, observer) for i in range(t.players)]
    obj["hydra"] = square_to_json(t, s.hydra)
    obj["cities"] = [
        {"name": words.cities[i], "treasures": counted(s.cities[i], words.colors)} for i in range(t.cities)
    ]
    obj["settlements"] = [
        {"name": words.settlements[i], "seat": s.owner[i], "fighters": s.garrison[i]} for i in range(t.settlements)
    ]
    obj["open_orders"] = chosen(s.open_orders, words.orders)
    obj["removed_orders"] = chosen(s.removed_orders, words.orders)
    obj["order_pile_count"] = s.order_pile_count
    if observer == EVERYTHING:
        obj["order_pile"] = chosen(s.order_pile, words.orders)
    obj["victory_cards_left"] = s.victory_cards
    obj["pile_count"] = s.pile_count
    if observer == EVERYTHING:
        obj["pile"] = counted(s.pile, CARD_WORDS)
    obj["under"] = [CARD_WORDS[s.under[i]] for i in range(s.under_count)]
    return obj


# ---------------------------------------------------------------- reading: set-up

cdef tuple HIDDEN_FIELDS = ("pile", "order_pile")
cdef tuple ROOT_FIELDS = (
    "game", "format", "options", "round", "turn", "mover", "to_act", "phase", "pending", "kylix", "used", "players",
    "hydra", "cities", "settlements", "open_orders", "removed_orders", "order_pile_count", "order_pile",
    "victory_cards_left", "pile_count", "pile", "under",
)
cdef tuple OBSERVED_FIELDS = tuple([name for name in ROOT_FIELDS if name not in HIDDEN_FIELDS]) + ("observer",)


cdef Part read_root(object obj, bint observed):
    cdef Part root = part("", dict(obj))
    if observed and not root.has("observer"):
        raise part("observer", None).bad(
            "is missing; an observation names the seat that sees it, and a full state is read by state_from_json")
    if not observed and root.has("observer"):
        raise part("observer", None).bad(
            "this is what one seat sees, not a full state; it is read by state_from_observation")
    for name in ("game", "format", "players", "phase"):
        if not root.has(name):
            raise part(name, None).bad("is missing")
    if observed:
        for name in HIDDEN_FIELDS:
            if root.has(name):
                raise part(name, None).bad("is hidden from the observer")
    root.only(OBSERVED_FIELDS if observed else ROOT_FIELDS)
    root.field("game", "").word(("deukalion",))
    root.field("format", 0).number(FORMAT, FORMAT)
    return root


cdef object read_data(Part data):
    """The data of a copy that differs; positions have it as text, as messages do."""
    if isinstance(data.value, str) and data.value:
        try:
            return json.loads(data.value)
        except (ValueError, RecursionError) as error:
            raise data.bad(f"is not JSON ({error})") from None
    return data.value or None


cdef dict read_options(object obj, bint observed):
    cdef Part root = read_root(obj, observed)
    cdef Part options = root.field("options", {})
    cdef Part players = root.field("players", [])
    cdef int count = len(players.items())
    if not components.MIN_PLAYERS <= count <= components.MAX_PLAYERS:
        raise players.bad(
            f"{count} players are not allowed; allowed: {components.MIN_PLAYERS} to {components.MAX_PLAYERS}")
    options.only(("players", "throw", "data"))
    if options.has("players") and options.field("players", 0).number(2, 4) != count:
        raise options.field("players", 0).bad(f"{options.value['players']}, but {count} players are listed")
    data = read_data(options.field("data", None))
    try:
        facts = components.default_facts() if data is None else components.read_facts(data)
        throw = options.value.get("throw") or list(facts.throw)
        components.check_throw("throw", throw)
    except BadOption as error:
        raise part(f"options.{error.field}", error.value).not_allowed(error.allowed) from None
    return {"players": count, "throw": list(throw), "data": data}


# ---------------------------------------------------------------- reading: parts

cdef class Reading:
    """What the parts of one position share: whose eyes, and what was found where."""

    cdef const Tables* t
    cdef DeukalionState* s
    cdef Notation words
    cdef int observer
    cdef Part root
    cdef u8 cards[KINDS]            # found so far, of each kind
    cdef u8 treasures[COLORS]
    cdef dict orders                # where each order was found

    # -- things whose number is limited

    cdef int card(self, Part item) except -1:
        cdef int kind = item.word(CARD_WORDS)
        if self.cards[kind] == self.t.copies[kind]:
            raise item.bad(f"{CARD_WORDS[kind]} is there {self.t.copies[kind] + 1} times; there are "
                           f"{self.t.copies[kind]}, and {sum([self.t.copies[i] for i in range(KINDS)])} cards in all")
        self.cards[kind] += 1
        return kind

    cdef int card_list(self, Part where, u8* counts) except -1:
        cdef list items = where.items()
        for item in items:
            counts[self.card(item)] += 1
        return len(items)

    cdef int treasure(self, Part item) except -1:
        cdef int color = item.word(self.words.colors)
        if self.treasures[color] == self.t.per_color:
            raise item.bad(f"a {self.words.colors[color]} treasure too many; there are {self.t.per_color}")
        self.treasures[color] += 1
        return color

    cdef int treasure_list(self, Part where, u8* counts) except -1:
        cdef list items = where.items()
        for item in items:
            counts[self.treasure(item)] += 1
        return len(items)

    cdef int order(self, Part item) except -1:
        cdef int order = item.word(self.words.orders)
        if order in self.orders:
            raise item.bad(f"{self.words.orders[order]} is also in {(<Part>self.orders[order]).path()}; there is one")
        self.orders[order] = item
        return order

    cdef u16 order_list(self, Part where) except? 0xFFFF:
        cdef u16 bits = 0
        for item in where.items():
            bits |= <u16>(1 << self.order(item))
        return bits

    cdef int square(self, Part where, u64 allowed, str called) except -1:
        cdef int square
        where.only(("x", "y"))
        square = where.field("x", 0).number(0, self.t.width - 1)
        square += self.t.width * where.field("y", 0).number(0, self.t.height - 1)
        if not allowed >> square & 1:
            raise where.bad(f"{self.words.squares[square]} is {called}")
        return square

    cdef int seat(self, Part where) except -1:
        return where.number(0, self.t.players - 1)

    cdef int agrees(self, Part where, str name, object value) except -1:
        """What follows from the rest may be absent, but must be right (FORMAT)."""
        given = where.value.get(name, value)
        if given != value or isinstance(given, bool) != isinstance(value, bool):
            raise where.field(name, None).bad(f"{where.value[name]!r} is wrong; the rest says {value!r}")
        return 0


# ---------------------------------------------------------------- reading: players

cdef tuple PLAYER_FIELDS = (
    "hero", "ship", "fighters", "underworld", "treasures", "points", "victory_cards", "fulfilled", "permanent",
    "card_count", "cards", "has_order", "order", "knows",
)


cdef int read_hand(Reading r, Part player, int seat) except -1:
    cdef Player* p = &r.s.players[seat]
    cdef Part order
    if r.observer in (EVERYTHING, seat):
        p.hand_count = <u8>r.card_list(player.field("cards", []), p.hand)
        r.agrees(player, "card_count", p.hand_count)
        order = player.field("order", "")
        p.order = <u8>r.order(order) if order.value != "" else <u8>NONE
        r.agrees(player, "has_order", p.order != NONE)
        return 0
    for name in ("cards", "order"):
        if player.has(name):
            raise player.field(name, None).bad(f"the {name} of seat {seat} are hidden from the observer")
    p.hand_count = <u8>player.field("card_count", 0).number(0, CARDS)
    # Which order it is will be drawn.
    p.order = <u8>(NONE - 1) if player.field("has_order", False).flag() else <u8>NONE
    return 0


cdef int read_knows(Reading r, Part player, int seat) except -1:
    cdef Player* p = &r.s.players[seat]
    cdef Part entry, cards
    cdef int other, last = -1
    for found in player.field("knows", []).items():
        entry = found
        entry.only(("seat", "cards"))
        other = r.seat(entry.field("seat", 0))
        if other == seat:
            raise entry.field("seat", 0).bad("a player knows the own hand anyway")
        if other <= last:
            raise entry.field("seat", 0).bad(f"{other} after {last}; seats come in their order, each once")
        last = other
        if r.observer not in (EVERYTHING, seat) and other != r.observer:
            raise entry.bad(f"what seat {seat} knows of seat {other} is hidden from the observer")
        cards = entry.field("cards", [])
        if cards.word_counts(CARD_WORDS, p.knows[other], CARDS) == 0:
            raise cards.bad("is empty; then the whole entry is left out")
    return 0


cdef int check_knows(Reading r, Part player, int seat) except -1:
    """What is known to be in a hand can be in it (D32)."""
    cdef Player* p = &r.s.players[seat]
    cdef const Player* held
    cdef int other, kind, total, place = 0
    for other in range(r.t.players):
        total = 0
        for kind in range(KINDS):
            total += p.knows[other][kind]
        if total == 0:
            continue
        where = (<Part>(<list>player.field("knows", []).items())[place]).field("cards", [])
        place += 1
        held = &r.s.players[other]
        if total > held.hand_count:
            raise (<Part>where).bad(f"{total} cards are known of seat {other}, whose hand has {held.hand_count} (D32)")
        for kind in range(KINDS):
            if r.observer in (EVERYTHING, other) and p.knows[other][kind] > held.hand[kind]:
                raise (<Part>where).bad(f"{CARD_WORDS[kind]} is not so often in the hand of seat {other} (D32)")
    return 0


cdef int read_player(Reading r, Part player, int seat) except -1:
    cdef const Tables* t = r.t
    cdef Player* p = &r.s.players[seat]
    cdef Part item
    cdef int i
    player.only(PLAYER_FIELDS)
    r.agrees(player, "hero", r.words.heroes[seat])
    p.ship = NONE
    if player.has("ship"):
        p.ship = <u8>r.square(player.field("ship", {}), t.water, "land; ships lie on water (D10)")
    p.fighters = <u8>player.field("fighters", 0).number(0, t.fighters)
    p.underworld = <u8>player.field("underworld", 0).number(0, t.fighters)
    r.treasure_list(player.field("treasures", []), p.treasures)
    if free_places(t, p) < 0:
        raise player.field("treasures", []).bad(
            f"{p.fighters} fighters and {treasures_aboard(p)} treasures need more than the {t.places} places (D4)")
    p.victory_cards = <u8>player.field("victory_cards", 0).number(0, t.victory_cards)
    p.fulfilled = r.order_list(player.field("fulfilled", []))
    for i in range(t.orders):
        if p.fulfilled >> i & 1:
            p.order_points += t.points[i]
    for entry in player.field("permanent", []).items():
        item = entry
        item.word(PERMANENT_WORDS)
        p.permanent[r.card(item)] += 1
    read_hand(r, player, seat)
    read_knows(r, player, seat)
    return 0


cdef int check_fighters(Reading r, list players) except -1:
    cdef const Tables* t = r.t
    cdef int seat, i, total
    for seat in range(t.players):
        total = r.s.players[seat].fighters + r.s.players[seat].underworld
        for i in range(t.settlements):
            if r.s.garrison[i] and r.s.owner[i] == seat:
                total += r.s.garrison[i]
        if total != t.fighters:
            raise (<Part>players[seat]).field("fighters", 0).bad(
                f"aboard, in the underworld and on settlements there are {total}; a player has {t.fighters} (D4)")
        r.agrees(players[seat], "points", points_of(t, r.s, seat))
    return 0


# ---------------------------------------------------------------- reading: the board and the cards

cdef int read_places(Reading r) except -1:
    cdef const Tables* t = r.t
    cdef Part found, item
    cdef int i, count
    found = r.root.field("cities", [])
    if len(found.items()) != t.cities:
        raise found.bad(f"{len(found.items())} cities; there are {t.cities}")
    for i in range(t.cities):
        item = found.items()[i]
        item.only(("name", "treasures"))
        item.field("name", "").word((r.words.cities[i],))
        count = r.treasure_list(item.field("treasures", []), r.s.cities[i])
        if count > t.slots[i]:
            raise item.field("treasures", []).bad(f"{count} treasures; {r.words.cities[i]} has {t.slots[i]} slots")
    found = r.root.field("settlements", [])
    if len(found.items()) != t.settlements:
        raise found.bad(f"{len(found.items())} settlements; there are {t.settlements}")
    for i in range(t.settlements):
        item = found.items()[i]
        item.only(("name", "seat", "fighters"))
        item.field("name", "").word((r.words.settlements[i],))
        r.s.owner[i] = <u8>r.seat(item.field("seat", 0))
        r.s.garrison[i] = <u8>item.field("fighters", 0).number(0, t.garrison[i])
        if r.s.garrison[i] not in (0, t.garrison[i]):
            raise item.field("fighters", 0).bad(
                f"{r.s.garrison[i]}; a settlement has all of {t.garrison[i]} or none (D16)")
        if r.s.garrison[i] == 0 and r.s.owner[i]:
            raise item.field("seat", 0).bad("a settlement without fighters is nobody's, which is written 0")
    return 0


cdef int check_treasures(Reading r) except -1:
    cdef int color
    for color in range(r.t.colors):
        if r.treasures[color] != r.t.per_color:
            raise r.root.field("cities", []).bad(
                f"{r.treasures[color]} {r.words.colors[color]} treasures are there; there are {r.t.per_color}")
    return 0


cdef int read_orders(Reading r) except -1:
    cdef DeukalionState* s = r.s
    cdef int i, seat, held = 0
    cdef Part found = r.root.field("open_orders", [])
    s.open_orders = r.order_list(found)
    if count_bits(s.open_orders) > r.t.open_orders:
        raise found.bad(f"{count_bits(s.open_orders)} orders are open; there are {r.t.open_orders} places")
    s.removed_orders = r.order_list(r.root.field("removed_orders", []))
    for i in range(r.t.orders):
        if i not in r.orders:
            s.order_pile |= <u16>(1 << i)
    for seat in range(r.t.players):
        held += s.players[seat].order == NONE - 1
    if held > count_bits(s.order_pile):
        raise r.root.field("players", []).bad(
            f"{held} hidden orders, but {count_bits(s.order_pile)} are not seen elsewhere")
    if r.root.has("order_pile"):
        if r.order_list(r.root.field("order_pile", [])) != s.order_pile:
            raise r.root.field("order_pile", []).bad(
                f"the rest leaves {', '.join(chosen(s.order_pile, r.words.orders)) or 'none'}")
    s.order_pile_count = <u8>(count_bits(s.order_pile) - held)
    r.agrees(r.root, "order_pile_count", s.order_pile_count)
    return 0


cdef int read_cards(Reading r) except -1:
    """Under the pile in order; the pile is what is left."""
    cdef DeukalionState* s = r.s
    cdef int kind, seat, hidden = 0, total = 0
    cdef u8 pile[KINDS]
    for item in r.root.field("under", []).items():
        s.under[s.under_count] = <u8>r.card(item)
        s.under_count += 1
    for kind in range(KINDS):
        s.pile[kind] = r.t.copies[kind] - r.cards[kind]
        total += s.pile[kind]
    if r.root.has("pile"):
        memset(pile, 0, sizeof(pile))
        r.card_list(r.root.field("pile", []), pile)
        for kind in range(KINDS):
            if pile[kind] != s.pile[kind]:
                raise r.root.field("pile", []).bad(
                    f"{CARD_WORDS[kind]} is in it {pile[kind]} times; the rest leaves {s.pile[kind]}")
    for seat in range(r.t.players):
        if r.observer not in (EVERYTHING, seat):
            hidden += s.players[seat].hand_count
    if hidden > total:
        raise r.root.field("players", []).bad(f"{hidden} cards in hidden hands, but {total} are not seen elsewhere")
    s.pile_count = <u8>(total - hidden)
    r.agrees(r.root, "pile_count", s.pile_count)
    return 0


cdef int read_victory_cards(Reading r) except -1:
    cdef int seat, left = r.t.victory_cards
    for seat in range(r.t.players):
        left -= r.s.players[seat].victory_cards
    if left < 0:
        raise r.root.field("players", []).bad(f"{r.t.victory_cards - left} victory cards are held; there are "
                                              f"{r.t.victory_cards}")
    r.s.victory_cards = <u8>left
    r.agrees(r.root, "victory_cards_left", left)
    return 0


# ---------------------------------------------------------------- reading: the turn

cdef int read_kylix(Reading r) except -1:
    """The dice are there from the roll on, and given to actions once the cup stands (D6)."""
    cdef DeukalionState* s = r.s
    cdef Part kylix = r.root.field("kylix", {}), ring
    cdef bint rolled = s.now.kind not in (SETUP, ROLLING)
    cdef bint stands = rolled and s.mover == s.turn and s.now.kind != KYLIX
    kylix.only(("center", "ring", "card", "fighters", "sail", "hydra"))
    ring = kylix.field("ring", [])
    if len(ring.items()) != 4 * rolled:
        raise ring.bad(f"{len(ring.items())} dice; in phase {PHASE_WORDS[s.now.kind]} there are {4 * rolled}")
    s.roll = <u16>kylix.field("center", 0).number(rolled, 3 * rolled)
    dice = [(<Part>item).number(1, 3) for item in ring.items()]
    if rolled and tuple(dice) != smallest(dice):
        raise ring.bad(f"{dice} is written from where it is smallest: {list(smallest(dice))}")
    for i, shown in enumerate(dice):
        s.roll |= <u16>(<int>shown << (2 * <int>i + 2))
    s.card_die = <u8>kylix.field("card", 0).number(stands, 3 * stands)
    s.fighters_die = <u8>kylix.field("fighters", 0).number(stands, 3 * stands)
    s.sail_die = <u8>kylix.field("sail", 0).number(stands, 3 * stands)
    s.hydra_die = <u8>kylix.field("hydra", 0).number(stands, 3 * stands)
    placed = [s.card_die, s.fighters_die, s.sail_die, s.hydra_die]
    if stands and smallest(placed) != tuple(dice):
        raise kylix.bad(f"card, fighters, sail and hydra {placed} are no turning of the ring {dice} (D6)")
    return 0


cdef int read_used(Reading r) except -1:
    cdef DeukalionState* s = r.s
    cdef Part used = r.root.field("used", {})
    cdef bint moving = s.now.kind not in (SETUP, ROLLING, KYLIX)
    cdef bint active = moving and s.mover == s.turn
    used.only(("sailed", "acted", "delivered", "card", "fighters", "hydra", "wind", "cry"))
    s.sailed = used.field("sailed", False).flag()
    s.acted = used.field("acted", False).flag()
    s.delivered = used.field("delivered", False).flag()
    s.card_used = used.field("card", False).flag()
    s.fighters_used = used.field("fighters", False).flag()
    s.hydra_used = used.field("hydra", False).flag()
    s.wind = <u8>used.field("wind", 0).number(0, r.t.copies[3] * moving)
    s.cry = <u8>used.field("cry", 0).number(0, r.t.copies[4] * moving)
    for name in ("sailed", "acted", "delivered"):
        if used.field(name, False).value and not moving:
            raise used.field(name, False).bad(f"nobody moves in phase {PHASE_WORDS[s.now.kind]}")
    for name in ("card", "fighters", "hydra"):
        if used.field(name, False).value and not active:
            raise used.field(name, False).bad("only the active player has this die (D9)")
    if s.card_used and s.card_die == 2:
        raise used.field("card", False).bad("a 2 of the card die is not used (D9)")
    return 0


cdef int check_ships(Reading r, list players) except -1:
    """Ships are placed in seat order; on the open sea nobody shares a square, except while a fight lasts (D30)."""
    cdef const Tables* t = r.t
    cdef DeukalionState* s = r.s
    cdef int seat, other, one = NONE, two = NONE
    cdef Part player
    for seat in range(t.players):
        player = players[seat]
        if s.now.kind == SETUP and seat >= s.mover:
            if s.players[seat].ship != NONE:
                raise player.field("ship", None).bad("seats place their ships in their order (D2)")
            continue
        if s.players[seat].ship == NONE:
            raise player.field("ship", None).bad("is missing; all ships are placed in the set-up")
        if s.now.kind == SETUP and not t.anchors >> s.players[seat].ship & 1:
            raise player.field("ship", None).bad("ships begin on anchors (D2)")
    if s.now.kind == OVER:
        return 0
    # The two pieces that fight.
    if s.now.kind == THROWING and s.fight in (SHIP_FIGHT, HYDRA_FIGHT, BITE):
        one = s.attacker if s.fight != BITE else s.defender
        two = s.defender if s.fight == SHIP_FIGHT else THE_HYDRA
    elif s.now.kind in (SPOILS, STEALING):
        one = s.now.seat
        two = s.now.item
    elif s.now.kind == DISPLACE:
        one = s.now.item
        two = s.now.seat
        if one != THE_HYDRA and s.players[one].ship == s.hydra:
            two = THE_HYDRA
            if s.now.seat != right_of(t, one):
                raise r.root.field("pending", {}).field("seat", 0).bad(
                    f"the player to the right of seat {one} displaces the ship (D28, D29)")
    if two == THE_HYDRA:
        two = one
        one = THE_HYDRA
    for seat in range(t.players):
        if s.players[seat].ship == s.hydra and not (one == THE_HYDRA and two == seat):
            raise (<Part>players[seat]).field("ship", None).bad("the Hydra is there, and they do not fight")
        for other in range(seat):
            if s.players[seat].ship == s.players[other].ship != NONE and (
                    t.sea >> s.players[seat].ship & 1 or s.now.kind == SETUP):
                if not (one in (seat, other) and two in (seat, other)):
                    raise (<Part>players[seat]).field("ship", None).bad(f"the ship of seat {other} is there too")
    if one != NONE:
        square = s.hydra if one == THE_HYDRA else s.players[one].ship
        if s.players[two].ship != square or not t.sea >> <int>square & 1:
            raise r.root.field("pending", {}).bad("those who fight are not on one square of the open sea (D11, D14)")
    return 0


# ---------------------------------------------------------------- reading: what is open

cdef dict PENDING_FIELDS = {
    THROWING: ("fight", "attacker", "defender", "place", "score"), LOOT: ("place",), SPOILS: ("loser",),
    STEALING: ("loser",), DISPLACE: ("piece",), PLACE: ("color",), ASK: ("order", "ask", "claims"),
}


cdef int read_step(Reading r, Part where, Step* step) except -1:
    """Kind, seat and what it is about. A treasure that is to be placed is nowhere else."""
    step.kind = <u8>where.field("kind", "").word(STEP_WORDS)
    if step.kind in (REVEAL, REFILL):
        if where.has("seat"):
            raise where.field("seat", 0).bad(f"{STEP_WORDS[step.kind]} has none")
        return 0
    step.seat = <u8>r.seat(where.field("seat", 0))
    if step.kind == PLACE:
        step.item = <u8>r.treasure(where.field("color", ""))
    elif step.kind == DISPLACE:
        pieces = (*r.words.heroes[:r.t.players], "hydra")
        step.item = <u8>where.field("piece", "").word(pieces)
        if step.item == r.t.players:
            step.item = THE_HYDRA
    elif step.kind in (SPOILS, STEALING):
        step.item = <u8>r.seat(where.field("loser", 0))
        if step.item == step.seat:
            raise where.field("loser", 0).bad("winner and loser are two")
    elif step.kind == LOOT:
        step.item = <u8>where.field("place", "").word(r.words.cities)
    return 0


cdef int read_ahead(Reading r, Part pending) except -1:
    """What follows, next first; each kind of decision leads to few others."""
    cdef DeukalionState* s = r.s
    cdef Part item
    cdef Step step
    cdef list items = pending.field("then", []).items()
    cdef int i
    if len(items) > MAX_AHEAD - 4:
        raise pending.field("then", []).bad(f"{len(items)} are too many")
    last = s.now.kind
    for i in range(len(items)):
        item = items[i]
        item.only(("kind", "seat", "color", "piece"))
        memset(&step, 0, sizeof(Step))
        read_step(r, item, &step)
        allowed = {
            DRAWING: (DRAWING,), PLACE: (PLACE, REFILL), SPOILS: (DISPLACE,), STEALING: (DISPLACE,),
            DISPLACE: (REFILL,), REVEAL: (REFILL,), ASK: (REFILL,),
        }.get(last, ())
        if last == PLACE and i == 0:
            allowed = (PLACE, REFILL, STYX)
        if step.kind not in allowed:
            raise item.bad(f"{STEP_WORDS[step.kind]} does not follow {STEP_WORDS[last]}")
        if step.kind == DISPLACE and (step.seat != s.now.seat or step.item != s.now.item):
            raise item.bad("the winner displaces the loser (D27)")
        if step.kind == STYX and (step.seat != s.now.seat or step.seat != s.mover):
            raise item.field("seat", 0).bad("only the mover is on the Styx")
        last = step.kind
        s.ahead[len(items) - 1 - i] = step
    s.ahead_count = <u8>len(items)
    if s.now.kind in (SPOILS, STEALING) and not items:
        raise pending.bad("then: is missing; the loser's ship is displaced (D27)")
    return 0


cdef int read_throw(Reading r, Part pending) except -1:
    cdef DeukalionState* s = r.s
    cdef const Tables* t = r.t
    cdef Part place
    cdef int thrower
    s.fight = <u8>pending.field("fight", "").word(FIGHT_WORDS)
    s.attacker = <u8>r.seat(pending.field("attacker", 0))
    if s.attacker != s.mover:
        raise pending.field("attacker", 0).bad(f"{s.attacker} is not the mover, seat {s.mover}")
    thrower = s.attacker
    if s.fight in (SHIP_FIGHT, BITE):
        s.defender = <u8>r.seat(pending.field("defender", 0))
        if s.defender == s.attacker:
            raise pending.field("defender", 0).bad("attacker and defender are two")
    elif pending.has("defender"):
        raise pending.field("defender", 0).bad(f"a fight for a {FIGHT_WORDS[s.fight]} has none")
    if s.fight == BITE:
        thrower = s.defender
        if s.mover != s.turn:
            raise pending.field("fight", "").bad("only the active player moves the Hydra (D9)")
    elif s.fight == SHIP_FIGHT and s.now.seat == s.defender:
        thrower = s.defender
        s.defending = 1
        s.score = <u16>pending.field("score", 0).number(0, MAX_SCORE)
    if s.now.seat != thrower:
        raise pending.field("seat", 0).bad(f"{s.now.seat} does not throw in this fight")
    if pending.has("score") and not s.defending:
        raise pending.field("score", 0).bad("only known when the defender of a ship throws")
    if s.players[thrower].fighters == 0:
        raise pending.field("seat", 0).bad(f"seat {thrower} has no fighters aboard to throw (D26)")
    if s.fight in (CITY_FIGHT, SETTLEMENT_FIGHT):
        place = pending.field("place", "")
        s.now.item = <u8>place.word(r.words.cities if s.fight == CITY_FIGHT else r.words.settlements)
        if s.fight == CITY_FIGHT:
            near = t.city_near[s.now.item]
            if not counted(s.cities[s.now.item], r.words.colors):
                raise place.bad(f"{place.value} has no treasure (D17)")
        else:
            near = t.settlement_near[s.now.item]
            if s.garrison[s.now.item] == 0 or s.owner[s.now.item] == s.mover:
                raise place.bad(f"no other player's fighters are on {place.value} (D17)")
        if s.players[s.mover].ship == NONE or not near >> <int>s.players[s.mover].ship & 1:
            raise place.bad(f"the ship of seat {s.mover} is not near {place.value} (D17)")
    elif pending.has("place"):
        raise pending.field("place", "").bad(f"a fight of this kind ({FIGHT_WORDS[s.fight]}) has none")
    if s.fight in (SHIP_FIGHT, CITY_FIGHT, SETTLEMENT_FIGHT) and not s.acted:
        raise r.root.field("used", {}).field("acted", False).bad("an attack is a deed (D7)")
    if s.fight == HYDRA_FIGHT and not s.open_orders & t.hydra_orders:
        order = s.players[s.mover].order
        known = r.observer in (EVERYTHING, s.mover)
        if order == NONE or (known and not t.hydra_orders >> <int>order & 1):
            raise pending.field("fight", "").bad("no open order and none in the hand asks for the Hydra (D12)")
        if not known and not s.order_pile & t.hydra_orders:
            raise pending.field("fight", "").bad("no order that asks for the Hydra can be in the hand (D12)")
    return 0


cdef move_t read_claim(Reading r, Part entry, int seat) except 0:
    """A claim that was made and waits for the others' answers."""
    cdef move_t moves[MAX_MOVES]
    cdef Part text = entry.field("move", "")
    cdef const Task* task
    cdef move_t claim
    cdef int i, kind, count, total = 0
    if not isinstance(text.value, str):
        raise text.not_allowed("the text of a claim")
    try:
        claim = r.words.parse(text.value)
    except IllegalMove as error:
        raise text.bad(str(error)) from None
    if move_kind(claim) not in (CLAIM_TREASURES, CLAIM_FIGHTERS, CLAIM_CARDS) or claim_order(claim) != r.s.revealed:
        raise text.bad(f"{text.value!r} does not claim {r.words.orders[r.s.revealed]}")
    if move_kind(claim) == CLAIM_CARDS and r.observer not in (EVERYTHING, seat):
        for kind in range(KINDS):
            total += claim_count(claim, kind)
        for i in range(2):
            task = &r.t.tasks[r.s.revealed][i]
            if (task.kind == HAND and task.number == total and total <= r.s.players[seat].hand_count
                    and r.t.city_near[task.city] >> r.s.players[seat].ship & 1):
                return claim
    else:
        count = list_claims(r.t, r.s, seat, r.s.revealed, 0, moves, 0)
        for i in range(count):
            if moves[i] == claim:
                return claim
    raise text.bad(f"seat {seat} cannot make this claim (D20)")


cdef int read_ask(Reading r, Part pending) except -1:
    cdef DeukalionState* s = r.s
    cdef Part order = pending.field("order", ""), entry
    cdef int seat, mine = (s.now.seat - s.mover + r.t.players) % r.t.players, place, last
    s.revealed = <u8>order.word(r.words.orders)
    if not s.open_orders >> s.revealed & 1:
        raise order.bad(f"{order.value} is not open")
    last = mine
    for found in pending.field("ask", []).items():
        seat = r.seat(found)
        place = (seat - s.mover + r.t.players) % r.t.players
        if place <= last:
            raise (<Part>found).bad(f"seat {seat} was asked before; it goes from the mover clockwise (D20)")
        last = place
        s.asked |= <u8>(1 << seat)
    last = -1
    for found in pending.field("claims", []).items():
        entry = found
        entry.only(("seat", "move"))
        seat = r.seat(entry.field("seat", 0))
        place = (seat - s.mover + r.t.players) % r.t.players
        if place <= last or place >= mine:
            raise entry.field("seat", 0).bad(f"seat {seat} has not answered yet, or is out of order (D20)")
        last = place
        s.claims[seat] = read_claim(r, entry, seat)
    for seat in range(r.t.players):
        if (seat == s.now.seat or s.asked >> seat & 1) and not can_claim(r.t, s, seat, s.revealed):
            raise pending.field("seat" if seat == s.now.seat else "ask", 0).bad(
                f"seat {seat} cannot fulfil {order.value} (D20)")
    return 0


cdef int read_over(Reading r, Part pending) except -1:
    cdef DeukalionState* s = r.s
    cdef int seat
    s.result = <u8>pending.field("result", "").word(RESULT_WORDS[1:]) + 1
    winners = [r.seat(item) for item in pending.field("winners", []).items()]
    reached = [seat for seat in range(r.t.players) if points_of(r.t, s, seat) >= r.t.target]
    if winners != reached:
        raise pending.field("winners", []).bad(f"{winners}; the points say {reached}")
    if s.result == BY_POINTS and not reached:
        raise pending.field("result", "").bad(f"nobody has {r.t.target} points (D33)")
    if s.result == BY_LENGTH:
        if reached:
            raise pending.field("result", "").bad(f"somebody has {r.t.target} points (D33)")
        if s.round != r.t.max_rounds or s.turn != r.t.players - 1 or s.mover != s.turn:
            raise pending.field("result", "").bad(f"round {r.t.max_rounds} is not over (D34)")
    for seat in reached:
        s.winners |= <u8>(1 << seat)
    return 0


cdef int read_pending(Reading r) except -1:
    """What is open, and that it can be (the tables of the format)."""
    cdef DeukalionState* s = r.s
    cdef Part pending = r.root.field("pending", {})
    if s.now.kind in PLAIN_PHASES:
        if r.root.has("pending"):
            raise pending.bad(f"phase {PHASE_WORDS[s.now.kind]} has none")
        if s.now.kind == FOLLOW and s.mover == s.turn or s.now.kind == ACT and s.mover != s.turn:
            raise r.root.field("phase", "").bad("the active player acts, the others follow (D6)")
        if s.now.kind in (ROLLING, KYLIX) and s.mover != s.turn:
            raise r.root.field("mover", 0).bad(f"{s.mover} is not the active seat {s.turn}")
        s.now.seat = s.mover
        return 0
    if not r.root.has("pending"):
        raise pending.bad(f"is missing; phase {PHASE_WORDS[s.now.kind]} has it")
    if s.now.kind == OVER:
        pending.only(("kind", "result", "winners"))
        pending.field("kind", "").word(("over",))
        return 0
    pending.only(("kind", "seat", "then", *PENDING_FIELDS.get(s.now.kind, ())))
    pending.field("kind", "").word((PHASE_WORDS[s.now.kind],))
    read_step(r, pending, &s.now)
    read_ahead(r, pending)
    return 0


cdef bint has_refill(const DeukalionState* s) noexcept:
    return s.ahead_count > 0 and s.ahead[0].kind == REFILL


cdef int refill_last(Reading r) except -1:
    """Another program may leave out a `refill` that is still to be seen to have something to do; it follows anyway."""
    cdef DeukalionState* s = r.s
    cdef bint due = s.now.kind in (ASK, REVEAL, SPOILS, STEALING)
    cdef int i
    if s.now.kind in (PLACE, DISPLACE):
        due = count_bits(s.open_orders) < r.t.open_orders and s.order_pile_count > 0
    if due and not has_refill(s):
        for i in range(s.ahead_count, 0, -1):
            s.ahead[i] = s.ahead[i - 1]
        memset(&s.ahead[0], 0, sizeof(Step))
        s.ahead[0].kind = REFILL
        s.ahead_count += 1
    return 0


cdef int check_pending(Reading r) except -1:
    """The second look, once ships, hands and orders are there."""
    cdef DeukalionState* s = r.s
    cdef const Tables* t = r.t
    cdef Part pending = r.root.field("pending", {})
    cdef Player* p = &s.players[s.now.seat]
    cdef int i
    if s.now.kind == OVER:
        return read_over(r, pending)
    for i in range(t.players):
        if points_of(t, s, i) >= t.target:
            raise r.root.field("phase", "").bad(f"seat {i} has {t.target} points or more, so the game is over (D33)")
    if s.now.kind == THROWING:
        read_throw(r, pending)
    elif s.now.kind == ASK:
        read_ask(r, pending)
    elif s.now.kind in (LOOT, STYX):
        if s.now.seat != s.mover:
            raise pending.field("seat", 0).bad(f"{s.now.seat} is not the mover, seat {s.mover}")
        if s.now.kind == STYX and (not t.styx >> p.ship & 1 or p.underworld == 0):
            raise pending.bad("only a ship on the Styx with fighters in the underworld fetches them (D15)")
    elif s.now.kind in (SPOILS, STEALING):
        if s.mover not in (s.now.seat, s.now.item):
            raise pending.field("loser", 0).bad(f"the mover, seat {s.mover}, is not in this fight")
        if s.now.kind == STEALING and s.players[s.now.item].hand_count == 0:
            raise pending.field("loser", 0).bad("has no cards")
    elif s.now.kind == DRAWING and s.pile_count == 0 and s.under_count == 0:
        raise pending.bad("no card is left to draw (D23)")
    elif s.now.kind == REVEAL and (s.order_pile_count == 0 or count_bits(s.open_orders) >= t.open_orders):
        raise pending.bad("no place for an order is free, or no order is left (D22)")
    refill_last(r)
    if count_bits(s.open_orders) < t.open_orders and s.order_pile_count and not has_refill(s):
        raise r.root.field("open_orders", []).bad(
            f"{count_bits(s.open_orders)} of {t.open_orders} places, though orders are left (D22)")
    if s.now.kind == DRAWING:
        for i in range(s.ahead_count):
            if s.ahead[i].seat == s.turn:
                raise pending.field("then", []).bad("the active player does not draw with the others (D9)")
    return 0


cdef int check_moves(Reading r) except -1:
    """A decision has a move to make; loot and spoils are skipped when there is nothing but to decline."""
    cdef move_t moves[MAX_MOVES]
    cdef int count
    if deukalion_to_act(r.t, r.s) < 0:
        return 0
    count = deukalion_legal_moves(r.t, r.s, moves)
    if count == 0 or (count == 1 and r.s.now.kind in (LOOT, SPOILS)):
        raise r.root.field("phase", "").bad(f"there is nothing to decide in phase {PHASE_WORDS[r.s.now.kind]}")
    return 0


# ---------------------------------------------------------------- reading: what the observer does not see

cdef int fill_hidden(Reading r) except -1:
    """Some deal that fits: what is known to be in hands first, then any cards and orders."""
    cdef DeukalionState* s = r.s
    cdef const Tables* t = r.t
    cdef u8 known[KINDS]
    cdef int seat, kind, missing
    cdef Player* p
    for seat in range(t.players):
        if r.observer in (EVERYTHING, seat):
            continue
        p = &s.players[seat]
        seen_in_hand(t, s, seat, r.observer, known)
        missing = p.hand_count
        for kind in range(KINDS):
            if known[kind] > s.pile[kind]:
                raise r.root.field("players", []).bad(
                    f"{CARD_WORDS[kind]} is known to be in the hand of seat {seat}, but is seen elsewhere (D32)")
            p.hand[kind] = known[kind]
            s.pile[kind] -= known[kind]
            missing -= known[kind]
        if missing < 0:
            raise r.root.field("players", []).bad(f"more cards are known of the hand of seat {seat} than it has (D32)")
    for seat in range(t.players):
        if r.observer in (EVERYTHING, seat):
            continue
        p = &s.players[seat]
        missing = p.hand_count
        for kind in range(KINDS):
            missing -= p.hand[kind]
        for kind in range(KINDS):
            while missing and s.pile[kind]:
                p.hand[kind] += 1
                s.pile[kind] -= 1
                missing -= 1
    # A player who attacks the Hydra while no open order asks for it holds such an order (D12).
    if s.now.kind == THROWING and s.fight == HYDRA_FIGHT and not s.open_orders & t.hydra_orders:
        give_order(s, s.attacker, t.hydra_orders)
    for seat in range(t.players):
        give_order(s, seat, 0xFFFF)
    return 0


cdef void give_order(DeukalionState* s, int seat, u16 among) noexcept:
    cdef int order
    if s.players[seat].order != NONE - 1:
        return
    for order in range(16):
        if s.order_pile & among & (1 << order):
            s.order_pile &= ~<u16>(1 << order)
            s.players[seat].order = <u8>order
            return


# ---------------------------------------------------------------- reading: all of it

cdef int read_position(object obj, const Tables* t, Notation words, DeukalionState* s, bint observed) except -3:
    cdef Reading r = Reading.__new__(Reading)
    cdef list players
    cdef int seat
    r.root = read_root(obj, observed)
    r.t = t
    r.s = s
    r.words = words
    r.orders = {}
    r.observer = EVERYTHING
    if observed:
        r.observer = r.root.field("observer", 0).number(-1, t.players - 1)
    memset(s, 0, sizeof(DeukalionState))
    s.round = <u16>r.root.field("round", 0).number(1, t.max_rounds)
    s.turn = <u8>r.seat(r.root.field("turn", 0))
    s.mover = <u8>r.seat(r.root.field("mover", 0))
    s.now.kind = <u8>r.root.field("phase", "").word(PHASE_WORDS)
    if s.now.kind == SETUP and (s.round != 1 or s.turn != 0):
        raise r.root.field("phase", "").bad("the set-up is before round 1, turn of seat 0")
    players = r.root.field("players", []).items()
    for seat in range(t.players):
        read_player(r, players[seat], seat)
    read_places(r)
    check_fighters(r, players)
    s.hydra = <u8>r.square(r.root.field("hydra", {}), t.sea, "not on the open sea, where the Hydra is (D3)")
    read_orders(r)
    read_cards(r)
    read_victory_cards(r)
    read_kylix(r)
    read_used(r)
    read_pending(r)
    check_treasures(r)
    if s.now.kind not in (SETUP, OVER):
        for seat in range(t.players):
            if s.players[seat].ship == NONE:
                raise (<Part>players[seat]).field("ship", None).bad("is missing; all ships are placed in the set-up")
    check_pending(r)
    check_ships(r, players)
    for seat in range(t.players):
        check_knows(r, players[seat], seat)
    if observed:
        fill_hidden(r)
    check_moves(r)
    if r.root.has("to_act") and r.root.field("to_act", 0).value != deukalion_to_act(t, s):
        raise r.root.field("to_act", 0).not_allowed(f"{deukalion_to_act(t, s)}, as the phase says")
    return r.observer
