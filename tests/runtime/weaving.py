#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Functions that compilers weave: the same events whichever compiler, at every level.  Others: tests/peers/weaving.py."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from woven import *  # noqa

HERE = ["clang-14", "gcc-12"]


@test
def there_are_plugins_for_the_compilers_of_debian():
    check(set(HERE) <= set(compilers()), f"only {compilers()}; tools/setup check")


@cases(*[(c, o) for o in LEVELS for c in HERE])
def all_kinds_of_functions(compiler, level):
    """Differs: exceptions in C++; annotations of other tools; what is within functions."""
    all_of_it(compiler, level)


@cases(*[(c, o) for o in LEVELS for c in HERE])
def pointcuts(compiler, level):
    every_pointcut(compiler, level)


# ---- what PerfFlowAspect documents

SMOKE = r"""
#include <cstdio>
#include <string>
#include <unistd.h>
__attribute__((annotate("@critical_path(pointcut='around')"))) void bas() { printf("bas\n"); }
__attribute__((annotate("@critical_path(pointcut='around')"))) void bar() { printf("bar\n"); usleep(1000); bas(); }
__attribute__((annotate("@critical_path()"))) int foo(const std::string &s) { printf("foo\n"); usleep(1000); bar(); return s == "hello"; }
int main() { printf("Inside main\n"); for (int i = 0; i < 4; i++) foo("hello"); return 0; }
"""


@cases(*HERE)
def documented_example_has_its_24_events(compiler):
    exe = woven(plus(compiler), SMOKE, name="smoke.cc").exe
    run(exe)
    t = trace()
    equal(t.names("BEXC"), ["foo B", "bar B", "bas B", "bas E", "bar E", "foo E"] * 4)
    equal({e["cat"] for e in t.events}, {"smoke.cc"})
    clear()
    run(exe, options="log-event=compact")
    equal(trace().names("BEXC"), ["bas X", "bar X", "foo X"] * 4)
    clear()
    run(exe, options="log-enable=False")
    equal(files(), [], "traces")


CLASS = r"""
class Smoke { void bar(); public: void foo(); };
__attribute__((annotate("@critical_path()"))) void Smoke::bar() {}
__attribute__((annotate("@critical_path()"))) void Smoke::foo() { bar(); }
int main() { Smoke s; s.foo(); }
"""
THREADS = r"""
#include <pthread.h>
#include <stdlib.h>
__attribute__((annotate("@critical_path(pointcut='around')"))) void *foo(void *p) { (void)p; pthread_exit(NULL); }
int main(void) { pthread_t t[3]; for (int i = 0; i < 3; i++) if (pthread_create(&t[i], NULL, &foo, NULL)) exit(1); pthread_exit(NULL); }
"""
MPI = r"""
#include <mpi.h>
__attribute__((annotate("@critical_path(pointcut='around')"))) int foo(const char *s) { return s[0]; }
int main(int argc, char **argv) { int rank; MPI_Init(&argc, &argv); MPI_Comm_rank(MPI_COMM_WORLD, &rank); foo("hello"); MPI_Finalize(); return 0; }
"""


@cases(*HERE)
def documented_members(compiler):
    run(woven(plus(compiler), CLASS, name="prog.cc").exe)
    equal(trace().names(), ["Smoke::foo B", "Smoke::bar B", "Smoke::bar E", "Smoke::foo E"])


@cases(*HERE)
def documented_threads(compiler):
    run(woven(compiler, THREADS).exe)
    t = trace()
    equal(events(t), pairs(foo=3))
    equal((len({e["tid"] for e in t.events}), [s.unfinished for s in t.spans()]), (3, [False] * 3))


@cases(*HERE)
def documented_MPI(compiler):
    write(path("prog.c"), MPI)
    r = subprocess.run(["mpicc", "-o", "prog", "prog.c", *flags(compiler)], cwd=path(), capture_output=True, text=True,
                       env={**os.environ, "OMPI_CC": compiler})
    equal((r.returncode, r.stderr), (0, ""))
    run("mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2", "./prog", env={"OMPI_MCA_btl": "self,vader"}, err=None)
    equal([t.names() for t in traces(n=2)], [["foo B", "foo E"]] * 2)


