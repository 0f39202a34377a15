#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every compiler that Spanloom has a plugin for: the programs of tests/runtime/weaving.py, LLVM's verifier, link-time
optimization, and zlib as Debian has it with all of its functions woven."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from woven import *  # noqa

ALL_COMPILERS = ["clang-14", "clang-16", "clang-19", "gcc-12"]
CLANGS = [c for c in ALL_COMPILERS if "clang" in c]


def there(compiler):
    if compiler not in compilers():
        skip(f"no plugin for {compiler} is built")


@cases(*[(c, o) for c in ["clang-16", "clang-19"] for o in LEVELS])
def all_kinds_of_functions(compiler, level):
    there(compiler)
    all_of_it(compiler, level)


@cases(*[(c, o) for c in ["clang-16", "clang-19"] for o in LEVELS])
def pointcuts(compiler, level):
    there(compiler)
    every_pointcut(compiler, level)


@cases(*[(c, o) for c in ["clang-16", "clang-19"] for o in LEVELS])
def rules_are_for_what_is_in_the_source(compiler, level):
    there(compiler)
    all_by_a_rule(compiler, level)


@cases(*[(c, o) for c in CLANGS for o in ("-O0", "-O1", "-O2", "-O3", "-Os")])
def verifier_passes(compiler, level):
    there(compiler)
    write(path("prog.cc"), ALL)
    write(path("rules"), "include\n")
    woven_by = flags(compiler, "--cflags", "--pointcuts", "rules")
    opt = f"/usr/lib/llvm-{compiler.split('-')[1]}/bin/opt"
    write(path("plain.cc"), "int f(int n) { return n; } struct S { ~S() { f(1); } int m() { return f(2); } }; int main() { S s; return s.m(); }")
    for source, *more in (["prog.cc"], ["prog.cc", "-g"], ["plain.cc", "-fno-exceptions"]):
        r = subprocess.run([plus(compiler), level, *more, "-std=c++17", "-S", "-emit-llvm", "-o", "prog.ll", *woven_by, source],
                           cwd=path(), capture_output=True, text=True)
        equal((r.returncode, r.stderr), (0, ""), more)
        with open(path("prog.ll")) as f:
            check(f.read().count("call void @sl_span_end") > 2, "nothing is woven")
        r = subprocess.run([opt, "-passes=verify", "-disable-output", "prog.ll"], cwd=path(), capture_output=True, text=True)
        equal((r.returncode, r.stderr), (0, ""), more)


@cases(*ALL_COMPILERS)
def link_time_optimization(compiler):
    there(compiler)
    write(path("other.cc"), '__attribute__((annotate("@critical_path()"))) int away(int n) { return n ? away(n - 1) + 1 : 0; }')
    source = 'int away(int); __attribute__((annotate("@critical_path()"))) int main(int n, char **) { return away(n + 3) - 4; }'
    lto = "-flto" if "gcc" in compiler else "-flto=thin"
    linker = [] if "gcc" in compiler else ["-fuse-ld=bfd" if not shutil.which("ld.lld-" + compiler[-2:]) else "-fuse-ld=lld-" + compiler[-2:]]
    run(woven(plus(compiler), source, "-O2", lto, *linker, "other.cc", name="prog.cc").exe)
    equal(events(trace()), pairs(main=1, away=5))


@cases(*CLANGS)
def libWeavePass_is_for_every_clang(compiler):
    there(compiler)
    write(path("rules"), "include function=main\n")
    r = spanloom("flags", "clang", "--pointcuts", path("rules"))
    write(path("prog.c"), "int main(void) { return 0; }")
    subprocess.run([compiler, "-o", "prog", "prog.c", *shlex.split(r.out)], cwd=path(), check=True)
    run(path("prog"))
    equal(events(trace()), pairs(main=1))


@test
def the_plugin_of_another_version_is_refused():
    there("clang-16")
    write(path("prog.c"), "int main(void) { return 0; }")
    shutil.copy(f"{PLUGINS}/libWeavePass.so", path("libWeavePass.so"))
    r = subprocess.run(["clang-16", f"-fpass-plugin={path('libWeavePass.so')}", "-c", "prog.c"], cwd=path(), capture_output=True, text=True)
    check(r.returncode == 1 and "spanloom: this compiler is of LLVM 16, for which there is no plugin" in r.stderr, r.stderr)
    r = subprocess.run(["gcc-12", f"-fplugin={PLUGINS}/spanloom_llvm_16.so", "-c", "prog.c"], cwd=path(), capture_output=True, text=True)
    check(r.returncode and "error" in r.stderr, r.stderr)


