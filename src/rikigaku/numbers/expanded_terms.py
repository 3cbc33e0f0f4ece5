"""Terms that a program's results would have if they were multiplied out, estimated without doing so.

A sum has the terms of its summands together, a product the product of theirs. Cancellation is not seen, and
the sine or cosine of a sum of angles counts as one term.
"""

from math import prod

from rikigaku.numbers.expression_graph import Node
from rikigaku.numbers.program import Program

_LARGEST = 1e300  # products beyond it stay finite


def most_terms(program: Program) -> float:
    """The largest estimate over the elements of all results."""
    terms: dict[Node, float] = {}
    for node in program.nodes:
        own = [terms.get(x, 1.0) for x in node.args]
        if node.op in ("add", "sub"):
            terms[node] = min(sum(own), _LARGEST)
        elif node.op in ("mul", "neg"):
            terms[node] = min(prod(own), _LARGEST)
        else:
            terms[node] = 1.0
    return max((terms[x] for result in program.results for x in result if isinstance(x, Node)), default=1.0)
