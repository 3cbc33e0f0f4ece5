"""All configurations of a general arm as LLVM text: zeros of a determinant, then Newton's method.

    void solve(ptr block)

Kernels are called with addresses in memory that `native_arm` prepares. A pose where anything is unclear (a
double zero, an odd number, two equal configurations, a singular one) gets a status; it is left to
`general_arm`.
"""

from rikigaku.integrators.llvm_writer import DECLARED, Array, Value
from rikigaku.inverse_kinematics.llvm_determinant_zeros import DeterminantZeros
from rikigaku.inverse_kinematics.native_arm_block import Call, Fallback, Slot
from rikigaku.inverse_kinematics.pose_newton import ACCEPTED, FARTHEST, FINISHED, MOST, STEPS
from rikigaku.inverse_kinematics.singular_configurations import SINGULAR, SUSPECT

_JOINTS = 6
_REVOLUTION = 6.283185307179586
_NAN = float("nan")


class _ArmConfigurations(DeterminantZeros):
    def text(self) -> str:
        w = self.w
        with w.loop(self.block[Slot.POSES]) as pose:
            self.placed(pose)
            for cell in (self.status, self.brackets, self.unclear, self.small, self.zeros):
                cell.value = 0
            self.isolated()
            with w.when(self.zeros.value > 0):
                self.configurations()
            self.stored(pose)
        w.leave_void()
        return "\n".join([DECLARED, w.function("define void @solve(ptr %block)")])

    def configurations(self) -> None:
        """All joints at each zero, Newton's method, and what calls for the slower method."""
        w, m = self.w, self.m
        count = self.zeros.value
        self.padded("x", count)
        self.call(Call.FACTORS, count)
        self.call(Call.JOINTS, count)
        places = w.array(self.block[Slot.PLACES], "i64")
        with w.loop(count) as k:
            q = m["q"].at(k * _JOINTS)
            q[places[3]] = m["x"][k]
            for i, place in enumerate((0, 1, 2, 4, 5)):
                q[places[place]] = m["others"][k * 5 + i]
            m["done"][k] = m["moved"][k] = 0.0
        self.padded("q", count, _JOINTS)
        steps = w.cell(0, "i64")
        with w.repeat() as finished:
            self.call(Call.NEWTON, count)
            with w.when(steps.value >= STEPS):
                w.jump(finished)
            busy = w.cell(0.0)
            with w.loop(count) as k, w.when(m["done"][k] < 0.5):
                longest = w.cell(0.0)
                for i in range(_JOINTS):
                    at = k * _JOINTS + i
                    m["q"][at] = m["q"][at] + m["step"][at]
                    longest.value = w.max(w.abs(m["step"][at]), longest.value)
                m["done"][k] = 1.0
                m["moved"][k] = m["moved"][k] + longest.value
                with w.when(longest.value > FINISHED):
                    m["done"][k] = 0.0
                busy.value = 1.0
            with w.when(busy.value < 0.5):
                w.jump(finished)
            self.padded("q", count, _JOINTS)
            steps.value = steps.value + 1

    def stored(self, pose: Value) -> None:
        w, m = self.w, self.m
        scales = w.array(self.block[Slot.SCALES])
        q = w.array(self.block[Slot.Q]).at(pose * (MOST * _JOINTS))
        residual = w.array(self.block[Slot.RESIDUAL]).at(pose * MOST)
        found = w.array(self.block[Slot.FOUND], "i64").at(pose * MOST)
        count = self.zeros.value
        with w.when(count > MOST):
            self.flag(Fallback.MANY)
        odd = count - count / 2 * 2
        with w.when(odd > 0):
            self.flag(Fallback.ODD)
        kept = w.min(count, MOST)
        with w.loop(MOST, kept) as k:
            residual[k], found[k] = _NAN, 0
        with w.loop(MOST * _JOINTS, kept * _JOINTS) as k:
            q[k] = _NAN
        with w.when(self.status.value.equals(0)), w.loop(count) as k:
            errors = m["errors"].at(3 * k)
            size = w.sqrt(errors[0] * errors[0] + errors[1] * errors[1])
            with w.when(~(size < ACCEPTED)):
                self.flag(Fallback.NEWTON)
            with w.when(~(errors[2] > SUSPECT)):
                self.flag(Fallback.SINGULAR)
            with w.when(~(m["moved"][k] < FARTHEST)):
                self.flag(Fallback.FAR)
            residual[k], found[k] = size, 1
            own = m["q"].at(_JOINTS * k)
            for i in range(_JOINTS):
                x = own[i]
                with w.when(scales[_JOINTS + i] > 0):  # an angle
                    own[i] = x - _REVOLUTION * self.nearest(x * (1 / _REVOLUTION))
                q[k * _JOINTS + i] = own[i] * scales[i]
            with w.loop(k) as j:
                self.compared(own, m["q"].at(_JOINTS * j), scales)
        w.array(self.block[Slot.STATUS], "i64")[pose] = self.status.value

    def compared(self, a: Array, b: Array, scales: Array) -> None:
        """Leave poses with two equal configurations to the slower method."""
        w = self.w
        gap = w.cell(0.0)
        for i in range(_JOINTS):
            x = a[i] - b[i]
            turned = x - _REVOLUTION * self.nearest(x * (1 / _REVOLUTION))
            x = w.abs(w.select(scales[_JOINTS + i] > 0, turned, x))
            gap.value = w.max(x, gap.value)
        with w.when(gap.value < SINGULAR):
            self.flag(Fallback.EQUAL)

    def nearest(self, x: Value) -> Value:
        """The nearest whole number."""
        half = x + 0.5
        return self.w.result("double", f"call double @llvm.floor.f64(double {half.name})")


def arm_configurations_text(width: int) -> str:
    """@solve for vectors of that many doubles."""
    return _ArmConfigurations(width).text()
