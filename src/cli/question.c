/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/question.h"
#include "analyse/groups.h"
#include "cli/lens_options.h"
#include "cli/view/picture.h"
#include "result/spans/find_span.h"

#include <stdlib.h>

static int read_bin(struct asking *a)
{
    const char *bin = cli_option(a->cli, "bin");
    char *end;

    if (!bin)
        return EXIT_DONE;
    a->bin_s = strtod(bin, &end);
    return *bin && !*end && a->bin_s >= 1e-9 && a->bin_s <= 9e9
               ? EXIT_DONE
               : cli_usage(a->cli, "--bin needs seconds, such as 60 or 0.5, not '%s'", bin);
}

static int check_groups(const struct cli *cli)
{
    struct sl_err err = {0};
    enum sl_by by;

    if (sl_by_find(&by, cli_option(cli, "by"), &err))
        return cli_usage(cli, "--by: %s", err.text);
    return by != SL_GROUP_BY_NONE && cli_option(cli, "sql")
               ? cli_usage(cli, "--by does nothing to a query; group its rows in SQL, by span_groups()")
               : EXIT_DONE;
}

int cli_asking_open(struct asking *a, const struct cli *cli, unsigned before)
{
    struct sl_err err = {0};
    int rc;

    *a = (struct asking){.cli = cli, .before = before};
    if ((rc = read_bin(a)) || (before & ASK_GROUPS && (rc = check_groups(cli))))
        return rc;
    if (!(a->st = cli_open(cli)))
        return EXIT_FAILED;
    a->sql = sl_sql_bare(cli_option(cli, "sql"));
    if (before & (ASK_STATES | ASK_WORKFLOW))
        cli_states(cli, a->st, &err);
    if (!err.code && !(before & ASK_WORKFLOW))
        sl_find_run(a->st, cli_option(cli, "run"), &a->within, &err);
    return err.code ? cli_asking_close(a, err.code, &err) : EXIT_DONE;
}

int cli_asking_close(struct asking *a, int rc, const struct sl_err *err)
{
    if (rc >= 0 && a->st && a->before & SAY_LOST)
        cli_say_lost(a->st, a->within);
    sl_result_free(&a->r);
    sl_store_close(a->st);
    free(a->sql);
    a->sql = NULL;
    return rc < 0 ? cli_fail(a->cli, err) : rc;
}

struct sl_over_time cli_over_time(const struct asking *a, const char *about)
{
    return (struct sl_over_time){.st = a->st,
                                 .about = a->sql ? NULL : about,
                                 .bin_s = a->bin_s,
                                 .within = a->within,
                                 .sql = a->sql,
                                 .by = cli_option(a->cli, "by"),
                                 .summary = a->cli->format == SL_FORMAT_TABLE};
}

/* What must be known before it is asked. */
static int prepare(struct asking *a, struct sl_err *err)
{
    unsigned before = a->before;
    int rc = 0;
    bool seen;

    if (before & ASK_WORKFLOW)
        rc = cli_workflow_of(a->cli, a->st, a->argc, a->argv, &a->within, err);
    if (!rc && before & (ASK_SKEW | ASK_WORKFLOW))
        rc = cli_skew(a->cli, a->st, err);
    if (!rc && before & ASK_TYPE && !a->sql)
        rc = cli_type(a->st, a->argc ? a->argv[0] : NULL, a->within, a->type, sizeof a->type, err);
    if (!rc && before & ASK_LENS)
        rc = cli_lens(a->cli, a->st, &seen, err);
    return rc;
}

static int show(struct asking *a, const struct cli_question *q, struct sl_err *err)
{
    if ((a->cli->format != SL_FORMAT_TABLE && !(q->before & SHOW_ALL)) || (!q->show && !q->people))
        return sl_show_result(stdout, &a->r, a->cli->format, err);
    if (q->show)
        return q->show(a, err);
    q->people(stdout, &a->r);
    return 0;
}

int cli_ask(struct cli *cli, int argc, char **argv)
{
    const struct cli_question *q = cli->command->question;
    const char *name = cli->command->name;
    struct sl_err err = {0};
    struct asking a;
    int rc;

    if (q->plot && cli_option(cli, "output"))
        return cli_picture(cli, q->plot, argc, argv);
    if (q->check && (rc = q->check(cli, argc, argv)))
        return rc;
    if (argc > (cli_option(cli, "sql") ? 0 : q->most))
        return q->takes ? cli_usage(cli, "%s takes %s; '%s' is one too many", name, q->takes, argv[argc - 1])
                        : cli_usage(cli, "%s takes no arguments, but was given %s", name, argv[0]);
    if ((rc = cli_asking_open(&a, cli, q->before)))
        return rc;
    a.argc = argc;
    a.argv = argv;
    rc = prepare(&a, &err);
    if (!rc)
        rc = q->ask(&a, &err);
    if (!rc && q->before & SAY_MIXED && !a.sql)
        cli_say_mixed(cli, a.st);
    if (!rc)
        rc = show(&a, q, &err);
    return cli_asking_close(&a, rc < 0 ? rc : 0, &err);
}
