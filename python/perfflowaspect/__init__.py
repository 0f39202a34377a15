# SPDX-License-Identifier: Apache-2.0
"""In the place of PerfFlowAspect's Python package: the same decorator and events, recorded by spanloom."""
from . import aspect

__all__ = ["aspect"]
