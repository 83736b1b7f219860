"""Strategies: what drives a team. `STRATEGIES` in `biela.arena.strategy.registry` has the baselines."""
