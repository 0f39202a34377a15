/* SPDX-License-Identifier: Apache-2.0 */
/* Types of spans and how they are related, drawn by `dot`. */
#include "cli/over_time.h"
#include "result/graph.h"
#include "show/graph.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const struct option_spec options[] = {
    {"format", "KIND", "dot, svg, png or pdf (default: as the name of FILE says, or dot)"},
    {"output", "FILE", "into this file, drawn as its name says: .svg, .png, .pdf, .dot"},
    RUN_OPTION,
    {NULL, NULL, NULL},
};

/* ---- drawing ---- */

static int save(const char *path, const struct sl_buf *b, struct sl_err *err)
{
    FILE *f = fopen(path, "w");

    if (!f || fwrite(b->s, 1, b->n, f) != b->n || fclose(f))
        return sl_err(err, SL_EIO, "cannot write %s: %s", path, strerror(errno));
    return 0;
}

/* path NULL: to the standard output. */
static int draw(const char *format, const char *path, const struct sl_buf *b, struct sl_err *err)
{
    char type[32], *argv[] = {"dot", type, path ? "-o" : NULL, (char *)(uintptr_t)path, NULL};
    posix_spawn_file_actions_t files;
    int ends[2], status = 0, rc;
    void (*on_pipe)(int);
    pid_t child;
    FILE *to;

    snprintf(type, sizeof type, "-T%s", format);
    fflush(stdout);
    if (pipe(ends))
        return sl_err(err, SL_EIO, "cannot start dot: %s", strerror(errno));
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, ends[0], 0);
    posix_spawn_file_actions_addclose(&files, ends[0]);
    posix_spawn_file_actions_addclose(&files, ends[1]);
    rc = posix_spawnp(&child, "dot", &files, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    close(ends[0]);
    if (rc) {
        close(ends[1]);
        return sl_err(err, SL_EIO,
                      "graphviz draws it, and its program dot cannot be run (%s); install graphviz, or write FILE.dot",
                      strerror(rc));
    }
    on_pipe = signal(SIGPIPE, SIG_IGN); /* that dot ends early is no reader who has seen enough */
    if ((to = fdopen(ends[1], "w"))) {
        fwrite(b->s, 1, b->n, to);
        fclose(to);
    }
    signal(SIGPIPE, on_pipe);
    if (waitpid(child, &status, 0) < 0 || (status && (path || !WIFSIGNALED(status) || WTERMSIG(status) != SIGPIPE)))
        return sl_err(err, SL_EIO, "dot could not draw %s", path ? path : format);
    return 0;
}

/* What to make: as --format says, or the end of the file's name. */
static const char *format_of(const struct cli *cli, const char *path, struct sl_err *err)
{
    static const char *const known[] = {"dot", "svg", "png", "pdf"};
    const char *format = cli_option(cli, "format"), *dot = path ? strrchr(path, '.') : NULL;

    if (!format && path)
        format = dot && !strchr(dot, '/') ? dot + 1 : "";
    for (int i = 0; i < 4; i++)
        if (!strcmp(format ? format : "dot", known[i]))
            return known[i];
    sl_err(err, SL_EUSAGE, "%s%s: known are dot, svg, png and pdf", cli_option(cli, "format") ? "--format " : "-o ",
           cli_option(cli, "format") ? format : path);
    return NULL;
}

static int put(const struct cli *cli, const struct sl_buf *b, struct sl_err *err)
{
    const char *path = cli_option(cli, "output"), *format = format_of(cli, path, err);

    if (!format)
        return SL_EUSAGE;
    if (strcmp(format, "dot") != 0)
        return draw(format, path, b, err);
    if (path)
        return save(path, b, err);
    fwrite(b->s, 1, b->n, stdout);
    return 0;
}

static int run(struct cli *cli, int argc, char **argv)
{
    struct sl_result r = {0};
    struct sl_buf b = {0};
    struct sl_err err = {0};
    char type[SL_TYPE_BYTES];
    struct over_time p;
    int rc;

    if (argc > 1)
        return cli_usage(cli, "graph takes one type of spans, or none; '%s' is one too many", argv[1]);
    if ((rc = over_time_open(&p, cli)))
        return rc;
    if (argc)
        rc = cli_type(p.st, argv[0], p.within, type, sizeof type, &err);
    if (!rc)
        rc = sl_result_graph(&r, p.st, argc ? type : NULL, p.within, &err);
    if (!rc)
        rc = sl_show_graph(&b, &r, &err);
    if (!rc)
        rc = put(cli, &b, &err);
    sl_buf_free(&b);
    sl_result_free(&r);
    return over_time_close(&p, rc, &err);
}

const struct command cmd_graph = {
    .name = "graph",
    .args = "[TYPE]",
    .help = "which types of spans belong to which, as a picture",
    .options = options,
    .run = run,
};
