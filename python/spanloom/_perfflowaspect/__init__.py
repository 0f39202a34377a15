# SPDX-License-Identifier: Apache-2.0
"""In the place of PerfFlowAspect's Python package: the same decorator and events, recorded by spanloom."""
import importlib
import os


def stand_in(package):
    """Makes a package that has nothing of its own, perfflowaspect, one of the modules that are here."""
    package.__doc__ = __doc__
    package.__path__[:] = [os.path.dirname(__file__)]  # not where it lies itself, and PerfFlowAspect's may lie, too
    package.__all__ = ["aspect"]
    importlib.import_module(f"{package.__name__}.aspect")
