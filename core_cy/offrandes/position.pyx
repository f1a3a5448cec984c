"""Positions as JSON, both ways; see position.pxd.

Reading trusts nothing: types, names, ranges, and then that the position can be reached at all. The rules rely on that
for accepted positions and check nothing themselves.
"""

from libc.string cimport memset

from pythia.core_cy.bits cimport count_bits
from pythia.core_cy.game cimport CHANCE, NOBODY
from pythia.core_cy.offrandes.rules cimport (
    MAX_MOVES, bribe_place, distance, is_draw, is_end, offrandes_legal_moves, offrandes_ranks, offrandes_to_act, total,
)
from pythia.core_cy.offrandes.state cimport (
    AUCTION, BID, BRIBE, FIRST, OFFER, OPEN, OVER, OffrandesState, PHASES, Player, SETUP,
)
from pythia.core_cy.offrandes.tables cimport (
    ALTARS, CHARACTERS, DRACHMAS, KINDS_OF_ANIMALS, LAST_SCORE, MAX_ROUNDS, MAX_SCORE, MAX_SEATS, MOST_ANIMALS,
    MOST_DRACHMAS, OF_A_KIND, TOP, Tables,
)
from pythia.core_cy.parts cimport Part, part, read_observer
from pythia.core_cy.types cimport move_t, u8, u32

from pythia.core_cy.offrandes import components

FORMAT = 1

# -- words, by number

cdef tuple CITY_WORDS = components.CITIES
cdef tuple CHARACTER_WORDS = components.CHARACTERS
cdef tuple ANIMAL_WORDS = components.ANIMALS
cdef tuple ALTAR_WORDS = components.ALTARS
cdef tuple RESULT_WORDS = ("", "altars", "points", "length")
cdef tuple PHASE_WORDS = components.PHASES
assert len(PHASE_WORDS) == PHASES

# The fields of `pending` in each phase.
cdef tuple OF_AUCTION_TURN = ("kind", "seat", "sold", "buyers")
cdef tuple PENDING_FIELDS = (
    (),
    (),
    OF_AUCTION_TURN,
    (*OF_AUCTION_TURN, "pair"),
    (*OF_AUCTION_TURN, "pair", "high", "leader", "bidders"),
    ("kind", "seat", "bribed"),
    (),
    ("kind", "result", "winners", "totals"),
)


# ---------------------------------------------------------------- writing

cdef list named(int bits, tuple words):
    cdef int i
    return [words[i] for i in range(len(words)) if (bits >> i) & 1]


cdef list seats_of(int bits):
    cdef int seat
    return [seat for seat in range(MAX_SEATS) if (bits >> seat) & 1]


cdef dict player_to_json(const Player* p, int seat):
    cdef int i
    return {
        "city": CITY_WORDS[seat],
        "drachmas": p.drachmas,
        "score": p.score,
        "ladders": {CHARACTER_WORDS[i]: p.level[i] for i in range(CHARACTERS)},
    }


cdef dict altar_to_json(const OffrandesState* s, int altar):
    cdef int owner = s.owner[altar]
    return {
        "altar": ALTAR_WORDS[altar],
        "city": CITY_WORDS[owner - 1] if owner else "",
        "number": s.number[altar],
        "animal": ANIMAL_WORDS[s.animal[altar] - 1] if owner else "",
    }


cdef str end_reason(const Tables* t, const OffrandesState* s):
    if s.taken == ALTARS:
        return "altars"
    return "length" if is_draw(t, s) else "points"


cdef list winners_of(const Tables* t, const OffrandesState* s):
    """Nobody wins a game that ended by its length (O26)."""
    cdef int ranks[MAX_SEATS]
    cdef int seat
    if is_draw(t, s):
        return []
    offrandes_ranks(t, s, ranks)
    return [seat for seat in range(t.players) if ranks[seat] == 1]


cdef list totals_of(const Tables* t, const OffrandesState* s):
    cdef int seat, altars
    cdef list totals = []
    for seat in range(t.players):
        totals.append(total(t, s, seat, &altars))
    return totals


cdef dict pending_to_json(const Tables* t, const OffrandesState* s):
    cdef dict pending = {"kind": PHASE_WORDS[s.phase]}
    if s.phase == OVER:
        pending["result"] = end_reason(t, s)
        pending["winners"] = winners_of(t, s)
        pending["totals"] = totals_of(t, s)
        return pending
    pending["seat"] = s.actor
    if s.phase == BRIBE:
        pending["bribed"] = seats_of(s.bribed)
        return pending
    pending["sold"] = named(s.sold, CHARACTER_WORDS)
    pending["buyers"] = seats_of(s.buyers)
    if s.phase != AUCTION:
        pending["pair"] = named(s.pair, CHARACTER_WORDS)
    if s.phase == BID:
        pending["high"] = s.high
        pending["leader"] = s.leader
        pending["bidders"] = seats_of(s.bidders)
    return pending


