"""Hybrid systems: modes, guards and events; shared by contact and simulation."""
