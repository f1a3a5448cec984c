"""What can be wrong with what a caller hands in. All are ValueErrors with a message that says what is allowed."""


class IllegalMove(ValueError):
    """A move that cannot be read, or that the rules do not allow now."""


class BadOption(ValueError):
    """An unknown game or option, or a value that is not allowed."""

    def __init__(self, field: str, value: object, allowed: str) -> None:
        super().__init__(f"{field}: {value!r} is not allowed; allowed: {allowed}")
        self.field = field
        self.value = value
        self.allowed = allowed

    def __reduce__(self) -> tuple[type, tuple[str, object, str]]:
        return type(self), (self.field, self.value, self.allowed)


class BadPosition(ValueError):
    """A position that no game can reach. `path` names the part, `reason` what is wrong with it."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}" if path else reason)
        self.path = path
        self.reason = reason

    def __reduce__(self) -> tuple[type, tuple[str, str]]:
        return type(self), (self.path, self.reason)