cdef dict write_position(const Tables* t, const OffrandesState* s, int observer):
    cdef int seat, i
    cdef dict obj = {"game": "offrandes", "format": FORMAT}
    if observer != EVERYTHING:
        obj["observer"] = observer
    obj["options"] = {"players": t.players}
    obj["round"] = s.round
    obj["first"] = s.first
    obj["turn"] = s.turn
    obj["to_act"] = offrandes_to_act(t, s)
    obj["phase"] = PHASE_WORDS[s.phase]
    if PENDING_FIELDS[s.phase]:
        obj["pending"] = pending_to_json(t, s)
    obj["players"] = [player_to_json(&s.players[seat], seat) for seat in range(t.players)]
    obj["altars"] = [altar_to_json(s, i) for i in range(ALTARS)]
    obj["supply"] = {ANIMAL_WORDS[i]: s.supply[i] for i in range(KINDS_OF_ANIMALS)}
    return obj


# ---------------------------------------------------------------- reading: who plays

cdef tuple ROOT_FIELDS = (
    "game", "format", "options", "round", "first", "turn", "to_act", "phase", "pending", "players", "altars", "supply",
)
cdef tuple OBSERVED_FIELDS = (*ROOT_FIELDS, "observer")


cdef Part read_root(object obj, bint observed):
    cdef Part root = part("", dict(obj))
    if observed and not root.has("observer"):
        raise part("observer", None).bad(
            "is missing; an observation names the seat that sees it, and a full state is read by state_from_json")
    if not observed and root.has("observer"):
        raise part("observer", None).bad(
            "this is what one seat sees, not a full state; it is read by state_from_observation")
    for name in ("game", "format", "options", "players", "altars"):
        if not root.has(name):
            raise part(name, None).bad("is missing")
    root.only(OBSERVED_FIELDS if observed else ROOT_FIELDS)
    root.field("game", "").word(("offrandes",))
    root.field("format", 0).number(FORMAT, FORMAT)
    return root


cdef int read_players(object obj, bint observed) except -1:
    cdef Part root = read_root(obj, observed)
    cdef Part options = root.field("options", {})
    cdef Part listed = root.field("players", [])
    cdef int players
    options.only(("players",))
    players = options.field("players", 0).number(components.MIN_PLAYERS, components.MAX_PLAYERS)
    if len(listed.items()) != players:
        raise listed.bad(f"{len(listed.items())} are listed, but {players} play")
    return players


# ---------------------------------------------------------------- reading: players, altars, supply

cdef int read_player(Part player, OffrandesState* s, int seat) except -1:
    cdef Player* p = &s.players[seat]
    cdef Part ladders
    cdef int i, other
    player.only(("city", "drachmas", "score", "ladders"))
    player.field("city", "").word((CITY_WORDS[seat],))
    p.drachmas = <u8>player.field("drachmas", 0).number(0, MOST_DRACHMAS)
    p.score = <u8>player.field("score", 0).number(0, MAX_SCORE)
    ladders = player.field("ladders", {})
    ladders.only(CHARACTER_WORDS)
    for i in range(CHARACTERS):
        p.level[i] = <u8>ladders.field(CHARACTER_WORDS[i], 0).number(0, TOP)
        for other in range(seat):
            if p.level[i] == TOP and s.players[other].level[i] == TOP:
                raise ladders.field(CHARACTER_WORDS[i], 0).bad(
                    f"seat {other} has the top field, which takes one disc (O11)")
    return 0


cdef int read_altars(Part altars, const Tables* t, OffrandesState* s) except -1:
    cdef Part item
    cdef int altar
    cdef u32 listed = 0
    for entry in altars.items():
        item = entry
        item.only(("altar", "city", "number", "animal"))
        altar = item.field("altar", "").word(ALTAR_WORDS)
        if (listed >> altar) & 1:
            raise item.field("altar", "").bad(f"{ALTAR_WORDS[altar]} is there twice")
        listed |= <u32>1 << altar
        s.number[altar] = <u8>item.field("number", 0).number(0, MOST_ANIMALS)
        if s.number[altar]:
            s.owner[altar] = <u8>(item.field("city", "").word(CITY_WORDS[:t.players]) + 1)
            s.animal[altar] = <u8>(item.field("animal", "").word(ANIMAL_WORDS) + 1)
            s.taken += 1
            continue
        for name in ("city", "animal"):
            if item.field(name, "").value != "":
                raise item.field(name, "").bad(f"{ALTAR_WORDS[altar]} has no animals, so it has no {name}")
    for altar in range(ALTARS):
        if not (listed >> altar) & 1:
            raise altars.bad(f"{ALTAR_WORDS[altar]} is missing")
    return 0


