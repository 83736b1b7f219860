"""Commands: everything that agents can ask for. `COMMANDS` in `biela.arena.command.registry` has them all."""
