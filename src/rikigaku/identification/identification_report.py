"""Report of an identification as one HTML page without scripts: verdict, torques, residuals, parameters."""

import base64
import io
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from rikigaku.core.errors import MissingEngine
from rikigaku.identification.identification_figures import (
    autocorrelation,
    file_values,
    filter_figure,
    parameter_figure,
    residual_figure,
)

if TYPE_CHECKING:
    from rikigaku.identification.identification_record import Identification

_GOOD, _FAIR = 0.10, 0.25  # relative torque errors
_COLOURED = 0.5  # autocorrelation of neighbouring residuals beyond which they are not white
_WORSE = 1.1  # error of the consistent parameters over that of least squares
_CONDITION = 1000.0

_STYLE = """
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, sans-serif; color: #1c2430; background: #f6f7f9; margin: 0; }
main { max-width: 62rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
section { background: #fff; border: 1px solid #dde2e8; border-radius: 8px; }
section { padding: .5rem 1.25rem 1.25rem; margin: 1rem 0; }
h1 { margin: .5rem 0; } h2 { font-size: 1.15rem; margin: .75rem 0 .5rem; }
table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; }
th, td { padding: .2rem .7rem .2rem 0; text-align: right; border-bottom: 1px solid #eceff3; }
th:first-child, td:first-child { text-align: left; }
img { max-width: 100%; height: auto; display: block; margin: .5rem 0; }
.verdict { font-size: 1.05rem; } .verdict li { margin: .25rem 0; } details summary { cursor: pointer; }
@media print { section { border: 0; } details { display: block; } }
"""


def identification_report(found: "Identification") -> str:
    """The page."""
    try:
        import matplotlib
    except ImportError:
        raise MissingEngine("A report has figures: pip install 'rikigaku[plot]'.") from None
    backend = matplotlib.get_backend()
    matplotlib.use("Agg")
    try:
        body = "\n".join(_sections(found))
    finally:
        matplotlib.use(backend)
    title = f"Identification of {found.model.robot.name}"
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{_STYLE}</style></head>'
        f"<body><main><h1>{escape(title)}</h1>{body}</main></body></html>"
    )


def verdict(found: "Identification") -> list[str]:
    """What the numbers mean, in sentences."""
    rows, lines = found.model.rows, []
    if found.held_out:
        errors = found.torque_error_consistent if found.consistent else found.torque_error
        worst = int(np.argmax(errors))
        if errors.max() <= _GOOD:
            word = "The model may be trusted for motions like the held-out one"
        elif np.median(errors) <= _FAIR:
            word = "The model is usable, with care at some joints"
        else:
            word = "The model explains these torques poorly"
        lines.append(
            f"{word}: relative torque errors on held-out motion are {100 * errors.min():.1f} to "
            f"{100 * errors.max():.1f} %, the largest at {rows[worst]}."
        )
        before, after = float(found.torque_error_file.sum()), float(errors.sum())
        lines.append(
            f"Compared with the file's values the sum of the errors is {after / before:.2f} times as large."
        )
        poor = [row for row, x in zip(rows, errors, strict=True) if x > _FAIR]
        if poor:
            lines.append(
                f"More than {100 * _FAIR:.0f} % are not explained at {', '.join(poor)}: small torques, "
                "friction that depends on load or temperature, or a transmission that is not in the model."
            )
        if found.consistent:
            ratio = found.torque_error_consistent / np.maximum(found.torque_error, 1e-300)
            if ratio.max() > _WORSE:
                lines.append(
                    f"Physical consistency costs accuracy at {rows[int(ratio.argmax())]} (error "
                    f"{ratio.max():.2f} times that of least squares): the data ask there for an impossible "
                    "body, so something is missing in the model."
                )
            else:
                lines.append("Every inertia is that of a possible body, and this costs no accuracy.")
    else:
        lines.append("No motion was held out: the accuracy on other motions is not known.")
    seen = found.estimate.observed
    values, errors = found.estimate.theta[seen], np.sqrt(np.diag(found.estimate.covariance)[seen])
    clear = int((np.abs(values) > 2 * errors).sum())
    lines.append(
        f"{clear} of {len(found.names)} parameters are distinguished from zero; "
        f"{len(found.names) - int(seen.sum())} are not separated by this motion."
    )
    if found.estimate.condition > _CONDITION:
        lines.append(
            f"The condition number is {found.estimate.condition:.3g}: a better excitation (rk.excitation) "
            "would give smaller errors."
        )
    neighbours = [abs(autocorrelation(e)[1]) for e in found.residuals.T]
    coloured = [row for row, x in zip(rows, neighbours, strict=True) if x > _COLOURED]
    if coloured:
        lines.append(
            f"Residuals of {', '.join(coloured)} are not white: part of what remains is not noise. Standard "
            "errors allow for its correlation over time, not for wrong models."
        )
    return lines