cdef int read_supply(Part supply, OffrandesState* s) except -1:
    """With those on altars, all animals of the box."""
    cdef Part left
    cdef int kind, altar, count
    supply.only(ANIMAL_WORDS)
    for kind in range(KINDS_OF_ANIMALS):
        left = supply.field(ANIMAL_WORDS[kind], 0)
        s.supply[kind] = <u8>left.number(0, OF_A_KIND)
        count = s.supply[kind]
        for altar in range(ALTARS):
            if s.animal[altar] == kind + 1:
                count += s.number[altar]
        if count != OF_A_KIND:
            raise left.bad(f"{s.supply[kind]} here and {count - s.supply[kind]} on altars; there are {OF_A_KIND}")
    return 0


cdef int check_scores(const Tables* t, const OffrandesState* s) except -1:
    """What lies on one's altars has been scored (O22); above 100 the game ends with the round (O24)."""
    cdef int seat, altar, least
    for seat in range(t.players):
        least = 0
        for altar in range(ALTARS):
            if s.owner[altar] == seat + 1:
                least += s.number[altar] * s.animal[altar]
        if s.players[seat].score < least:
            raise part(f"players[{seat}].score", None).bad(
                f"{s.players[seat].score}, but the offerings on its altars brought {least} (O22)")
        if s.players[seat].score > LAST_SCORE and s.phase != OVER and not has_offered(t, s, seat):
            raise part(f"players[{seat}].score", None).bad(
                f"{s.players[seat].score}; with more than {LAST_SCORE} the game was over after the round before (O24)")
    return 0


cdef bint has_offered(const Tables* t, const OffrandesState* s, int seat):
    """Whether a seat was asked before in this phase 3 (O17)."""
    return s.phase == OFFER and distance(t, s.first, seat) < distance(t, s.first, s.actor)


# ---------------------------------------------------------------- reading: what is open

cdef int read_seat(Part where, const Tables* t, int needed) except -1:
    """A seat that follows from the rest."""
    if where.number(0, t.players - 1) != needed:
        raise where.not_allowed(str(needed))
    return 0


cdef int read_seats(Part where, const Tables* t) except -1:
    """A list of different seats, as bits."""
    cdef int bits = 0, seat
    for item in where.items():
        seat = (<Part>item).number(0, t.players - 1)
        if (bits >> seat) & 1:
            raise (<Part>item).bad(f"{seat} is there twice")
        bits |= 1 << seat
    return bits


cdef int read_acting(Part root, const Tables* t, OffrandesState* s) except -1:
    """Who decides, and `turn`, which the phase and these two decide but for the auctioneer."""
    cdef Part to_act = root.field("to_act", 0)
    cdef Part turn = root.field("turn", 0)
    if s.phase in (FIRST, OVER):
        if to_act.number(NOBODY, t.players - 1) != (CHANCE if s.phase == FIRST else NOBODY):
            raise to_act.not_allowed(f"{CHANCE if s.phase == FIRST else NOBODY} in phase {PHASE_WORDS[s.phase]}")
        s.turn = <u8>turn.number(0, t.players - 1)
        if s.turn != s.first:
            raise turn.not_allowed(f"{s.first}, as `first`")
        return 0
    s.actor = <u8>to_act.number(0, t.players - 1)
    s.turn = <u8>turn.number(0, t.players - 1)
    if s.phase != BID and s.turn != s.actor:
        raise turn.not_allowed(f"{s.actor}, as `to_act`")
    return 0


cdef int read_auction_turn(Part pending, const Tables* t, OffrandesState* s) except -1:
    cdef Part sold = pending.field("sold", [])
    cdef Part buyers = pending.field("buyers", [])
    s.sold = <u8>sold.word_set(CHARACTER_WORDS)
    s.buyers = <u8>read_seats(buyers, t)
    if count_bits(s.buyers) >= t.auctions:
        raise buyers.bad(f"{count_bits(s.buyers)}; an auction turn with {t.players} players has {t.auctions} "
                         "auctions, so it is over (O8)")
    if (s.buyers >> s.turn) & 1:
        raise buyers.bad(f"seat {s.turn} is the auctioneer, whose purchase ends the auction turn (O8)")
    if count_bits(s.sold) != 2 * count_bits(s.buyers):
        raise sold.bad(f"{count_bits(s.sold)} characters, but {count_bits(s.buyers)} seats bought a pair each (O6)")
    return 0


