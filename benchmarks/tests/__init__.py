"""Tests of the measuring instrument itself."""
