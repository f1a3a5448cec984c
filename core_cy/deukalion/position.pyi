FORMAT: int
