"""Metrics for those who want none: nothing is counted, and no registry is made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from pythia.service.metrics import Metrics


class Uncounted:
    """Every counter, gauge and histogram, and what has them; hears all and keeps nothing."""

    def __getattr__(self, name: str) -> Any:
        return self

    def __call__(self, *arguments: object, **values: object) -> Any:
        return self

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        return None


NO_METRICS = cast("Metrics", Uncounted())
