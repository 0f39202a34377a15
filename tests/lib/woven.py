# SPDX-License-Identifier: Apache-2.0
"""Annotated programs, what they must leave in a trace by the source alone, and every compiler that is here."""
import glob
import shlex

from traced import *  # noqa

PLUGINS = f"{BUILD}/src/weave"
LEVELS = ["-O0", "-O2"]


def compilers():
    """clang-14, gcc-12 and so on: those that Spanloom has a plugin for."""
    found = [re.fullmatch(r".*/spanloom_(llvm|gcc)_(\d+)\.so", f).groups() for f in sorted(glob.glob(f"{PLUGINS}/spanloom_*.so"))]
    return [f"{'gcc' if kind == 'gcc' else 'clang'}-{version}" for kind, version in found]


def plus(compiler):
    """Its C++ compiler."""
    return compiler.replace("gcc", "g++").replace("clang", "clang++")


def flags(compiler, *options):
    r = spanloom("flags", compiler, *options)
    equal(r.err, "", "spanloom flags")
    return shlex.split(r.out)


def woven(compiler, source, *options, name="prog.c", to="prog", err="", code=0, pointcuts=None, env=None, first=()):
    """The program made of source by a compiler that weaves, in this test's directory; err is what the compiler says."""
    write(path(name), source)
    rules = ["--pointcuts", pointcuts] if pointcuts else []
    command = [compiler, *first, *options, "-pthread", "-o", to, name, *flags(compiler, *rules)]
    r = subprocess.run(command, cwd=path(), capture_output=True, text=True, env={**os.environ, **(env or {})})
    if err is not None:
        equal((r.returncode, r.stderr), (code, err), " ".join(command))
    else:
        equal(r.returncode, code, " ".join(command) + "\n" + r.stderr)
    r.exe = path(to)
    return r


def events(t, ph="BEXbeCst"):
    """{"name phase": how often}"""
    return dict(sorted(collections.Counter(f"{e['name']} {e['ph']}" for e in t.events if e["ph"] in ph).items()))


def pairs(**calls):
    """A begin and an end for each call."""
    return {f"{name} {ph}": n for name, n in sorted(calls.items()) for ph in "BE"}


def clear():
    for f in files("perfflow*"):
        os.remove(f)


# ---- one program with all of it

ALL = r"""
#include <csetjmp>
#include <cstdlib>
#include <pthread.h>
#include <stdexcept>
#include <thread>
#include <unistd.h>
#include <vector>
#define CP __attribute__((annotate("@critical_path(pointcut='around')")))
namespace space {
class Box {
    int n;
public:
    explicit Box(int i) : n(i) {}
    CP int get() const { return n; }
    CP static int make(int i);
    CP virtual int shape();
    virtual ~Box() {}
    CP Box &operator+=(int i) { n += i; return *this; }
};
CP int Box::make(int i) { return Box(i).get(); }
int Box::shape() { return 1; }
struct Cube : Box { using Box::Box; CP int shape() override { return Box::shape() + 5; } };
}
namespace { CP int hidden(int i) { return i + 1; } }
template <class T> CP T twice(T x) { return x + x; }
static inline CP __attribute__((always_inline)) int inlined(int i) { return i * 3; }
CP static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
/* Calls in tail position. */
CP bool odd(unsigned n);
CP bool even(unsigned n) { return n == 0 ? true : odd(n - 1); }
bool odd(unsigned n) { return n == 0 ? false : even(n - 1); }
/* Exceptions: through calls, past a catch of something else, caught and thrown again. */
struct Guard { int *p; ~Guard() { ++*p; } };
int left;
[[noreturn]] CP void raise_it(int n) { Guard g{&left}; if (n) throw std::runtime_error("thrown"); throw n; }
CP void through(int n) { Guard g{&left}; raise_it(n); }
CP void past(int n) { try { through(n); } catch (const std::bad_alloc &) { left = -1000; } }
CP void again(int n) { try { past(n); } catch (...) { throw; } }
CP bool caught(int n) noexcept { try { again(n); } catch (const std::exception &) { return true; } catch (int) { return false; } return true; }
/* longjmp */
jmp_buf back;
CP __attribute__((noinline)) void jump(int n) { if (n) jump(n - 1); else longjmp(back, 1); }
CP int landing() { if (setjmp(back)) return 1; jump(3); return 0; }
CP void *thread(void *p) { for (int i = 0; i < 100; i++) *static_cast<long *>(p) += hidden(i); return nullptr; }
CP void leave_thread(int n) { if (n) leave_thread(n - 1); pthread_exit(nullptr); }
CP void *leaves(void *) { leave_thread(2); return nullptr; }
__attribute__((annotate("another tool's"))) int other() { return 0; }
CP int last(int n) { if (n) return last(n - 1) + 1; exit(7); }
CP int main(int argc, char **)
{
    volatile int n = argc;
    space::Box b(n);
    space::Cube c(n);
    space::Box *shapes[] = {&b, &c};
    int sum = b.get() + space::Box::make(n) + hidden(n) + inlined(n) + (b += 2).get() + other();
    for (auto *s : shapes) sum += s->shape();
    sum += twice(n + 0) + static_cast<int>(twice(n + 1.5));
    sum += fibonacci(n + 9);
    sum += even(static_cast<unsigned>(n) + 999);
    if (!caught(1) || caught(0) || left != 4) abort();
    landing();
    auto add = [&](int i) CP { return sum + i + n; };
    sum = add(1) + add(2);
    std::vector<std::thread> all;
    long sums[8] = {0};
    for (auto &s : sums) all.emplace_back(thread, &s);
    for (auto &t : all) t.join();
    pthread_t id;
    pthread_create(&id, nullptr, leaves, nullptr);
    pthread_join(id, nullptr);
    return last(sum ? 2 : 0);
}
"""


