"""A review as a picture, and as a page: the win probability over the game, with mistakes and luck marked."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from html import escape
from typing import NamedTuple

from pythia.arena import plot
from pythia.arena.review import Decision, LuckyEvent, Review, SeatReview
from pythia.core_cy.errors import BadPosition
from pythia.core_cy.picture import svg_of
from pythia.core_cy.record import Record

LEFT, RIGHT = 72.0, plot.WIDTH - 140.0
TOP, CURVES, LANE, GAP = 30.0, 260.0, 84.0, 34.0
# Luck of this much fills a lane even where all events brought less, so that a quiet game looks quiet.
LEAST_SCALE = 0.05
SHOWN_LUCK = 8
MOST_BOARDS = 40
BOARD_STYLE = (
    ".boards { display: flex; flex-wrap: wrap; gap: 1rem; } .boards figure { flex: 1 1 24rem; margin: 0; }"
    ".boards img { width: 100%; height: auto; } .position { scroll-margin-top: 1rem; }"
    ".position:target h3 { text-decoration: underline; } svg a { cursor: pointer; }"
)


class Boards(NamedTuple):
    """A position as SVG, with the move that was played marked, and with the better one."""

    played: str
    better: str


def review_svg(review: Review, *, linked: bool = False) -> str:
    """As a picture; where it is `linked` a mistake leads to the place `move-NUMBER` of the page.

    Above, the win probability of each seat as it saw it, mistakes as drops; below, luck, a lane for each seat.
    """
    across = plot.scale(0, max(1, review.moves), LEFT, RIGHT)
    up = plot.scale(0, 1, TOP + CURVES, TOP)
    parts = [plot.text(LEFT, TOP - 12, "win probability, as each seat could see it; ▼ mistakes", kind="soft")]
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        parts += [
            plot.line(LEFT, up(tick), RIGHT, up(tick)),
            plot.text(LEFT - 8, up(tick) + 4, f"{100 * tick:.0f} %", "end"),
        ]
    ends = []
    for seat in review.seats:
        points = [(d.number, d.win_probability) for d in review.decisions if d.seat == seat]
        if review.complete and review.returns is not None:
            points.append((review.moves, review.returns[seat]))
        if not points:
            continue
        line = " ".join(f"{across(number):.1f},{up(value):.1f}" for number, value in points)
        parts.append(
            f'<polyline points="{line}" fill="none" stroke="{color(seat)}" stroke-width="2" stroke-linejoin="round"/>'
        )
        ends.append((up(points[-1][1]), str(seat)))
    for y, seat_text in plot.apart(ends, 16, TOP + 4, TOP + CURVES):
        seat = int(seat_text)
        label = plot.text(RIGHT + 12, y + 4, plot.short(review.names[seat], 18))
        parts.append(label.replace("<text ", f'<text style="fill:{color(seat)};font-weight:600" ', 1))
    for decision in review.decisions:
        if decision.is_mistake:
            drop = _drop(decision, across(decision.number), up)
            parts.append(f'<a href="#{_place(decision)}">{drop}</a>' if linked else drop)
    top = TOP + CURVES + GAP + 8
    most = max([LEAST_SCALE, *(abs(event.luck) for event in review.luck)])
    for seat in review.seats:
        events = [event for event in review.luck if event.seat == seat]
        parts += _lane(review.of(seat), events, top, most, across)
        top += LANE + GAP
    for tick in plot.ticks(0, review.moves):
        if tick == int(tick):
            parts.append(plot.text(across(tick), top - 14, f"{tick:.0f}", "middle"))
    parts.append(plot.text(RIGHT, top + 4, "moves and outcomes of the record", "end", "soft"))
    return plot.svg(top + 16, f"Review of a game of {review.game}", parts)


def color(seat: int) -> str:
    return plot.COLORS[seat % len(plot.COLORS)]


def _drop(decision: Decision, x: float, up: plot.Scale) -> str:
    """The loss as a line down from where the curve was, with a triangle at its end."""
    high, low = up(decision.win_probability), up(max(0.0, decision.win_probability - decision.loss))
    ink = color(decision.seat)
    head = f"{x - 4.5:.1f},{low - 4:.1f} {x + 4.5:.1f},{low - 4:.1f} {x:.1f},{low + 4:.1f}"
    words = f"{decision.number}: {decision.move} lost {_percent(decision.loss)}; better: {decision.best}"
    return (
        f'<g class="mistake">{_title(words)}{plot.line(x, high, x, low, ink, 1.5)}'
        f'<polygon points="{head}" fill="{ink}" stroke="var(--page)" stroke-width="0.8"/></g>'
    )


def _lane(
    seat: SeatReview, events: Sequence[LuckyEvent], top: float, most: float, across: plot.Scale
) -> Iterator[str]:
    up = plot.scale(-most, most, top + LANE, top)
    ink = color(seat.seat)
    yield plot.text(
        LEFT, top - 6, f"luck of {plot.short(seat.name)}: {_signed(seat.total_luck)} in all", kind="soft"
    )
    for tick in (-most, 0.0, most):
        yield plot.line(LEFT, up(tick), RIGHT, up(tick))
        yield plot.text(LEFT - 8, up(tick) + 4, _signed(tick) if tick else "0", "end")
    for event in events:
        x, y = across(event.number), up(event.luck)
        words = f"{event.number}: {event.event}, {_signed(event.luck)}"
        yield f'<g class="luck">{_title(words)}{plot.line(x, up(0), x, y, ink, 2)}</g>'


def _title(words: str) -> str:
    return f"<title>{escape(words)}</title>"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _signed(share: float) -> str:
    return f"{100 * share:+.1f} %"


def boards_of(review: Review, record: Record) -> dict[int, Boards]:
    """What the seat saw before each mistake, as pictures."""
    states = list(record.replay())
    found = {}
    for decision in worst_first(review)[:MOST_BOARDS]:
        seen = states[decision.number - 1].observation(decision.seat)
        with suppress(BadPosition):  # a game without pictures
            found[decision.number] = Boards(
                *(svg_of(seen, move=move, names=review.names) for move in (decision.move, decision.best))
            )
    return found


def _place(decision: Decision) -> str:
    return f"move-{decision.number}"


def _mistake(decision: Decision, review: Review, boards: Boards) -> str:
    """A mistake on the page: the position with the move that was played, and with the better one."""
    figures = "".join(
        f'<figure><figcaption>{escape(what)}: <b>{escape(move)}</b></figcaption><img alt="{escape(what)}" '
        f'src="data:image/svg+xml;base64,{b64encode(picture.encode()).decode()}"></figure>'
        for what, move, picture in (
            ("played", decision.move, boards.played),
            ("better", decision.best, boards.better),
        )
    )
    why = f"; {', '.join(decision.reasons)}" if decision.reasons else ""
    words = (
        f"{review.names[decision.seat]} lost {_percent(decision.loss)} "
        f"({100 * decision.low:.1f} to {100 * decision.high:.1f}){why}"
    )
    return (
        f'<section class="position" id="{_place(decision)}"><h3>Move {decision.number}</h3>'
        f'<p>{escape(words)} <a href="#top">up</a></p><div class="boards">{figures}</div></section>'
    )


def review_html(review: Review, boards: Mapping[int, Boards] | None = None) -> str:
    """The picture, the tables, and the board at each mistake as one page, which needs nothing else."""
    boards = boards or {}
    title = f"Review of a game of {review.game}"
    done = "" if review.complete else f" · the first {review.reviewed} of {review.moves} moves only"
    about = f"{', '.join(review.names)} · judged by {review.bot}, seed {review.seed}{done}"
    parts = [
        f"<style>{BOARD_STYLE}</style>",
        f'<h1 id="top">{escape(title)}</h1>',
        f'<p class="soft">{escape(about)}</p>',
        review_svg(review, linked=bool(boards)),
        "<h2>Seats</h2>",
        plot.table(
            (
                "seat",
                "decisions",
                "lost in all (95 %)",
                "per decision",
                "mistakes",
                "luck in all (95 %)",
                "won",
            ),
            [_seat_row(seat) for seat in review.summaries()],
        ),
        "<h2>Mistakes</h2>",
        plot.table(
            ("move", "seat", "lost (95 %)", "played", "better", "why"),
            [_mistake_row(decision, review.names) for decision in worst_first(review)],
            text=(3, 4, 5),
        ),
        *(
            _mistake(decision, review, boards[decision.number])
            for decision in worst_first(review)
            if decision.number in boards
        ),
        "<h2>Luck, the most first</h2>",
        plot.table(
            ("move", "seat", "luck", "what"),
            [
                (str(event.number), review.names[event.seat], _signed(event.luck), event.event)
                for event in sorted(review.luck, key=lambda event: -abs(event.luck))[:SHOWN_LUCK]
            ],
            text=(3,),
        ),
    ]
    return plot.page(title, parts)


def worst_first(review: Review) -> list[Decision]:
    """The mistakes of all seats."""
    return sorted((d for d in review.decisions if d.is_mistake), key=lambda decision: -decision.loss)


def _seat_row(seat: SeatReview) -> tuple[str, ...]:
    return (
        seat.name,
        str(seat.decisions),
        f"{_percent(seat.total_loss)} ({100 * seat.total_loss_low:.0f} to {100 * seat.total_loss_high:.0f})",
        f"{100 * seat.mean_loss:.2f} %",
        str(seat.mistakes),
        f"{_signed(seat.total_luck)} ({100 * seat.total_luck_low:+.0f} to {100 * seat.total_luck_high:+.0f})",
        "-" if seat.result is None else f"{seat.result:g}",
    )


def _mistake_row(decision: Decision, names: Sequence[str]) -> tuple[str, ...]:
    return (
        str(decision.number),
        names[decision.seat],
        f"{_percent(decision.loss)} ({100 * decision.low:.1f} to {100 * decision.high:.1f})",
        decision.move,
        decision.best,
        ", ".join(decision.reasons),
    )
