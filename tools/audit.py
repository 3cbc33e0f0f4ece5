"""Licences of the pinned packages, and their known vulnerabilities by pip-audit: `./dev audit`.

pip-audit runs in an environment of its own (requirements/audit.txt), so that its packages are not among those
it examines. Without a connection to a vulnerability database only the licences are listed.
"""

import json
import re
import subprocess
import sys
import tempfile
import venv
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any

REQUIREMENTS = Path(__file__).parents[1] / "requirements"
_PIN = re.compile(r"^([A-Za-z0-9._-]+)==(\S+)", re.MULTILINE)
_CLASSIFIER = "License :: OSI Approved :: "
_UNKNOWN = "not stated"


def pinned(name: str) -> dict[str, str]:
    """Versions of the packages that a file of requirements pins, by name."""
    return dict(_PIN.findall((REQUIREMENTS / f"{name}.txt").read_text("utf-8")))


def licence(package: str) -> str:
    """The licence that an installed package states: expression, classifiers, or first line of its text."""
    try:
        stated = metadata(package)
    except PackageNotFoundError:
        return "not installed here"
    if "License-Expression" in stated:
        return stated["License-Expression"]
    classifiers = [
        x.rsplit(" :: ", 1)[-1] for x in stated.get_all("Classifier") or () if x.startswith(_CLASSIFIER)
    ]
    text = stated["License"].strip().splitlines() if "License" in stated else []
    return ", ".join(classifiers) or (text[0][:60] if text else _UNKNOWN)


def vulnerabilities() -> int:
    """Run pip-audit on the pinned packages; 1 if it found something."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = str(Path(folder, "bin", "python"))
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        packages = [*pip, "--require-hashes", "-r", str(REQUIREMENTS / "audit.txt")]
        if subprocess.run(packages, stderr=subprocess.PIPE).returncode:
            print("pip-audit could not be installed (requirements/audit.txt): nothing was examined.")
            return 0
        options = ["--disable-pip", "--require-hashes", "--progress-spinner", "off", "--format", "json"]
        files = [x for name in ("run", "test") for x in ("-r", str(REQUIREMENTS / f"{name}.txt"))]
        done = subprocess.run([python, "-m", "pip_audit", *options, *files], capture_output=True, text=True)
    if not done.stdout.strip():
        print("pip-audit gave no result:", *done.stderr.strip().splitlines()[-1:])
        return 0
    return _report(json.loads(done.stdout)["dependencies"])


def _report(examined: list[dict[str, Any]]) -> int:
    """Print what pip-audit found; a package that no database knows has not been examined."""
    unknown = sum("skip_reason" in package for package in examined)
    found = [(x["name"], x["version"], v) for x in examined for v in x.get("vulns", ())]
    for name, version, vulnerability in found:
        mended = ", ".join(vulnerability["fix_versions"]) or "no version"
        print(f"{name} {version}: {vulnerability['id']}, mended in {mended}")
    print(
        f"{len(examined) - unknown} of {len(examined)} packages examined, {len(found)} vulnerabilities known"
    )
    if unknown:
        print(f"{unknown} could not be looked up: no vulnerability database was reached, or it lacks them.")
    return 1 if found else 0


def main() -> int:
    """Print the licences, then what pip-audit finds."""
    run = pinned("run")
    rows = [
        (name, version, licence(name), "" if name in run else "tests")
        for name, version in sorted(pinned("test").items())
    ]
    widths = [max(len(row[k]) for row in rows) for k in range(3)]
    for row in rows:
        print("  ".join(x.ljust(n) for x, n in zip(row, widths, strict=False)), row[3])
    unknown = [name for name, _, stated, _ in rows if stated == _UNKNOWN]
    print(f"{len(rows)} packages, {len(run)} of them for users; no licence: {', '.join(unknown) or 'none'}")
    return vulnerabilities()


if __name__ == "__main__":
    sys.exit(main())
