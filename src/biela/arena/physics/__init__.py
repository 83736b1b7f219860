"""Physics engines behind one interface; `BACKENDS` in `biela.arena.physics.registry` has their names."""
