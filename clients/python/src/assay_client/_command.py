"""Runs the command `assay`, whose engine scores in tests as it does in production."""

from __future__ import annotations

import json
import os
import pathlib
import shlex
import shutil
import subprocess
from typing import Any

_SECONDS_MAX = 120
_LOCAL = pathlib.Path("node_modules", ".bin", "assay.cmd" if os.name == "nt" else "assay")


class AssayCommandFailed(Exception):
    """The command is not there, or could not score. The message has its output."""


def assay_command(folder: pathlib.Path | None = None) -> list[str]:
    """Finds the command: ASSAY_COMMAND, then `node_modules/.bin/assay` of the folder or one above, then the PATH."""
    __tracebackhide__ = True
    given = os.environ.get("ASSAY_COMMAND", "").strip()
    if given:
        return shlex.split(given, posix=os.name != "nt")
    start = (folder or pathlib.Path.cwd()).resolve()
    for place in [start, *start.parents]:
        if (place / _LOCAL).exists():
            return [str(place / _LOCAL)]
    on_path = shutil.which("assay")
    if on_path is not None:
        return [on_path]
    raise AssayCommandFailed(
        "the command `assay` was not found: install its npm package beside the tests (`npm install --save-dev "
        "./assay-*.tgz`), or set ASSAY_COMMAND, such as `node /path/to/assay/bin/assay.mjs`"
    )


def score(
    files: list[pathlib.Path], suite: str, *, config: str | None = None, folder: pathlib.Path | None = None
) -> dict[str, Any]:
    """Returns what `assay score --json` prints. Judges are not asked."""
    __tracebackhide__ = True
    command = [*assay_command(folder), "score", *map(str, files), "--suite", suite, "--json"]
    if config is not None:
        command += ["--config", config]
    environment = {
        key: value for key, value in os.environ.items() if not key.startswith(("ASSAY_COMMAND", "ASSAY_URL"))
    }
    try:
        ran = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_SECONDS_MAX,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise AssayCommandFailed(f"{shlex.join(command)} took longer than {_SECONDS_MAX} s") from error
    except OSError as error:
        raise AssayCommandFailed(f"{shlex.join(command)} cannot be run: {error}") from error
    if ran.returncode != 0:
        said = ran.stderr.strip() or ran.stdout.strip()
        raise AssayCommandFailed(f"{shlex.join(command)} ended with {ran.returncode}:\n{said}")
    try:
        result: dict[str, Any] = json.loads(ran.stdout)
    except ValueError as error:
        raise AssayCommandFailed(f"{shlex.join(command)} printed no JSON:\n{ran.stdout[:500]}") from error
    return result