def fibonacci_calls(n):
    return 1 if n < 2 else 1 + fibonacci_calls(n - 1) + fibonacci_calls(n - 2)


ALL_CALLS = {
    "main": 1, "last": 3, "leaves": 1, "leave_thread": 3, "thread": 8, "(anonymous namespace)::hidden": 801,
    "main::{lambda}::operator()": 2, "landing": 1, "jump": 4, "caught": 2, "again": 2, "past": 2, "through": 2,
    "raise_it": 2, "even": 501, "odd": 500, "fibonacci": fibonacci_calls(10), "int twice<int>": 1,
    "double twice<double>": 1, "inlined": 1, "space::Box::get": 3, "space::Box::make": 1, "space::Box::shape": 2,
    "space::Cube::shape": 1, "space::Box::operator+=": 1}


def all_of_it(compiler, level):
    exe = woven(plus(compiler), ALL, level, "-std=c++17", name="prog.cc").exe
    run(exe, code=7)
    t = trace()
    equal(events(t), pairs(**ALL_CALLS), f"{compiler} {level}")
    spans = t.spans()  # which checks that none laps over another
    equal(sorted(s.name for s in spans if s.unfinished), ["last"] * 3 + ["main"], "open when it ended")
    inside = {(s.name, s.parent) for s in spans}
    for one, other in (("raise_it", "through"), ("through", "past"), ("past", "again"), ("again", "caught"), ("caught", "main"),
                       ("jump", "landing"), ("landing", "main"), ("space::Box::shape", "space::Cube::shape"), ("leaves", None)):
        check((one, other) in inside, f"{one} is not in {other}")
    check(("fibonacci", "even") not in inside and {p for n, p in inside if n == "fibonacci"} == {"fibonacci", "main"}, "fibonacci")
    equal({s.cat for s in spans}, {"prog.cc"}, "categories")


# ---- every pointcut, in C

POINTCUTS = r"""
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#define CP(text) __attribute__((annotate("@critical_path(" text ")")))
CP("") int plain(int n) { return n + 1; }
CP("pointcut='around'") static int around(int n) { return plain(n); }
CP("pointcut='before'") int before(int n) { return n; }
CP("pointcut='after'") int after(int n) { return plain(n); }
CP("pointcut='around_async', scope='wide'") int around_async(int n) { return n ? around_async(n - 1) : 0; }
CP("pointcut='before_async', scope='apart'") int before_async(int n) { return n; }
CP("scope='apart' , pointcut='after_async'") int after_async(int n) { return n; }
CP("flow='out'") int gives(int n) { return n; }
CP("flow='in'") int takes(int n) { return n; }
CP("pointcut='before', flow='out'") int sends(int n) { return n; }
CP("pointcut='after', flow='in'") int receives(int n) { return n; }
__attribute__((annotate("@perfflowaspect.aspect.critical_path ( ) "))) void *leaves(void *p) { around(1); pthread_exit(p); }
CP("pointcut='after'") void ends(int n) { if (n) exit(n); }
int main(void)
{
    pthread_t id;
    around(1); before(2); after(3); around_async(2); before_async(4); after_async(5); gives(6); takes(7); sends(8); receives(9);
    pthread_create(&id, NULL, leaves, NULL);
    pthread_join(id, NULL);
    ends(0);
    ends(3);
    return 0;
}
"""
POINTCUT_EVENTS = {
    **pairs(plain=3, around=2, before=1, after=1, gives=1, takes=1, sends=1, receives=1, leaves=1, ends=2),
    "around_async b": 3, "around_async e": 3, "before_async b": 1, "after_async e": 1, "flow s": 2, "flow t": 0, "flow f": 2}


