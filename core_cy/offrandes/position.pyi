# Positions go through `State.to_json`, `State.observation`, `state_from_json` and `state_from_observation`;
# this module has no Python face of its own.
FORMAT: int
