# SPDX-License-Identifier: Apache-2.0
"""R, to compare with: one process of it for all that a test file asks."""
import math
import subprocess

from harness import check, path, write

_SERVES = r"""
say <- function(n, v) cat(n, format(v, digits=17, scientific=TRUE, trim=TRUE), '\n', sep='\t')
asked <- file('stdin', 'r')
while (length(script <- readLines(asked, 1))) {
    tryCatch(source(script, local=new.env()), error=function(e) cat('error', conditionMessage(e), '\n', sep='\t'))
    cat('.\n')
    flush(stdout())
}
"""
_process = []


def R(script, **given):
    """What the script shows by say(name, values): {name: [values]}. Lists of numbers are vectors to it, texts are texts."""
    if not _process:
        _process.append(subprocess.Popen(["Rscript", "--vanilla", "-e", _SERVES], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
    r, lines = _process[0], []
    for name, values in given.items():
        if isinstance(values, str):
            lines.append(f"{name} <- '{values}'\n")
        else:
            lines.append(f"{name} <- scan('{path(name)}', quiet=TRUE)\n")
            write(path(name), "".join(f"{float(v)!r}\n" for v in values))
    r.stdin.write(write(path("script.R"), "".join(lines) + script) + "\n")
    r.stdin.flush()
    said = {}
    for line in r.stdout:
        name, *values = line.rstrip("\n").split("\t")
        if name == ".":
            return said
        check(name != "error", *values)
        said[name] = [math.nan if v.strip() in ("NA", "NaN") else float(v) for v in values if v.strip()]
    raise AssertionError(f"R ended with {r.wait()}")
