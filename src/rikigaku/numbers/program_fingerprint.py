"""Digest of a traced program: the key of its compiled code where no text determines the program."""

import hashlib

from rikigaku.numbers.expression_graph import Node
from rikigaku.numbers.program import Program


def fingerprint(program: Program) -> str:
    """A digest that is equal for equal programs."""
    numbers = {node: k for k, node in enumerate(program.nodes)}
    digest = hashlib.sha256(repr((program.inputs, program.outputs)).encode())
    for node in program.nodes:
        value = fingerprint(node.value) if isinstance(node.value, Program) else node.value
        digest.update(repr((node.op, [numbers[arg] for arg in node.args], value)).encode())
    for row in program.results:
        digest.update(repr([f"#{numbers[x]}" if isinstance(x, Node) else float(x) for x in row]).encode())
    return digest.hexdigest()