@cases(*HERE)
def only_a_path_changes(compiler):
    """The command lines of PerfFlowAspect's own build, with our folders in the place of theirs."""
    write(path("prog.c"), THREADS)
    plugin = ["-fplugin=" + PLUGINS + "/spanloom_gcc_12.so"] if "gcc" in compiler else \
        ["-Xclang", "-load", "-Xclang", f"{PLUGINS}/libWeavePass.so", f"-fpass-plugin={PLUGINS}/libWeavePass.so"]
    r = subprocess.run([compiler, *plugin, "-fPIC", "-o", "prog", "prog.c", f"-L{PLUGINS}", "-lperfflow_runtime", "-pthread"],
                       cwd=path(), capture_output=True, text=True)
    equal((r.returncode, r.stderr), (0, ""))
    run(path("prog"), env={"LD_LIBRARY_PATH": PLUGINS})
    equal(events(trace()), pairs(foo=3))


# ---- warnings, and what is no warning

BAD = r"""
__attribute__((annotate("@critical _path()"))) void one(void) {}
__attribute__((annotate("@critical_path(pointcut='arround')"))) void two(void) {}
__attribute__((annotate("@critical_path(flow=in)"))) void three(void) {}
__attribute__((annotate("critical_path()"))) void others(void) {}
__attribute__((annotate(""))) void nothing(void) {}
struct s { __attribute__((annotate("field"))) int x; } y __attribute__((annotate("@critical_path()")));
int f(__attribute__((annotate("parameter"))) int x) { return x; }
int main(void) { one(); two(); three(); others(); nothing(); return f(y.x); }
"""


@cases(*HERE)
def malformed_annotations_are_warnings_with_a_place(compiler):
    """Differs: warnings."""
    r = woven(compiler, BAD, err=None)
    words = ["@critical_path() is wanted", "there is no pointcut 'arround'; there are before, after, around, before_async, "
             "after_async, around_async", "a value in quotes is wanted, as in flow='...'"]
    said = re.findall(r"^.*warning:.*$", r.stderr, re.M)
    equal(len(said), 3, r.stderr)
    for line, word, text in zip((2, 3, 4), words, said):
        check(f"prog.c:{line}:" in text and word in text, text)
    run(r.exe)
    equal(files(), [], "traces")
    off = "-Wno-attributes" if "gcc" in compiler else "-Wno-backend-plugin"
    woven(compiler, BAD, off)
    woven(compiler, BAD, "-Werror", err=None, code=1)


NEVER = """
#define CP __attribute__((annotate("@critical_path()")))
CP __attribute__((naked)) int bare(int n) { __asm__("mov %edi, %eax; ret"); }
static int seven(int n) { return n ? 7 : 8; }
CP int (*resolve(void))(int) { return seven; }
int resolved(int) __attribute__((ifunc("resolve")));
int main(void) { return bare(0) + resolved(1) - 7; }
"""


@cases(*HERE)
def annotations_that_do_nothing_say_so(compiler):
    r = woven(compiler, NEVER, err=None)
    said = re.findall(r"^.*prog.c:(\d+):.* warning: (.*) \[|^warning: .*prog.c:(\d+): (.*) \[", r.stderr, re.M)
    equal(sorted((int(a or c), b or d) for a, b, c, d in said), [
        (3, "bare is naked, and so not woven"), (5, "resolve is what an ifunc calls before the program is relocated, and so not woven")], r.stderr)
    run(r.exe)
    woven(compiler, NEVER, "-Wno-attributes" if "gcc" in compiler else "-Wno-backend-plugin")


DIES = r"""
#include <stdlib.h>
__attribute__((annotate("@critical_path()"))) void deep(int n) { if (n) deep(n - 1); else abort(); }
__attribute__((annotate("@critical_path(pointcut='around_async')"))) void asynchronous(void) { deep(2); }
int main(void) { asynchronous(); return 0; }
"""


@cases(*HERE)
def what_abort_leaves_open_is_told(compiler):
    run(woven(compiler, DIES).exe, code=-6)
    t = left()
    equal([(s.name, s.unfinished) for s in t.spans()], [("deep", True)] * 3)
    equal(events(t, "be"), {"asynchronous b": 1})


COROUTINE = """
#include <coroutine>
struct Task { struct promise_type { Task get_return_object() { return {}; } std::suspend_never initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; } void return_void() {} void unhandled_exception() {} }; };
#define CP __attribute__((annotate("@critical_path()")))
CP void plain() {}
CP Task waits() { plain(); co_await std::suspend_never(); plain(); }
int main() { waits(); return 0; }
"""


