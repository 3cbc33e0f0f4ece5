"""The picture of cost against size: operations, compile time and run time, log-log."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

PLOT = Path(__file__).resolve().parent.parent / "docs/_static/scaling.png"
PANELS = (
    ("operations", "operations a state", 1.0),
    ("compile", "compile time [s]", 1.0),
    ("batch", "run time a state in a batch [µs]", 1e-3),
)


def save_plot(record: Mapping[str, Any]) -> Path:
    """Draws the section's record, with dashed lines of Pinocchio's loops and a slope of one."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, len(PANELS), figsize=(13, 4.2), layout="constrained")
    for ax, (quantity, label, scale) in zip(axes, PANELS, strict=True):
        for number, (law, kept) in enumerate(record.items()):
            points = [p for p in kept["points"] if p[quantity] is not None]
            links = [p["links"] for p in points]
            values = [scale * p[quantity] for p in points]
            growth = kept["growth"][quantity]
            power = "" if growth is None else f", n^{growth:.2f}"
            ax.loglog(links, values, "o-", color=f"C{number}", label=f"{law.replace('_', ' ')}{power}")
            if quantity == "batch" and all(p["peer"] is not None for p in points):
                peer = [scale * p["peer"] for p in points]
                ax.loglog(links, peer, "--", color=f"C{number}", alpha=0.6, linewidth=1)
        ax.set(xlabel="links", title=label)
        ax.set_xticks([5, 10, 20, 50, 100, 200], labels=["5", "10", "20", "50", "100", "200"])
        ax.minorticks_off()
        ax.grid(alpha=0.3)
        ax.legend(fontsize=8)
    note = "dashed: Pinocchio's C++ loops"
    axes[-1].text(0.98, 0.03, note, transform=axes[-1].transAxes, ha="right", fontsize=8)
    PLOT.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(PLOT, dpi=110)
    plt.close(figure)
    return PLOT
