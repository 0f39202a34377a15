/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/workflow.h"
#include "base/buf.h"
#include "cli_workflow.sql.h"
#include "recipe/recipe.h"
#include "recipe/states.h"
#include "result/spans/find_span.h"
#include "result/spans/run_names.h"

int cli_states(const struct cli *cli, struct sl_store *st, struct sl_err *err)
{
    struct sl_recipes *set;
    int rc;

    if (sl_store_int(st, sql_is_of_today, 0))
        return 0;
    set = sl_recipes_new();
    rc = cli_recipes(cli, set, err);
    if (!rc)
        rc = sl_store_temporary(st, sql_tables, err);
    if (!rc)
        rc = sl_store_exec(st, "PRAGMA query_only = 0", err);
    if (!rc)
        rc = sl_states_write(st, "temp", set, err);
    if (!rc)
        rc = sl_store_exec(st, sql_of_others, err);
    sl_store_exec(st, "PRAGMA query_only = 1", NULL);
    sl_recipes_free(set);
    return rc;
}

int cli_skew(const struct cli *cli, struct sl_store *st, struct sl_err *err)
{
    long long sources, off;

    if (!cli_option(cli, "correct-skew"))
        return 0;
    if (cli_states(cli, st, err))
        return err ? err->code : SL_ESTORE;
    if (sl_store_temporary(st, "CREATE TEMP TABLE sl_skew AS SELECT source, offset_ns FROM clock_skew()", err))
        return SL_ESTORE;
    sources = sl_store_int(st, "SELECT count(*) FROM temp.sl_skew", 0);
    off = sl_store_int(st, "SELECT count(*) FROM temp.sl_skew WHERE offset_ns <> 0", 0);
    cli_say("the clocks of %lld of %lld sources were corrected; see: spanloom skew", off, sources);
    return 0;
}

int cli_workflows(struct sl_store *st, int64_t *first, uint64_t *n, struct sl_buf *list, struct sl_err *err)
{
    enum { LISTED = 10 };
    struct sl_run_names names = {0};
    int rc = sl_run_names_load(&names, st, err);

    *n = rc ? 0 : names.v.n;
    for (size_t i = 0; i < *n; i++) {
        *first = i ? *first : names.v.v[i].workflow;
        if (i < LISTED && list)
            sl_buf_addf(list, "\n  %.100s", names.v.v[i].name);
    }
    sl_run_names_free(&names);
    if (*n > LISTED && list)
        sl_buf_addf(list, "\n  and %llu more; all: spanloom runs -d %s", (unsigned long long)*n - LISTED, st->path);
    return rc;
}

int cli_no_workflow(struct sl_store *st, const char *what, struct sl_err *err)
{
    if (sl_store_int(
            st, "SELECT EXISTS (SELECT 1 FROM sl_name n JOIN sl_span s ON s.type = n.id WHERE n.name = 'trace.call')",
            0))
        return sl_err(err, SL_ENOTFOUND,
                      "%s holds traces of programs and no workflow; of these tell: spanloom why -d %s, and spanloom "
                      "profile -d %s",
                      what, st->path, st->path);
    return sl_err(err, SL_ENOTFOUND, "%s holds no workflow; see what it holds with: spanloom types -d %s", what,
                  st->path);
}

static int only_workflow(struct sl_store *st, const char *words, int64_t *workflow, struct sl_err *err)
{
    struct sl_buf b = {0};
    uint64_t n;
    int rc = cli_workflows(st, workflow, &n, &b, err);

    if (!rc && !n)
        rc = words ? sl_err(err, SL_ENOTFOUND,
                            "%s holds no workflow; say what to look at, such as: spanloom %s span 1, or another span, "
                            "see: spanloom types -d %s",
                            st->path, words, st->path)
                   : cli_no_workflow(st, st->path, err);
    else if (!rc && n > 1)
        rc = sl_err(err, SL_ENOTFOUND, "there are %llu runs; say which with --run:%s", (unsigned long long)n, b.s);
    sl_buf_free(&b);
    return rc;
}

int cli_find_workflow(const struct cli *cli, struct sl_store *st, const char *words, int64_t *workflow,
                      struct sl_err *err)
{
    const char *run = cli_option(cli, "run");

    return run ? sl_find_run(st, run, workflow, err) : only_workflow(st, words, workflow, err);
}

void cli_say_mixed(const struct cli *cli, struct sl_store *st)
{
    enum { NAMED = 4 };
    struct sl_run_names names = {0};
    struct sl_buf b = {0};

    if (!cli_option(cli, "run") && !sl_run_names_load(&names, st, NULL) && names.v.n > 1) {
        for (size_t i = 0; i < names.v.n && i < NAMED; i++)
            sl_buf_addf(&b, "%s%.100s", i ? ", " : "", names.v.v[i].name);
        if (names.v.n > NAMED)
            sl_buf_addf(&b, ", ... (spanloom runs -d %s)", st->path);
        cli_say("this is of %zu runs together; of one alone with --run: %s", names.v.n, b.s);
    }
    sl_buf_free(&b);
    sl_run_names_free(&names);
}

int cli_within(const struct cli *cli, struct sl_store *st, int64_t *within, struct sl_err *err)
{
    int rc = sl_find_run(st, cli_option(cli, "run"), within, err);

    if (!rc)
        cli_say_mixed(cli, st);
    return rc;
}

static int only_word(struct sl_store *st, const char *run, int64_t *workflow, struct sl_err *err)
{
    struct sl_err why = {0};
    int rc = sl_find_run(st, run, workflow, &why);

    return rc ? sl_err(err, rc, "%s%s", why.text,
                       strchr(why.text, '\n') ? "" : "; another span has a type and a key, such as: task 42")
              : 0;
}

int cli_workflow_of(const struct cli *cli, struct sl_store *st, int argc, char **argv, int64_t *workflow,
                    struct sl_err *err)
{
    const char *run = cli_option(cli, "run");

    if (argc == 1 && run)
        return sl_err(err, SL_EUSAGE, "--run and %s both say which run; one is enough", argv[0]);
    return argc == 1 ? only_word(st, argv[0], workflow, err)
           : argc    ? sl_find_span(st, argc, argv, run, workflow, err)
                     : cli_find_workflow(cli, st, argv ? cli->command->name : NULL, workflow, err);
}
