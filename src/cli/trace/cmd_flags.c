/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flags: what to add to a compiler's command line.  Everything is found from where this program is: in a build tree,
 * with the library beside it, or installed, as PREFIX/bin/spanloom.  A language stands for calls that are in the
 * source, a compiler for those that its plugin puts there.
 */
#include "base/mem.h"
#include "cli/cli.h"
#include "cli/view/install_paths.h"
#include "weave/pointcut_file.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct option_spec options[] = {
    {"cflags", NULL, "only what the compiler needs"},
    {"libs", NULL, "only what the linker needs"},
    {"static", NULL, "link the library into the program"},
    {"pointcuts", "FILE", "weave what this file says, too (clang, gcc)"},
    {NULL, NULL, NULL},
};

/* As a shell reads it back; `$(spanloom flags c)` does not, so blanks in paths need eval. */
static void put(struct sl_buf *b, const char *prefix, const char *path)
{
    sl_buf_addf(b, "%s%s", b->n ? " " : "", prefix);
    sl_buf_add_word(b, path);
}

/* Where compilers and the loader look anyway. */
static bool is_known(const char *dir)
{
    static const char *const known[] = {"/usr/include", "/usr/lib", "/lib", "/usr/lib64", "/lib64"};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(dir, known[i]))
            return true;
    return !strncmp(dir, "/usr/lib/", 9) && strstr(dir, "-linux-") && !strchr(dir + 9, '/');
}

static void put_cflags(struct sl_buf *b, const struct place *p, bool c, bool fortran)
{
    char source[PATH_MAX + 64];

    if (fortran) { /* modules are of the compiler that made them: it is compiled with the program, before it */
        snprintf(source, sizeof source, "%s/spanloom/spanloom_trace.f90", p->include);
        put(b, "", source);
    } else if (!is_known(p->include)) {
        put(b, "-I", p->include);
    }
    if (c) /* spans end when an exception or pthread_exit() goes through the block */
        put(b, "", "-fexceptions");
}

static void put_libs(struct sl_buf *b, const struct place *p, bool into)
{
    char archive[PATH_MAX + 32];

    if (into) {
        snprintf(archive, sizeof archive, "%s/libspanloom-trace.a", p->lib);
        put(b, "", archive);
        put(b, "", "-pthread");
        put(b, "", "-ldl");
        return;
    }
    put(b, "", "-Wl,--push-state,--no-as-needed"); /* so that it may stand before the sources, too */
    if (!is_known(p->lib)) {
        put(b, "-L", p->lib);
        put(b, "-Wl,-rpath,", p->lib);
    }
    put(b, "", "-lspanloom-trace");
    put(b, "", "-Wl,--pop-state");
}

/* What a name asks for: clang-16 is LLVM 16's plugin, gcc any that is there. */
struct target {
    bool c, fortran;    /* of a language */
    const char *plugin; /* "llvm" or "gcc"; NULL: a language */
    const char *version;
};

static bool find_target(const char *name, struct target *t)
{
    static const struct {
        const char *name;
        struct target target;
    } known[] = {
        {"c", {.c = true}},
        {"c++", {0}},
        {"fortran", {.fortran = true}},
        {"clang", {.c = true, .plugin = "llvm"}},
        {"clang++", {.plugin = "llvm"}},
        {"gcc", {.c = true, .plugin = "gcc"}},
        {"g++", {.plugin = "gcc"}},
        {"gfortran", {.plugin = "gcc"}},
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t n = strlen(known[i].name);
        const char *version = name + n;
        if (strncmp(name, known[i].name, n) != 0)
            continue;
        *t = known[i].target;
        if (!*version)
            return true;
        t->version = version + 1;
        if (t->plugin && *version == '-' && t->version[0] && t->version[strspn(t->version, "0123456789")] == 0)
            return true;
    }
    return false;
}

/* The versions of a compiler that there are plugins for: "14, 16", and one of their files; 0: none. */
static size_t versions(const struct place *p, const char *plugin, struct sl_buf *list, struct sl_buf *file)
{
    struct sl_buf pattern = {0};
    glob_t g = {0};
    size_t n = 0;

    for (const char *s = p->plugins; *s; s++)
        sl_buf_addf(&pattern, strchr("*?[\\", *s) ? "\\%c" : "%c", *s);
    sl_buf_addf(&pattern, "/spanloom_%s_[0-9]*.so", plugin);
    if (glob(pattern.s, 0, NULL, &g) == 0)
        for (; n < g.gl_pathc; n++) {
            const char *version = strrchr(g.gl_pathv[n], '_') + 1;
            sl_buf_addf(list, "%s%.*s", n ? ", " : "", (int)strcspn(version, "."), version);
            sl_buf_clear(file);
            sl_buf_adds(file, g.gl_pathv[n]);
        }
    globfree(&g);
    sl_buf_free(&pattern);
    return n;
}