cdef int read_pair(Part pending, OffrandesState* s) except -1:
    cdef Part pair = pending.field("pair", [])
    cdef list items = pair.items()
    if len(items) != 2:
        raise pair.bad(f"{len(items)} characters; a pair has two (O6)")
    s.pair = <u8>pair.word_set(CHARACTER_WORDS)
    for item in items:
        if (s.sold >> (<Part>item).word(CHARACTER_WORDS)) & 1:
            raise (<Part>item).bad(f"{(<Part>item).value} was sold in this auction turn (O6)")
    return 0


cdef int read_bids(Part pending, const Tables* t, OffrandesState* s) except -1:
    cdef Part leader = pending.field("leader", 0)
    cdef Part bidders = pending.field("bidders", [])
    s.leader = <u8>leader.number(0, t.players - 1)
    s.bidders = <u8>read_seats(bidders, t)
    if s.leader == s.actor:
        raise leader.bad(f"{s.leader} is asked for a bid, so it cannot have the highest (O7)")
    for seat, who in ((s.leader, "the leader"), (s.actor, "asked for a bid")):
        if not (s.bidders >> seat) & 1:
            raise bidders.bad(f"seat {seat} is {who} and not among them (O7)")
    if s.bidders & s.buyers:
        raise bidders.bad(f"seat {seats_of(s.bidders & s.buyers)[0]} has bought in this auction turn (O8)")
    s.high = <u8>pending.field("high", 0).number(1, MOST_DRACHMAS)
    if s.high > s.players[s.leader].drachmas:
        raise pending.field("high", 0).bad(
            f"{s.high}, but seat {s.leader}, the leader, has {s.players[s.leader].drachmas} drachmas (O6, O7)")
    return 0


cdef int read_bribed(Part bribed, const Tables* t, OffrandesState* s) except -1:
    cdef int seat, asked = 0
    s.bribed = <u8>read_seats(bribed, t)
    for seat in range(t.players):
        asked += bribe_place(t, s, seat) < bribe_place(t, s, s.actor)
    if count_bits(s.bribed) > asked:
        raise bribed.bad(f"{count_bits(s.bribed)} seats, but {asked} were asked before seat {s.actor} (O12)")
    return 0


cdef int read_pending(Part root, const Tables* t, OffrandesState* s) except -1:
    cdef Part pending = root.field("pending", {})
    cdef Part kind
    cdef bint decided
    pending.only(PENDING_FIELDS[s.phase])
    # Where no seat decides, all of it may be left out: there is nothing to say, or it follows from the rest.
    decided = "seat" in PENDING_FIELDS[s.phase]
    kind = pending.field("kind", "" if decided else PHASE_WORDS[s.phase])
    if kind.value != PHASE_WORDS[s.phase]:
        raise kind.not_allowed(f"{PHASE_WORDS[s.phase]}, as the phase")
    if decided:
        read_seat(pending.field("seat", 0), t, s.actor)
    if s.phase in (AUCTION, OPEN, BID):
        read_auction_turn(pending, t, s)
        if s.phase != AUCTION:
            read_pair(pending, s)
        if s.phase == BID:
            read_bids(pending, t, s)
    elif s.phase == BRIBE:
        read_bribed(pending.field("bribed", []), t, s)
    elif s.phase == OVER:
        check_result(root, pending, t, s)
    return 0


cdef int check_result(Part root, Part pending, const Tables* t, const OffrandesState* s) except -1:
    """The game can be over (O24, O26); what is said of its result is right (O25)."""
    cdef Part result = pending.field("result", "")
    cdef Part winners = pending.field("winners", [])
    cdef Part totals = pending.field("totals", [])
    if not is_end(t, s):
        raise root.field("phase", "").bad(
            f"over, but not all altars have an offering, no score is above {LAST_SCORE}, "
            f"and this is not round {MAX_ROUNDS} (O24, O26)")
    if RESULT_WORDS[result.word(RESULT_WORDS)] not in ("", end_reason(t, s)):
        raise result.not_allowed(f"{end_reason(t, s)}, as altars and scores say")
    if winners.value != [] and seats_of(read_seats(winners, t)) != winners_of(t, s):
        raise winners.bad(f"the points say {winners_of(t, s)} (O25)")
    if totals.value != [] and [(<Part>item).number(0, 1000) for item in totals.items()] != totals_of(t, s):
        raise totals.bad(f"scores and altars make {totals_of(t, s)} (O25)")
    return 0


