"""The leagues' own protocols: clients that know nothing of us play in our matches."""
