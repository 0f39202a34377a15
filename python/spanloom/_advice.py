# SPDX-License-Identifier: Apache-2.0
"""advise(): further advice at the join points, which are the calls of decorated functions."""
import _spanloom


class Advice:
    """Advice that was given; a context manager that takes it back."""

    def __init__(self, number):
        self._number = number

    def remove(self):
        _spanloom.remove_advice(self._number)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.remove()


def advise(before=None, after=None, match=None):
    """Calls before(function, args, kwargs) and after(function, result, exception) at each join point, from now on.

    match  a pattern of names (shell wildcards) of the spans that are meant; None: all
    Either may be a PyCapsule "spanloom.advice" instead, of a C function (name, category, context): see spanloom-python(7).
    What advice raises is reported (sys.unraisablehook) and stops nothing. Advice is called whether tracing is on or off.
    """
    if before is None and after is None:
        raise TypeError("advise: neither before nor after")
    if match is not None and not isinstance(match, str):
        raise TypeError(f"advise: match is a str, not {match!r}")
    pattern = None
    if match is not None:
        import fnmatch
        import re
        pattern = re.compile(fnmatch.translate(match)).match
    return Advice(_spanloom.add_advice(before, after, pattern))
