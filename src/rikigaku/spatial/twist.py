"""Twists and wrenches: six numbers, linear part first, angular part second."""

from typing import NamedTuple

from rikigaku.numbers.number_kind import Number
from rikigaku.spatial import vector
from rikigaku.spatial.vector import Vector, cross


class Twist(NamedTuple):
    """Linear velocity of the reference point and angular velocity (or their derivatives)."""

    linear: Vector
    angular: Vector

    def plus(self, other: "Twist") -> "Twist":
        return Twist(vector.add(self.linear, other.linear), vector.add(self.angular, other.angular))

    def times(self, s: Number) -> "Twist":
        return Twist(vector.scale(s, self.linear), vector.scale(s, self.angular))

    def cross(self, other: "Twist") -> "Twist":
        """V x other: time derivative of a twist that is fixed in a body moving with this twist."""
        (v, w), (dv, dw) = self, other
        return Twist(vector.add(cross(w, dv), cross(v, dw)), cross(w, dw))

    def cross_wrench(self, other: "Wrench") -> "Wrench":
        """V x* F: time derivative of a wrench that is fixed in a body moving with this twist."""
        (v, w), (f, n) = self, other
        return Wrench(cross(w, f), vector.add(cross(w, n), cross(v, f)))


class Wrench(NamedTuple):
    """Force, and moment about the reference point."""

    force: Vector
    moment: Vector

    def plus(self, other: "Wrench") -> "Wrench":
        return Wrench(vector.add(self.force, other.force), vector.add(self.moment, other.moment))

    def minus(self, other: "Wrench") -> "Wrench":
        return Wrench(vector.sub(self.force, other.force), vector.sub(self.moment, other.moment))

    def power(self, twist: Twist) -> Number:
        """Power of the wrench on a twist: f . v + n . w."""
        return vector.dot((*self.force, *self.moment), (*twist.linear, *twist.angular))


NO_TWIST = Twist(vector.ZERO, vector.ZERO)
