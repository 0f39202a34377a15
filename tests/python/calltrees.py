#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random programs of functions, methods, generators, coroutines, asynchronous generators, spans and exceptions that call
one another: a model computes what a program must record, and the trace says exactly that.

The program is made and run by the Python that is tested, from a seed; the model interprets the same tree of actions and
never runs the program.  SEED=N gives others, TREES=N how many.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from pythons import *  # noqa
from sections import *  # noqa

ERRORS = ["KeyError", "ValueError", "ZeroDivisionError", "StopAsyncIteration", "Odd"]
CUTS = ["around", "around", "around", "before", "after", "around_async", None]  # None: not decorated


# ---- making programs: functions 0..n-1, each calls those of higher numbers only

class Function:
    """kind is f (function), m (method), c (coroutine), g (generator), a (asynchronous generator)."""

    def __init__(self, number, kind, cut, args, body):
        self.number, self.kind, self.cut, self.args, self.body = number, kind, cut, args, body
        self.name = f"C.f{number}" if kind == "m" else f"f{number}"


def make(random, n):
    kinds = random.choices("fmcga", [4, 2, 3, 3, 2], k=n)
    functions = []
    for i in range(n):
        cut = random.choice(CUTS) if kinds[i] in "fm" else random.choice(["around", "around", None])
        functions.append(Function(i, kinds[i], cut, random.random() < 0.3, None))
    for f in functions:
        f.body = block(random, functions, f, 0)
    return functions


def block(random, functions, f, depth):
    return [action(random, functions, f, depth) for _ in range(random.choice([0, 1, 1, 2, 2, 3]) if depth else random.choice([1, 2, 3, 4]))]


def action(random, functions, f, depth):
    callees = [g for g in functions[f.number + 1:f.number + 6] if f.kind in "ca" or g.kind not in "ca"]
    choice = random.random()
    if callees and choice < 0.5:
        g = random.choice(callees)
        if g.kind in "ga":
            # how many items are taken, and what then: run to the end, close, leave alone, throw
            return ("iterate", g, random.randrange(4), random.choice(["end", "end", "close", "throw"]), random.choice(ERRORS),
                    block(random, functions, f, depth + 1) if depth < 2 else [])
        return ("call", g)
    if choice < 0.58 and depth < 3:
        return ("try", block(random, functions, f, depth + 1), block(random, functions, f, depth + 1))
    if choice < 0.66 and depth < 3:
        return ("span", random.randrange(100), block(random, functions, f, depth + 1))
    if choice < 0.69:
        return ("raise", random.choice(ERRORS))
    if choice < 0.80:
        return ("instant", random.randrange(100))
    if choice < 0.84:
        return ("return", random.randrange(100))
    if choice < 0.88:
        return ("arg", random.randrange(100))
    if f.kind in "ca" and choice < 0.94:
        return ("sleep",)
    if f.kind in "ga":
        return ("yield", random.randrange(100))
    return ("pass",)


HEAD = """
import asyncio
import spanloom
class Odd(Exception): pass
"""


def source(functions):
    out = [HEAD]
    for f in functions:
        lines = []
        if f.cut:
            lines.append(f"@spanloom.critical_path({f.cut!r}{', args=True' if f.args and f.kind != 'm' else ', args=[chr(110)]' if f.args else ''})")
        lines.append(f"{'async ' if f.kind in 'ca' else ''}def f{f.number}({'self, ' if f.kind == 'm' else ''}n):")
        lines += ["    " + x for x in code(f, f.body)]
        if f.kind in "ga":
            lines.append("    if False: yield")
        if f.kind == "m":
            out.append(f"class C:" if f is next(x for x in functions if x.kind == "m") else "class C(C):")
            lines = ["    " + x for x in lines]
        out += lines
    out.append("""
def out(e): spanloom.instant("out", error=type(e).__name__)
def alone(f, n):
    try: f(n)
    except Exception as e: out(e)
async def task(f, n):
    try: await f(n)
    except Exception as e: out(e)
async def together(*tasks): await asyncio.gather(*tasks)
""")
    for f in functions:
        if f.kind in "fm":
            out.append(f"alone({'C().' if f.kind == 'm' else ''}f{f.number}, {f.number})")
        elif f.kind == "c":
            out.append(f"asyncio.run(task(f{f.number}, {f.number}))")
    together = ", ".join(f"task(f{f.number}, {f.number})" for f in functions if f.kind == "c")
    out.append(f"asyncio.run(together({together}))")
    return "\n".join(out)


def call(g):
    return f"C().f{g.number}({g.number})" if g.kind == "m" else f"f{g.number}({g.number})"


