"""Native code and source code from Functions: one file a target, one registry."""
