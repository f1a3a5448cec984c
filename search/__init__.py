"""Search: bots that choose moves from what a player may know. Knows games only through `pythia.core_cy`."""