def code(f, body, depth=0):
    out = []
    for a in body or [("pass",)]:
        word = a[0]
        if word == "call":
            out.append(f"{'await ' if a[1].kind == 'c' else ''}{call(a[1])}")
        elif word == "iterate":
            _, g, count, end, error, inner = a
            it, asynchronous = f"it{depth}", g.kind == "a"
            close = f"await {it}.aclose()" if asynchronous else f"{it}.close()"
            out.append(f"{it} = {call(g)}")
            out.append("try:")
            step = f"await {it}.__anext__()" if asynchronous else f"next({it})"
            stop = "StopAsyncIteration" if asynchronous else "StopIteration"
            steps = [f"for _ in range({count}):", f"    {step}"]
            steps += ["    " + x for x in code(f, inner, depth + 1)] if inner else []
            if end == "end":
                steps += ["while True:", f"    {step}"]
            elif end == "close":
                steps.append(close)
            else:
                steps.append(f"await {it}.athrow({error}('thrown'))" if asynchronous else f"{it}.throw({error}('thrown'))")
            # the generator must not outlive the loop, or the collector's time would be in the trace
            out += ["    " + x for x in steps] + [f"except {stop}: pass", "finally:", f"    {close}", f"    {it} = None"]
        elif word == "try":
            out += ["try:", *("    " + x for x in code(f, a[1], depth + 1)), "except Exception as e:", *("    " + x for x in code(f, a[2], depth + 1)),
                    "    e = None"]
        elif word == "span":
            out += [f"with spanloom.span('s{a[1]}', k={a[1]}):", *("    " + x for x in code(f, a[2], depth + 1))]
        elif word == "raise":
            out.append(f"raise {a[1]}('raised')")
        elif word == "instant":
            out.append(f"spanloom.instant('i{a[1]}')")
        elif word == "return":
            out.append("return" if f.kind in "ga" else f"return {a[1]}")
        elif word == "arg":
            out.append(f"spanloom.args(a{a[1]}={a[1]})")
        elif word == "sleep":
            out.append("await asyncio.sleep(0)")
        elif word == "yield":
            out.append(f"yield {a[1]}")
        else:
            out.append("pass")
    return out


# ---- the model: an interpreter whose every function is a generator, in Python's sense, of what it does

class Raised(Exception):
    def __init__(self, kind):
        self.kind = kind


class Return(Exception):
    pass


class Model:
    def __init__(self, python):
        self.python = python
        self.events, self.open, self.ids = [], [], 0  # open: the spans of the thread, each its event's own args

    def begin(self, name, **args):
        e = ["B", name, None, args]
        self.events.append(e)
        self.open.append(e)

    def end(self, error=None):
        e = self.open.pop()
        if error:
            e[3]["exception"] = error
        self.events.append(["E", e[1], None, {}])

    def whole(self, ph, name, i, **args):
        self.events.append([ph, name, i, args])

    def new_id(self):
        self.ids += 1
        return self.ids

    def alone(self, f):
        try:
            self.plain(f)
        except Raised as e:
            self.events.append(["i", "out", None, {"error": e.kind}])

    def together(self, functions):
        """Tasks: each runs until it sleeps, then the next."""
        queue = [self.steps(f) for f in functions]
        while queue:
            t = queue.pop(0)
            try:
                next(t)
                queue.append(t)
            except StopIteration:
                pass
            except Raised as e:
                self.events.append(["i", "out", None, {"error": e.kind}])

    # running() gives ("sleep",) and ("yield",), and gets None, or a Raised that is thrown in
    def running(self, f):
        try:
            yield from self.body(f, f.body)
        except Return:
            return
        except Raised as e:
            if f.kind == "a" and e.kind == "StopAsyncIteration":  # PEP 479
                raise Raised("RuntimeError") from None
            raise

    def plain(self, f):
        """A call of a function or method: at once."""
        args = {"n": f.number} if f.args else {}
        cut, name = f.cut, f.name
        error = None
        i = None
        if cut == "around":
            self.begin(name, **args)
        elif cut == "before":
            self.begin(name, **args)
            self.end()
        elif cut == "around_async":
            i = self.new_id()
            self.whole("b", name, i, **args)
        try:
            for _ in self.running(f):
                raise AssertionError("a function that waits")
        except Raised as e:
            error = e.kind
            raise
        finally:
            if cut == "around":
                self.end(error)
            elif cut == "after":
                self.begin(name, **args)
                self.end(error)
            elif cut == "around_async":
                self.whole("e", name, i, **({"exception": error} if error else {}))

    def steps(self, f):
        """The same, of a generator or coroutine: marks each stretch of running."""
        if not f.cut:
            yield from self.running(f)
            return
        inner, i, name = self.running(f), self.new_id(), f.name
        self.whole("b", name, i, **({"task": "*"} if f.kind in "ca" else {}), **({"n": f.number} if f.args else {}))
        thrown = None
        while True:
            self.begin(name, id=i)
            try:
                what = inner.throw(thrown) if thrown else next(inner)
            except StopIteration:
                self.end()
                self.whole("e", name, i)
                return
            except Raised as e:
                self.end()
                self.whole("e", name, i, **({} if e.kind == "GeneratorExit" else {"exception": e.kind}))
                raise
            self.end()
            thrown = None
            try:
                yield what
            except Raised as e:
                thrown = e

    def body(self, f, body):
        for a in body:
            word = a[0]
            if word == "call":
                if a[1].kind == "c":
                    yield from self.steps(a[1])
                else:
                    self.plain(a[1])
            elif word == "iterate":
                yield from self.iterate(f, *a[1:])
            elif word == "try":
                try:
                    yield from self.body(f, a[1])
                except Raised as e:
                    if e.kind == "GeneratorExit":
                        raise
                    yield from self.body(f, a[2])
            elif word == "span":
                yield from self.span(f, *a[1:])
            elif word == "raise":
                raise Raised(a[1])
            elif word == "instant":
                self.events.append(["i", f"i{a[1]}", None, {}])
            elif word == "return":
                raise Return
            elif word == "arg":
                if self.open:
                    self.open[-1][3][f"a{a[1]}"] = a[1]
            elif word == "sleep":
                yield ("sleep",)
            elif word == "yield":
                yield ("yield",)

    def span(self, f, k, inner):
        """In what others may run within an asynchronous one."""
        name, error, i = f"s{k}", None, None
        if f.kind in "cag":
            i = self.new_id()
            self.whole("b", name, i, k=k)
        else:
            self.begin(name, k=k)
        try:
            yield from self.body(f, inner)
        except Raised as e:
            error = e.kind
            raise
        finally:
            if i:
                self.whole("e", name, i, **({"exception": error} if error else {}))
            else:
                self.end(error)

    def iterate(self, f, g, count, end, error, inner):
        it = Iterated(self, g)
        try:
            try:
                for _ in range(count):
                    yield from it.next()
                    yield from self.body(f, inner)
                if end == "end":
                    while True:
                        yield from it.next()
                elif end == "close":
                    yield from it.close()
                else:
                    yield from it.throw(error)
            except Stop:
                pass
            except Raised as e:
                if not (g.kind == "a" and e.kind == "StopAsyncIteration"):
                    raise
        finally:
            yield from it.close()


