"""Settings of all tests: examples of Hypothesis have no time limit, since test machines may be busy."""

from hypothesis import settings

settings.register_profile("busy machine", deadline=None)
settings.load_profile("busy machine")
