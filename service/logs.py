"""Logs as JSON Lines on standard error. Calls are logged without their contents, so no token ever gets here."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime

LEVELS = ("debug", "info", "warning", "error")
LOG = logging.getLogger("pythia.service")


class JsonFormatter(logging.Formatter):
    """One object per line: time, level, message, and whatever was given as `extra={"fields": {...}}`."""

    def format(self, record: logging.LogRecord) -> str:
        obj: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "message": record.getMessage(),
        }
        obj.update(getattr(record, "fields", {}))
        if record.exc_info:
            obj["trace"] = self.formatException(record.exc_info)
        return json.dumps(obj, default=str)


def set_up_logs(level: str) -> None:
    """JSON on standard error, for this program's own log only."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter())
    LOG.handlers = [handler]
    LOG.propagate = False
    LOG.setLevel(level.upper())