@test
def coroutines_are_left_alone_and_that_is_said():
    """Differs: coroutines."""
    r = woven("g++-12", COROUTINE, "-std=c++20", name="prog.cc", err=None)
    check("prog.cc:7:" in r.stderr and "warning: waits is a coroutine, which is not woven" in r.stderr, r.stderr)
    equal(r.stderr.count("warning"), 1, r.stderr)
    run(r.exe)
    equal(events(trace()), pairs(plain=2))


# ---- from outside

RULES = r"""
namespace a { struct Grid { int at(int i) { return i; } int solve(int n) { int s = 0; for (int i = 0; i < n; i++) s += at(i); return s; } }; }
struct Grid { int at(int i) { return i; } };
template <class T> T solve(T n) { return n; }
__attribute__((annotate("@critical_path(pointcut='before')"))) int own(int n) { return n; }
__attribute__((annotate("@critical_path()"))) int not_wanted(int n) { return n; }
int main(int argc, char **) { a::Grid g; Grid h; return g.solve(3) + h.at(1) + solve(argc) + own(2) + not_wanted(1) < 0; }
"""


@cases(*HERE)
def rules_weave_what_is_not_annotated(compiler):
    write(path("rules"), """# all but what is called often
include  module=*.cc           # the last one that matches decides
exclude  function=at
include  class="Gri?"  function=at
exclude  class=a::Grid function=at
exclude  function=not_wanted
include  function=main  module=other.cc
""")
    run(woven(plus(compiler), RULES, "-O2", name="prog.cc", pointcuts="rules").exe)
    t = trace()
    equal(events(t), pairs(**{"main": 1, "a::Grid::solve": 1, "Grid::at": 1, "int solve<int>": 1, "own": 1}))
    equal({s.parent for s in t.spans()}, {None, "main"})


@cases(*[(c, o) for o in LEVELS for c in HERE])
def rules_are_for_what_is_in_the_source(compiler, level):
    """What only a compiler sees: what is called by the compiler alone; names in which parameters are hard to tell; pure functions."""
    all_by_a_rule(compiler, level)


@cases(*HERE)
def rules_by_the_environment(compiler):
    write(path("rules"), "include function=f*\n")
    source = "int f1(int n) { return n + 1; } int g(int n) { return f1(n); } int main(void) { return g(-1); }"
    run(woven(compiler, source, "-O2", env={"SPANLOOM_POINTCUTS": path("rules")}).exe)
    equal(events(trace()), pairs(f1=1))


@cases(*[(c, *x) for c in HERE for x in [
    ("include fun=f", "rules:2: there is no key 'fun' of include; there are module, function, class, pointcut, scope"),
    ("exclude pointcut=around", "rules:2: there is no key 'pointcut' of exclude; there are module, function, class"),
    ("includes function=f", "rules:2: a rule begins with include or exclude, not 'includes'"),
    ("include function", "rules:2: key=value is wanted at 'function'"),
    ("include pointcut=arround", "rules:2: there is no pointcut 'arround'"),
    ('include function="f', "rules:2: a quote is not closed"),
    ("include function=a function=b", "rules:2: function is said twice")]])
def rules_that_are_none_stop_the_compiler(compiler, rule, said):
    write(path("rules"), f"# one\n{rule}\n")
    r = woven(compiler, "int main(void) { return 0; }", env={"SPANLOOM_POINTCUTS": "rules"}, err=None, code=1)
    check(re.search(r"error: " + re.escape(said), r.stderr), r.stderr)
    equal(spanloom("flags", compiler, "--pointcuts", "rules", code=1).err, f"spanloom: {said}\n")


@cases(*HERE)
def rules_that_match_nothing_say_so(compiler):
    write(path("rules"), "include module=prog.c function=nothing*\ninclude module=other.c\n")
    r = woven(compiler, "int main(void) { return 0; }", pointcuts="rules", err=None)
    equal(re.findall(r"warning: \S*(rules.*?)(?: \[|$)", r.stderr, re.M), ["rules:1: this rule matches no function of prog.c"], r.stderr)


