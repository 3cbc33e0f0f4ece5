"""A law of a robot as a function of JAX."""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from rikigaku.binding.bound_law import BoundLaw
from rikigaku.binding.compiled_law import named_tuple
from rikigaku.binding.framework_call import batch_shape, flat_batch, framework_call
from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import WrongValue
from rikigaku.core.validation import short
from rikigaku.jax.law_primitive import law_primitive


@checked
def law(bound: BoundLaw) -> Callable[..., Any]:
    """The law as a function of JAX arrays, with the arguments of the law.

    Inputs, gravity, wrenches and symbols may be traced: `jit`, `vmap`, `grad`, `jvp`, `jacfwd`, `jacrev`,
    `hessian` and compositions of them run native code. Options (frame, axes, friction) are fixed when it is
    traced. Arrays of float64 are computed in double precision, others in single precision; Python numbers and
    values of the robot take the precision of the arrays.

    Derivatives by q are by all its nq numbers, without the components along quaternions: the gradient is in
    the tangent space. `law(robot.integrate)` is the retraction.
    """
    if not isinstance(bound, BoundLaw):
        raise WrongValue(f"A law of a robot is needed, as robot.inverse_dynamics; {short(bound)} was given.")

    def function(*args: Any, **keywords: Any) -> Any:
        return _called(bound, args, keywords)

    function.__name__ = function.__qualname__ = bound.law.name
    function.__doc__ = type(bound).__doc__
    return function


def _called(bound: BoundLaw, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    function, inputs = framework_call(bound, args, keywords, array)
    dtype = precision(inputs)
    ports = function.inputs
    shapes = [x.shape for x in inputs]
    batch = batch_shape(bound.law.called, ports, shapes)
    operands = []
    for x, port in zip(inputs, ports, strict=True):
        full, flat = flat_batch(x.shape, port, batch)
        x = x if full is None else jnp.broadcast_to(x, full)
        operands.append(jnp.asarray(x.reshape(flat), dtype))
    results = law_primitive.bind(*operands, function=function)
    results = [y.reshape(*batch, *y.shape[1:]) for y in results]
    if len(results) == 1:
        return results[0]
    return named_tuple("Results", tuple(port.name for port in function.outputs))(*results)


def array(x: Any) -> Any:
    """A JAX array of an array, a NumPy array of Python numbers.

    Raises:
        WrongValue: if it is anything but real numbers.
    """
    found = x
    if not isinstance(x, jax.Array):
        try:
            found = np.asarray(x)
            found = jnp.asarray(found) if hasattr(x, "shape") and x.shape else found.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise WrongValue(f"An array of real numbers is needed; {short(x)} was given.") from error
    if jnp.issubdtype(found.dtype, jnp.complexfloating):
        raise WrongValue(f"Laws take real numbers; an array of {found.dtype} was given.")
    return found


def precision(inputs: Sequence[Any]) -> Any:
    """float64 if an array of JAX has it, else float32; without any such array that of Python numbers."""
    strong = [x for x in inputs if isinstance(x, jax.Array)]
    return jnp.promote_types(jnp.result_type(*strong), jnp.float32) if strong else jnp.result_type(float)