def _sections(found: "Identification") -> list[str]:
    parts = [_section("Verdict", f'<ul class="verdict">{_items(verdict(found))}</ul>')]
    if found.held_out:
        torques = _image(found.plot(), "measured and predicted torques")
        parts.append(_section("Held-out motion", _errors(found) + torques))
    residuals = _image(residual_figure(found), "autocorrelation of residuals, and residuals against speed")
    bars = _image(parameter_figure(found), "parameters with error bars")
    filters = _image(filter_figure(found), "spectrum before and after the filter, and acceleration")
    parts += [
        _section("Residuals", _residuals(found) + residuals),
        _section("Parameters", bars + _parameters(found)),
        _section("What could not be seen, and why", _unobserved(found)),
        _section("Data", f"{filters}<ul>{_items(found.notes)}</ul>{_gains(found)}"),
    ]
    return parts


def _errors(found: "Identification") -> str:
    kinds = {"file": found.torque_error_file, "least squares": found.torque_error}
    kinds["consistent" if found.consistent else "nearest to the file"] = found.torque_error_consistent
    rows = [[name, *(f"{100 * x:.2f}" for x in (*e, e.sum()))] for name, e in kinds.items()]
    return _table(["relative torque error [%]", *found.model.rows, "sum"], rows)


def _residuals(found: "Identification") -> str:
    e = found.residuals
    rows = []
    for j, name in enumerate(found.model.rows):
        own = e[np.isfinite(e[:, j]), j]
        spread = float(np.std(own)) if len(own) else 0.0
        heavy = float(np.mean(np.abs(own) > 3 * spread)) if spread else 0.0
        rows.append(
            [
                name,
                f"{spread:.4g}",
                f"{np.mean(own):.2g}",
                f"{autocorrelation(e[:, j])[1]:.2f}",
                f"{100 * heavy:.2f}",
            ]
        )
    head = [
        "equation",
        "standard deviation [N m, N]",
        "mean",
        "correlation of neighbours",
        "beyond 3 sigma [%]",
    ]
    return _table(head, rows)


def _parameters(found: "Identification") -> str:
    file = file_values(found)
    theta = dict(zip(found.names, found.theta_consistent, strict=True))
    rows = []
    for name in found.names:
        value, error = found.values[name], found.standard_errors[name]
        sure = f"{100 * abs(error / value):.1f}" if np.isfinite(value) and value else ""
        own = f"{file[name]:.4g}" if name in file else ""
        rows.append([name, f"{value:.4g}", f"{error:.2g}", sure, f"{theta[name]:.4g}", own])
    head = [
        "parameter",
        "value",
        "standard error",
        "[%]",
        "consistent" if found.consistent else "nearest",
        "file",
    ]
    return f"<details><summary>Table of {len(rows)} parameters</summary>{_table(head, rows)}</details>"


def _unobserved(found: "Identification") -> str:
    groups: dict[str, list[str]] = {}
    for name, reason in found.unobserved.items():
        kind = reason.split(":")[0]
        groups.setdefault(kind, []).append(name)
    items = [f"{kind} ({len(names)}): {', '.join(names)}" for kind, names in groups.items()]
    return f"<ul>{_items(items)}</ul>" if items else "<p>Every parameter is determined.</p>"


def _gains(found: "Identification") -> str:
    if (found.gains == 1).all():
        return ""
    return "<p>Gains: " + ", ".join(f"{x:.4g}" for x in found.gains) + " N m/A.</p>"


def _section(title: str, body: str) -> str:
    return f"<section><h2>{escape(title)}</h2>{body}</section>"


def _items(lines: Any) -> str:
    return "".join(f"<li>{escape(line)}</li>" for line in lines)


def _table(head: list[str], rows: list[list[str]]) -> str:
    first = "".join(f"<th>{escape(x)}</th>" for x in head)
    body = "".join("<tr>" + "".join(f"<td>{escape(x)}</td>" for x in row) + "</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{first}</tr></thead><tbody>{body}</tbody></table></div>'


def _image(figure: Any, alt: str) -> str:
    from matplotlib import pyplot

    data = io.BytesIO()
    figure.savefig(data, format="png", dpi=110)
    pyplot.close(figure)
    text = base64.b64encode(data.getvalue()).decode()
    return f'<img alt="{escape(alt)}" src="data:image/png;base64,{text}">'
