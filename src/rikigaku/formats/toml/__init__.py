"""Robots in `.robot.toml` files."""
