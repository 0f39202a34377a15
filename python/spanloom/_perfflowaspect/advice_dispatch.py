# SPDX-License-Identifier: Apache-2.0
"""Which advice is given at a pointcut. Classes of further kinds may be put into advice_dict, for aspect.advice_kind."""
from .advice_chrome import ChromeTracingAdvice


class AdviceDispatcher:
    advice_dict = {"ChromeTracing": ChromeTracingAdvice}

    @staticmethod
    def get(key, pointcut, scope):
        """The decorator for it; KeyError: there is no such pointcut."""
        advice = AdviceDispatcher.advice_dict[key]
        if pointcut in ("around", "before", "after", "around_async"):
            return getattr(advice, pointcut)
        if pointcut in ("before_async", "after_async"):
            return getattr(advice, pointcut)(scope)
        raise KeyError("unknown pointcut", pointcut)

    @staticmethod
    def get_advice(key):
        return AdviceDispatcher.advice_dict[key]