# ---------------------------------------------------------------- reading: what the phase asks of the rest

cdef int check_beginning(Part root, const Tables* t, const OffrandesState* s) except -1:
    """Before the first round nothing has happened but the choices of the seats that were asked (O1, O3)."""
    cdef const Player* p
    cdef int seat, i, recruits, others
    if s.round != 1:
        raise root.field("round", 0).not_allowed(f"1 in phase {PHASE_WORDS[s.phase]}")
    if s.phase == FIRST and s.first:
        raise root.field("first", 0).not_allowed("0 before the start player is drawn")
    for i in range(ALTARS):
        if s.owner[i]:
            raise part("altars", None).bad(f"{ALTAR_WORDS[i]} has an offering before the first round (O1)")
    for seat in range(t.players):
        p = &s.players[seat]
        if p.drachmas != DRACHMAS:
            raise part(f"players[{seat}].drachmas", None).bad(
                f"{p.drachmas}; before the first round everybody has {DRACHMAS} (O1)")
        if p.score:
            raise part(f"players[{seat}].score", None).bad(f"{p.score}; before the first round nobody has points (O1)")
        recruits = others = 0
        for i in range(CHARACTERS):
            recruits += p.level[i] == 1
            others += p.level[i] > 1
        if others or recruits != (components.RECRUITS if has_recruited(t, s, seat) else 0):
            raise part(f"players[{seat}].ladders", None).bad(
                f"this seat has {'' if has_recruited(t, s, seat) else 'not '}been asked, so it has "
                f"{'three characters on level 1' if has_recruited(t, s, seat) else 'all on level 0'} (O1, O3)")
    return 0


cdef bint has_recruited(const Tables* t, const OffrandesState* s, int seat):
    """Whether a seat was asked before the one to act: from the seat before the start player backwards (O3)."""
    cdef int last = s.first - 1 if s.first else t.players - 1
    return s.phase == SETUP and distance(t, seat, last) < distance(t, s.actor, last)


cdef int check_end(Part root, const Tables* t, const OffrandesState* s) except -1:
    """A game that has to be over is over (O24)."""
    if s.taken < ALTARS or s.phase == OVER or (s.phase == OFFER and s.actor != s.first):
        return 0
    raise root.field("altars", None).bad("all have an offering, so the game was over after the round before (O24)")


cdef int check_choice(Part root, const Tables* t, const OffrandesState* s) except -1:
    """Nobody is asked who has one move only (O4)."""
    cdef move_t moves[MAX_MOVES]
    if s.phase in (FIRST, OVER) or offrandes_legal_moves(t, s, moves) > 1:
        return 0
    if s.phase == OFFER:
        raise root.field("to_act", 0).bad(f"seat {s.actor} can offer nothing, so it is not asked (O4)")
    if s.phase == BRIBE:
        raise root.field("to_act", 0).bad(f"seat {s.actor} can bribe nobody, so it is not asked (O4)")
    raise root.field("to_act", 0).bad(
        f"seat {s.actor} with {s.players[s.actor].drachmas} drachmas has no choice, so it is not asked (O4)")


# ---------------------------------------------------------------- reading: all of it

cdef int read_position(object obj, const Tables* t, OffrandesState* s, bint observed) except -1:
    cdef Part root = read_root(obj, observed)
    cdef list players = root.field("players", []).items()
    cdef int seat
    memset(s, 0, sizeof(OffrandesState))
    if observed:
        read_observer(root.field("observer", 0), t.players)
    s.round = <u8>root.field("round", 0).number(1, MAX_ROUNDS)
    s.first = <u8>root.field("first", 0).number(0, t.players - 1)
    s.phase = <u8>root.field("phase", "").word(PHASE_WORDS)
    for seat in range(t.players):
        read_player(players[seat], s, seat)
    read_altars(root.field("altars", []), t, s)
    read_supply(root.field("supply", {}), s)
    read_acting(root, t, s)
    check_scores(t, s)
    if s.phase in (FIRST, SETUP):
        check_beginning(root, t, s)
    check_end(root, t, s)
    read_pending(root, t, s)
    check_choice(root, t, s)
    return 0
