"""The robot as frozen data, joint types, editing, checks, and the mechanism that recursions walk."""