class Stop(Exception):
    pass


class Iterated:
    """A generator in use."""

    def __init__(self, model, g):
        self.it, self.done, self.started = model.steps(g), False, False
        self.model, self.g = model, g

    def resume(self, how, *a):
        self.started = True
        while True:
            try:
                what = how(*a)
            except StopIteration:
                self.done = True
                raise Stop from None
            except Raised:
                self.done = True
                raise
            if what == ("yield",):
                return
            how, a = self.it.send, (None,)
            try:
                yield what  # it sleeps, and so does the one who waits for it
            except Raised as e:
                how, a = self.it.throw, (e,)

    def next(self):
        if self.done:
            raise Stop
        yield from self.resume(next, self.it)

    def throw(self, error):
        if self.done or not self.started:  # it raises where it is, and the generator never ran
            self.done = True
            wrapped = (error, self.g.kind) == ("StopAsyncIteration", "a") and self.model.python < (3, 12)
            raise Raised("RuntimeError" if wrapped else error)
        yield from self.resume(self.it.throw, Raised(error))

    def close(self):
        if self.done or not self.started:
            self.done = True
            return
        try:
            yield from self.resume(self.it.throw, Raised("GeneratorExit"))
            ignored = True
        except Stop:
            ignored = False
        except Raised as e:
            ignored = False
            if e.kind != "GeneratorExit":
                raise
        if ignored:
            raise Raised("RuntimeError")


def lines(events):
    ids, out = {}, []
    for ph, name, i, args in events:
        words = [ph, name]
        if i is not None:
            words.append(f"#{ids.setdefault(i, len(ids))}")
        for k, v in sorted(args.items()):
            words.append(f"id=#{ids.setdefault(v, len(ids))}" if k == "id" else "task=*" if k == "task" else f"{k}={json.dumps(v)}")
        out.append(" ".join(words))
    return out


@cases(*VERSIONS)
def random_programs_record_what_the_model_says(version):
    random = rng()
    total = 0
    for k in range(int(os.environ.get("TREES", 12))):
        functions = make(random, random.choice([5, 15, 30]))
        program = source(functions)
        model = Model(tuple(map(int, version.split("."))))
        for f in functions:
            if f.kind in "fm":
                model.alone(f)
            elif f.kind == "c":
                model.together([f])
        model.together([f for f in functions if f.kind == "c"])
        if len(model.events) > 30000:
            continue
        folder = path(str(k))
        r = script(program, version=version, options=f"log-dir={folder}", name=f"prog{k}.py", err=None)
        equal(r.err, "", f"program {k}: standard error\n{program}\n")
        if not model.events:
            continue
        t = trace(folder)
        got = lines([[e["ph"], e["name"], e.get("id"), e.get("args", {})] for e in with_ends_args(t.events)])
        want = lines(model.events)
        total += len(want)
        if got != want:
            diff = "\n".join(list(difflib.unified_diff(want, got, "the model", "the trace", lineterm="", n=3))[:30])
            raise AssertionError(f"program {k}\n{diff}\n{program}"[:6000])
        t.spans()
    note(total, "events")
    check(total > 1000, "programs that do nothing")


main()
