/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flags: what to add to a compiler's command line.  Everything is found from where this program is: in a build tree,
 * with the library beside it, or installed, as PREFIX/bin/spanloom.
 */
#include "base/mem.h"
#include "cli/cli.h"
#include "cli/install_paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct option_spec options[] = {
    {"cflags", NULL, "only what the compiler needs", false},
    {"libs", NULL, "only what the linker needs", false},
    {"static", NULL, "link the library into the program", false},
    {NULL, NULL, NULL, false},
};

/* As a shell reads it back; `$(spanloom flags c)` does not, so blanks in paths need eval. */
static void put(struct sl_buf *b, const char *prefix, const char *path)
{
    const char *safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+=:,@%";

    sl_buf_addf(b, "%s%s", b->n ? " " : "", prefix);
    if (strspn(path, safe) == strlen(path)) {
        sl_buf_adds(b, path);
        return;
    }
    sl_buf_addc(b, '\'');
    for (; *path; path++)
        if (*path == '\'')
            sl_buf_adds(b, "'\\''");
        else
            sl_buf_addc(b, *path);
    sl_buf_addc(b, '\'');
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

static int run(struct cli *cli, int argc, char **argv)
{
    bool cflags = cli_option(cli, "cflags") != NULL, libs = cli_option(cli, "libs") != NULL, c, fortran;
    struct place p;
    struct sl_buf b = {0};
    struct sl_err err = {0};

    if (argc != 1)
        return cli_usage(cli, "flags for which language? c, c++ or fortran");
    c = !strcmp(argv[0], "c");
    fortran = !strcmp(argv[0], "fortran");
    if (!strcmp(argv[0], "python"))
        return cli_usage(cli, "Python programs are not compiled; run them with: spanloom run python3 PROGRAM");
    if (!c && !fortran && strcmp(argv[0], "c++") != 0)
        return cli_usage(cli, "there are no flags for '%s'; known: c, c++, fortran", argv[0]);
    if (place_find(&p, &err))
        return cli_fail(cli, &err);
    if (cflags || !libs)
        put_cflags(&b, &p, c, fortran);
    if (libs || !cflags)
        put_libs(&b, &p, cli_option(cli, "static") != NULL);
    puts(b.n ? b.s : "");
    sl_buf_free(&b);
    return EXIT_DONE;
}

static const char help[] = "what to add when compiling a program that is to be traced\n\n"
                           "  cc -O2 -o prog prog.c $(spanloom flags c)\n"
                           "  c++ -O2 -o prog prog.cc $(spanloom flags c++)\n"
                           "  gfortran -O2 -o prog $(spanloom flags fortran) prog.f90   (module first)";

const struct command cmd_flags = {
    .name = "flags",
    .args = "LANGUAGE",
    .help = help,
    .options = options,
    .run = run,
};