static int find_plugin(const struct place *p, const struct target *t, struct sl_buf *file, struct sl_err *err)
{
    struct sl_buf there = {0};
    const char *name = strcmp(t->plugin, "gcc") ? "clang" : "gcc";
    size_t n = versions(p, t->plugin, &there, file);
    int rc = 0;

    if (n == 0) {
        rc =
            sl_err(err, SL_ENOTFOUND,
                   "no plugin for %s is in %s: Spanloom was built without; `meson setup` says which it makes, and what "
                   "they need",
                   name, *p->plugins ? p->plugins : p->lib);
    } else if (t->version) {
        sl_buf_clear(file);
        sl_buf_addf(file, "%s/spanloom_%s_%s.so", p->plugins, t->plugin, t->version);
        if (access(file->s, R_OK) != 0)
            rc = sl_err(err, SL_ENOTFOUND, "there is no plugin for %s %s; there are: %s", name, t->version, there.s);
    } else if (n > 1 && !strcmp(t->plugin, "gcc")) {
        rc = sl_err(err, SL_ENOTFOUND, "for which gcc? say gcc-VERSION; there are: %s", there.s);
    }
    if (!rc && !t->version && !strcmp(t->plugin, "llvm")) { /* finds the right one when it is loaded */
        sl_buf_clear(file);
        sl_buf_addf(file, "%s/libWeavePass.so", p->plugins);
    }
    sl_buf_free(&there);
    return rc;
}

static void put_weaving(struct sl_buf *b, const struct target *t, const char *plugin, const char *pointcuts)
{
    char option[200];

    if (!strcmp(t->plugin, "gcc")) {
        put(b, "-fplugin=", plugin);
        if (pointcuts) {
            snprintf(option, sizeof option, "-fplugin-arg-%.*s-pointcuts=", (int)strcspn(strrchr(plugin, '/') + 1, "."),
                     strrchr(plugin, '/') + 1);
            put(b, option, pointcuts);
        }
        return;
    }
    put(b, "-fpass-plugin=", plugin);
    if (pointcuts) { /* options are known once the plugin was loaded */
        put(b, "-fplugin=", plugin);
        put(b, "-mllvm -spanloom-pointcuts=", pointcuts);
    }
}

static int run(struct cli *cli, int argc, char **argv)
{
    bool cflags = cli_option(cli, "cflags") != NULL, libs = cli_option(cli, "libs") != NULL;
    const char *pointcuts = cli_option(cli, "pointcuts");
    char file[PATH_MAX], why[2 * PATH_MAX];
    struct sl_pointcuts rules = {0};
    struct target t;
    struct place p;
    struct sl_buf b = {0}, plugin = {0};
    struct sl_err err = {0};

    if (argc != 1)
        return cli_usage(cli, "flags for what? c, c++ or fortran; or to weave annotated functions: clang, gcc");
    if (!strcmp(argv[0], "python"))
        return cli_usage(cli, "Python programs are not compiled; run them with: spanloom run python3 PROGRAM");
    if (!find_target(argv[0], &t))
        return cli_usage(cli, "there are no flags for '%s'; known: c, c++, fortran; clang, clang++, gcc, g++, gfortran",
                         argv[0]);
    if (pointcuts && !t.plugin)
        return cli_usage(cli, "pointcuts are for compilers that weave: clang, gcc and so on");
    if (pointcuts && !realpath(pointcuts, file)) {
        sl_err(&err, SL_EIO, "%s: %s", pointcuts, strerror(errno));
        return cli_fail(cli, &err);
    }
    if (pointcuts && !sl_pointcuts_read(pointcuts, &rules, why, sizeof why))
        sl_err(&err, SL_EFORMAT, "%s", why);
    sl_pointcuts_free(&rules);
    if (err.code)
        return cli_fail(cli, &err);
    if (place_find(&p, &err) || (t.plugin && find_plugin(&p, &t, &plugin, &err))) {
        sl_buf_free(&plugin);
        return cli_fail(cli, &err);
    }
    if (cflags || !libs) {
        put_cflags(&b, &p, t.c, t.fortran);
        if (t.plugin)
            put_weaving(&b, &t, plugin.s, pointcuts ? file : NULL);
    }
    if (libs || !cflags)
        put_libs(&b, &p, cli_option(cli, "static") != NULL);
    puts(b.n ? b.s : "");
    sl_buf_free(&b);
    sl_buf_free(&plugin);
    return EXIT_DONE;
}

static const char help[] = "what to add when compiling a program that is to be traced\n\n"
                           "  cc -O2 -o prog prog.c $(spanloom flags c)\n"
                           "  c++ -O2 -o prog prog.cc $(spanloom flags c++)\n"
                           "  gfortran -O2 -o prog $(spanloom flags fortran) prog.f90   (module first)\n"
                           "  clang -O2 -o prog prog.c $(spanloom flags clang)      (annotated functions)\n"
                           "  gcc -O2 -o prog prog.c $(spanloom flags gcc)          (the same)";

const struct command cmd_flags = {
    .name = "flags",
    .args = "LANGUAGE|COMPILER",
    .help = help,
    .options = options,
    .run = run,
};
