"""A satellite in the plane with three links: one joint to spare for a point, none for a point and a turn."""

from dataclasses import replace

import rikigaku as rk


def planar_3r() -> rk.Robot:
    """The shipped satellite with a third link, and its hand there."""
    two = rk.load("space_planar_2r")
    inertia = rk.Inertia("com", 6, ("1/4", 0, 0), (0, 0, 0, "1/8", 0, "1/8"))
    third = rk.Link("link3", "link2", rk.Joint("q3"), rk.ModifiedDH(0, "l2", 0, 0), inertia)
    hand = rk.Frame("hand", "link3", rk.Placement(("1/2", 0, 0)))
    return replace(two, name="planar_3r", links=(*two.links, third), frames=(hand,))
