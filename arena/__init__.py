"""Bots against each other: the game loop, luck, tournaments, ratings, tuning, reviews and their reports."""
