"""Expressions: one hash-consed graph, its algebra, calculus and Functions."""