COROUTINE = """
#include <coroutine>
struct Task { struct promise_type { Task get_return_object() { return {}; } std::suspend_never initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; } void return_void() {} void unhandled_exception() {} }; };
#define CP __attribute__((annotate("@critical_path()")))
CP void plain() {}
CP Task waits() { plain(); co_await std::suspend_never(); plain(); }
int main() { waits(); return 0; }
"""


@cases("clang-16", "clang-19")
def coroutines_are_left_alone_and_that_is_said(compiler):
    there(compiler)
    r = woven(plus(compiler), COROUTINE, "-std=c++20", name="prog.cc", err=None)
    equal(re.findall("warning: (.*) \\[", r.stderr),
          ["prog.cc:7: waits is a coroutine, which is not woven: spans between its suspensions can be put in by hand"], r.stderr)
    run(r.exe)
    equal(events(trace()), pairs(plain=2))


MEMBERS = """
#define CP __attribute__((annotate("@critical_path()")))
struct Base { CP Base(); CP virtual ~Base(); };
struct Box : virtual Base { CP Box(int n); CP ~Box() override; int n; };
Base::Base() {}
Base::~Base() {}
Box::Box(int i) : n(i) {}
Box::~Box() {}
int main() { Base *b = new Box(1); delete b; { Box c(2); } return 0; }
"""


@cases(*[(c, o) for c in ("clang-19", "gcc-12") for o in LEVELS])
def constructors_and_destructors_are_one_call_each(compiler, level):
    there(compiler)
    run(woven(plus(compiler), MEMBERS, level, name="prog.cc").exe)
    equal(events(trace()), pairs(**{"Base::Base": 2, "Base::~Base": 2, "Box::Box": 2, "Box::~Box": 2}))


# ---- installed

@test
def installed_it_is_found_by_flags_pkg_config_and_cmake():
    r = subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", path("to")], capture_output=True, text=True)
    equal(r.returncode, 0, r.stderr)
    prefix = glob.glob(path("to/usr*/local")) or glob.glob(path("to/usr"))
    program, env = f"{prefix[0]}/bin/spanloom", bare_environment()
    write(path("prog.c"), '__attribute__((annotate("@critical_path()"))) static int f(int n) { return n; } int g(int n) { return f(n); } int main(void) { return g(0); }')
    write(path("rules"), "include function=g\n")

    def woven_is(folder, *names):
        run(path(folder, "prog"), cwd=path(folder))
        equal(events(trace(path(folder))), pairs(**{n: 1 for n in names}))
        for f in files("perfflow*", path(folder)):
            os.remove(f)
    for compiler in ("gcc-12", "clang-14"):
        r = subprocess.run([program, "flags", compiler, "--pointcuts", "rules"], cwd=path(), capture_output=True, text=True, env=env)
        equal((r.returncode, r.stderr), (0, ""))
        check(BUILD not in r.stdout and prefix[0] in r.stdout, r.stdout)
        subprocess.run([compiler, "-o", "prog", "prog.c", *shlex.split(r.stdout)], cwd=path(), check=True)
        woven_is(".", "f", "g")
    pc = glob.glob(f"{prefix[0]}/**/pkgconfig", recursive=True)[0]
    ask = ["pkg-config", f"--define-variable=prefix={prefix[0]}"]
    env["PKG_CONFIG_PATH"] = pc
    plugins = subprocess.run([*ask, "--variable=plugins", "spanloom-trace"], env=env, capture_output=True, text=True, check=True).stdout.strip()
    more = shlex.split(subprocess.run([*ask, "--cflags", "--libs", "spanloom-trace"], env=env, capture_output=True, text=True, check=True).stdout)
    subprocess.run(["clang-14", f"-fpass-plugin={plugins}/libWeavePass.so", "-o", "prog", "prog.c", *more], cwd=path(), check=True)
    woven_is(".", "f")
    write(path("CMakeLists.txt"), "cmake_minimum_required(VERSION 3.20)\nproject(prog C)\nfind_package(spanloom REQUIRED)\n"
          "add_executable(prog prog.c)\nspanloom_weave(prog POINTCUTS rules)\n")
    for compiler in ("gcc-12", "clang-14"):
        for command in (["cmake", f"-DCMAKE_C_COMPILER={compiler}", f"-DCMAKE_PREFIX_PATH={prefix[0]}", "-B", compiler], ["cmake", "--build", compiler]):
            r = subprocess.run(command, cwd=path(), capture_output=True, text=True)
            equal(r.returncode, 0, r.stdout + r.stderr)
        woven_is(compiler, "f", "g")
    write(path("rules"), "exclude function=f\n")  # and it is compiled anew
    subprocess.run(["cmake", "--build", "gcc-12"], cwd=path(), check=True, capture_output=True)
    run(path("gcc-12/prog"))
    equal(files(), [], "traces")


