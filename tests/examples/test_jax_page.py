"""The page on JAX and PyTorch is true: its Python runs as it stands, and prints what it says."""

from pathlib import Path

from test_documentation import blocks, run


def test_the_page_on_jax_and_pytorch_runs_from_top_to_bottom(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("\n".join(blocks("jax.md", "python")))
    answer = run(script)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.splitlines() == [
        "[(1000, 2), (1000, 2), (1000, 2)]",
        "True",
        "(3, 2)",
        "True True",
        "True",
        "(50, 2) ()",
        "torch.Size([])",
        "torch.Size([100, 2, 2]) True",
        "ndarray",
        "(5, 2, 2, 2) True",
    ]
