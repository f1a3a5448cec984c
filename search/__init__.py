"""Bots that play any game of the contract from observations alone."""
