"""What is simulated, as data: bodies, joints, motors, entities, materials; read from and written to files."""