# ---- all of zlib

def source_of(package):
    """Debian's, unpacked, by apt with lists of its own; "": where it cannot be had."""
    apt, key = path("apt"), "/usr/share/keyrings/debian-archive-keyring.gpg"
    for folder in ("lists/partial", "cache/archives/partial"):
        os.makedirs(f"{apt}/{folder}")
    write(f"{apt}/sources.list", f"deb-src [signed-by={key}] http://deb.debian.org/debian bookworm main\n")
    command = ["apt-get", "-qq", "-o", f"Dir::Etc::SourceList={apt}/sources.list", "-o", "Dir::Etc::SourceParts=/dev/null", "-o", f"Dir::State::Lists={apt}/lists",
               "-o", f"Dir::Cache={apt}/cache", "-o", "APT::Sandbox::User=", "-o", "Acquire::Retries=1", "-o", "Acquire::http::Timeout=15"]
    if not shutil.which("apt-get") or any(subprocess.run([*command, *more], cwd=path(), capture_output=True).returncode
                                          for more in (["update"], ["source", "--download-only", package])):
        skip(f"no source of {package} to be had")
    return glob.glob(path(f"{package}_*.orig.tar.*"))[0]


@test
def zlib_with_every_function_woven():
    tar = source_of("zlib")
    write(path("rules"), "include\n")
    write(path("input"), "".join(f"{i * i % 1009} lines of text\n" for i in range(20000)))
    counts = {}
    for compiler in ALL_COMPILERS:
        if compiler not in compilers():
            continue
        folder = path(compiler)
        os.makedirs(folder)
        subprocess.run(["tar", "xf", tar, "-C", folder, "--strip-components=1"], check=True)
        cflags, libs = (shlex.join(flags(compiler, what, "--pointcuts", path("rules"))) for what in ("--cflags", "--libs"))
        env = bare_environment(CC=compiler, CFLAGS=f"-O2 {cflags}")
        for command in (["./configure"], ["make", f"LDFLAGS={libs}", f"LDSHAREDLIBC=-lc {libs}", f"TEST_LDFLAGS=-L. libz.a {libs}",
                                          f"SFLAGS=-O2 -fPIC -D_LARGEFILE64_SOURCE=1 {cflags}", "test"]):
            r = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
            check(r.returncode == 0, f"{compiler}: {' '.join(command)}\n{r.stdout[-2000:]}{r.stderr[-2000:]}")
        check("*** zlib test OK ***" in r.stdout and "*** zlib shared test OK ***" in r.stdout, r.stdout[-1000:])
        for f in files("perfflow*", folder):
            os.remove(f)
        with open(path("input")) as source, open(f"{folder}/output.gz", "w") as to:
            run(f"{folder}/minigzip", cwd=folder, stdin=source, stdout=to)
        t = trace(folder)
        check(len(t.spans()) > 5000, f"{compiler}: {len(t.spans())} spans")  # spans() checks that they nest
        counts[compiler] = events(t)
        equal(subprocess.run(["gzip", "-dc", f"{folder}/output.gz"], capture_output=True, text=True).stdout, open(path("input")).read(), "what it made")
    note({c: sum(n.values()) for c, n in counts.items()})
    check(len(counts) > 1, "compilers")
    for compiler, n in counts.items():
        equal({k: v for k, v in n.items() if v != counts["gcc-12"].get(k)}, {}, f"{compiler} and gcc-12")
        equal(set(n), set(counts["gcc-12"]), compiler)


if __name__ == "__main__":
    main()
