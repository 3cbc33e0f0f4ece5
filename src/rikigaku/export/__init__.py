"""Compiled programs as source text in other languages."""