@cases(*HERE)
def what_was_woven_in_a_build_is_told(compiler):
    write(path("rules"), "include function=f\ninclude function=never\nexclude function=g\ninclude function=h\nexclude function=h\n")
    env = {"SPANLOOM_WOVEN": path("woven"), "SPANLOOM_POINTCUTS": "rules"}
    for name, source in (("a.c", "int f(void) { return 0; } int g(void) { return 0; } int main(void) { return f() + g(); }"),
                         ("b.c", '__attribute__((annotate("@critical_path()"))) int main(void) { return 0; } int h(void) { return 1; }')):
        woven(compiler, source, name=name, env=env)
    with open(path("woven")) as f:
        lines = sorted(f.read().splitlines())
    equal(lines, sorted(["a.c\tf\trules:1", "b.c\tmain\tannotation", *(f"a.c\t\trules:{i + 1}\t{n}" for i, n in enumerate((1, 0, 1, 0, 0))),
                         *(f"b.c\t\trules:{i + 1}\t{n}" for i, n in enumerate((0, 0, 0, 1, 1)))]))
    manual = open(f"{ROOT}/docs/man/spanloom-weave.7").read()
    awk = re.search(r"^(awk .*) FILE$", manual, re.M)[1].replace("\\e", "\\")
    said = subprocess.run(["sh", "-c", f"{awk} woven | sort"], cwd=path(), capture_output=True, text=True, check=True).stdout
    equal(said.split(), ["rules:2"])


NESTED = """
int outer(int n)
{
    int inner(int i) { return i + n; }
    return inner(n);
}
__attribute__((target_clones("avx2", "default"))) int cloned(int n) { return n; }
int main(void) { return outer(1) + cloned(-2); }
"""
FORTRAN = """
module shapes
    type shape
        real, allocatable :: side(:)
    contains
        final :: forget
    end type
contains
    subroutine forget(s)
        type(shape), intent(inout) :: s
        if (allocated(s%side)) deallocate (s%side)
    end subroutine
    recursive integer function fibonacci(n) result(r)
        integer, intent(in) :: n
        r = n
        if (n > 1) r = fibonacci(n - 1) + fibonacci(n - 2)
    end function
    subroutine first(n)
        integer, intent(inout) :: n
        n = n + 1
        return
        entry second(n)
        n = n + 2
    end subroutine
end module
use shapes
class(shape), allocatable :: a, b
integer :: n, unused
unused = fibonacci(9)
allocate (a)
allocate (b, source=a)
n = 1
call first(n)
call second(n)
deallocate (a)
deallocate (b)
end
"""


@cases("-O0", "-O2")
def rules_in_Fortran_and_nested_functions(level):
    """What only a compiler sees: entries, what gfortran makes for types, programs without a name, functions that have no effect."""
    write(path("rules"), "include\n")
    run(woven("gcc-12", NESTED, level, pointcuts="rules").exe)
    equal(events(trace()), pairs(main=1, outer=1, inner=1, cloned=1))
    clear()
    run(woven("gfortran-12", FORTRAN, level, name="prog.f90", pointcuts="rules").exe)
    equal(events(trace()), pairs(**{"main": 1, "shapes::fibonacci": fibonacci_calls(9), "first": 1, "second": 1, "shapes::forget": 2}))


# ---- by name, when it runs

@cases(*[(c, more) for c in HERE for more in ("", ":clock=monotonic")])
def functions_are_left_out_by_name(compiler, more):
    exe = woven(plus(compiler), ALL, "-std=c++17", name="prog.cc").exe
    for option, kept in (("only=fib*,space??*", lambda n: n.startswith(("fib", "space"))), ("skip=fib*,*hidden", lambda n: not re.match("fib|.*hidden$", n)),
                         ("only=*e*:skip=space*", lambda n: "e" in n and not n.startswith("space")), ("skip=none", lambda n: True)):
        run(exe, code=7, spanloom=option + more)
        t = trace()
        equal(events(t), pairs(**{n: k for n, k in ALL_CALLS.items() if kept(n)}), option)
        equal(t.meta["lost"], 0)
        t.spans()
        clear()


@test
def spans_by_hand_are_not_left_out():
    run(woven("gcc-12", """#include <spanloom/trace.h>
        __attribute__((annotate("@critical_path()"))) int woven(int n) { SPANLOOM_SPAN("by hand"); sl_arg_int("n", n); return n; }
        int main(void) { return woven(0); }""").exe, spanloom="only=other")
    equal([(s.name, s.args) for s in trace().spans()], [("by hand", {"n": 0})])


if __name__ == "__main__":
    main()
