"""Doors to frameworks of others: their bots play Pythia's games, and Pythia's bots play in theirs.

Each module needs the package it is named after, which comes with the extra of that name.
"""