def every_pointcut(compiler, level):
    run(woven(compiler, POINTCUTS, level).exe, code=3)
    t = trace()
    equal(events(t, "BEXbeCstf"), {k: n for k, n in sorted(POINTCUT_EVENTS.items()) if n}, f"{compiler} {level}")
    equal([e["scope"] for e in t.of("be", "around_async")], ["wide"] * 6, "scopes")
    inside = {(s.name, s.parent) for s in t.spans()}
    check({("plain", "around"), ("around", None), ("plain", None), ("after", None)} <= inside, f"{inside}")
    moments = {"before", "after", "sends", "receives", "ends"}
    check(not moments & {parent for name, parent in inside}, f"moments have no length: {inside}")


# ---- all that a source has, by one rule: and nothing that compilers make

WITHOUT_ANNOTATIONS = r"""
#include <type_traits>
static int seven(int) { return 7; }
extern "C" { int (*resolve())(int) { return seven; } }
extern "C" int resolved(int) __attribute__((ifunc("resolve"))); /* resolve() runs before the program is relocated */
__attribute__((pure, noinline)) int twice(int n) { return 2 * n; }
__attribute__((const, noinline)) int thrice(int n) { return 3 * n; }
int make() { return 1; }
int global = make();
struct Left { int n; Left() : n(1) {} virtual int left() { return n; } };
struct Right { int n; Right() : n(2) {} virtual int right() { return n; } };
struct Both : Left, Right { Both() {} int right() override { return 3; } };
thread_local int own = make();
typedef int function(int);
template <class T> function *pick(T) { return seven; }
struct Picks { operator function *() const { return seven; } };
template <class T, std::enable_if_t<(sizeof(T) > 2), int> = 0> int wide(T n) { return (int)n; }
struct Shift { int n; };
template <class T> int operator<<(Shift s, T n) { return s.n + (int)n; }
int main(int argc, char **)
{
    int n = 0;
    for (int i = 0; i < 3; i++) n += twice(argc) + thrice(argc);
    Both both;
    Right *right = &both;
    function *by_pointer = [](int i) { return i + global; };
    function *picked = Picks();
    n += resolved(1) + right->right() + own + by_pointer(n) + pick(1)(1) + picked(1) + wide(n) + (Shift{n} << n);
    return n == 0;
}
"""
WITHOUT_ANNOTATIONS_CALLS = {
    "main": 1, "seven": 3, "twice": 3, "thrice": 3, "make": 2, "Left::Left": 1, "Right::Right": 1, "Both::Both": 1, "Both::right": 1,
    "main::{lambda}::operator()": 1, "pick<int>": 1, "Picks::operator int (*)(int)": 1,
    "int operator<< <int>": 1}


def all_by_a_rule(compiler, level):
    write(path("rules"), "include\nexclude class=std\nexclude function=operator<<\n")
    run(woven(plus(compiler), WITHOUT_ANNOTATIONS, level, "-std=c++17", name="prog.cc", pointcuts="rules").exe)
    t = trace()
    found = events(t)
    wide = [k for k in found if "wide" in k]
    for k in wide:
        del found[k]
    check(sorted(wide) == sorted(f"{wide[0][:-2]} {ph}" for ph in "BE") and wide[0].endswith(" wide<int, 0> B"), f"{compiler}: {wide}")
    expected = pairs(**WITHOUT_ANNOTATIONS_CALLS)
    equal(found, {k: n for k, n in expected.items() if "<<" not in k}, f"{compiler} {level}")
    t.spans()
