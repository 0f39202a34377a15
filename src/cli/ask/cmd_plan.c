/* SPDX-License-Identifier: Apache-2.0 */
/* Which changes make a run faster, in which order (findings/plan/planning.h). */
#include "cli/side.h"
#include "cli/workflow.h"
#include "findings/plan/planning.h"
#include "result/spans/find_span.h"
#include "show/print_plan.h"
#include "show/show.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct option_spec options[] = {
    WORKFLOW_OPTION,
    {"target", "N%|Ns", "the run is short enough then: 50% of what it took, or 90s"},
    {"budget", "HOURS", "at most so many node hours"},
    {"keep", "FINDING,...", "what is to stay as it is: findings, as the plan calls them"},
    {"check", "RUN", "beside what is predicted, how this later run came out"},
    SKEW_OPTION,
    {NULL, NULL, NULL},
};

/* A number above 0, and what stands behind it; NaN: it is none. */
static double number(const char *text, const char **rest)
{
    size_t digits = strspn(text, "0123456789.");
    char *end = NULL;
    double n = digits ? strtod(text, &end) : NAN;

    *rest = end;
    return end == text + digits && n > 0 ? n : NAN;
}

static int check(const struct cli *cli, int argc, char **argv)
{
    const char *target = cli_option(cli, "target"), *budget = cli_option(cli, "budget"), *rest;

    if (argc > 1)
        return cli_usage(cli, "one run or path, not also %s", argv[1]);
    if (argc && !*argv[0])
        return cli_usage(cli, "'' names no run; runs are: spanloom runs -d %s", cli->store_path);
    if (target && (isnan(number(target, &rest)) || (strcmp(rest, "%") != 0 && strcmp(rest, "s") != 0)))
        return cli_usage(cli, "--target takes percent or seconds, such as 50%% or 90s, not '%s'", target);
    if (budget && (isnan(number(budget, &rest)) || *rest))
        return cli_usage(cli, "--budget takes node hours, such as 1.5, not '%s'", budget);
    return EXIT_DONE;
}

/* A finding that there is not is a mistake. */
static int check_kept(const struct sl_findings *findings, const char *keep, struct sl_err *err)
{
    for (const char *at = keep; at && *at; at += strcspn(at, ","), at += *at == ',') {
        size_t n = strcspn(at, ",");
        bool known = false;
        for (size_t i = 0; i < findings->v.n; i++)
            known |= strlen(findings->v.v[i].name) == n && !strncmp(findings->v.v[i].name, at, n);
        if (!known)
            return sl_err(err, SL_EUSAGE, "--keep: there is no finding '%.*s'; those of a run: spanloom why --all",
                          (int)(n > 200 ? 200 : n), at);
    }
    return 0;
}

static int ask(struct sl_result *r, const struct cli *cli, struct sl_store *st, int64_t workflow,
               const struct sl_findings *findings, struct sl_err *err)
{
    const char *target = cli_option(cli, "target"), *budget = cli_option(cli, "budget"), *rest = "";
    struct sl_plan_wish wish = {.target_s = NAN, .target_share = NAN, .budget_h = NAN, .keep = cli_option(cli, "keep")};
    const char *other = cli_option(cli, "check");
    double n = target ? number(target, &rest) : NAN;
    int rc;

    if (*rest == '%')
        wish.target_share = n / 100;
    else
        wish.target_s = n;
    wish.budget_h = budget ? number(budget, &rest) : NAN;
    rc = check_kept(findings, wish.keep, err);
    if (!rc && other)
        rc = sl_find_run(st, other, &wish.check, err);
    return rc ? rc : sl_plan(r, st, workflow, findings, &wish, err);
}

/* Findings that could not be looked for; whether there are any. */
static bool say_problems(const struct sl_findings *findings, const struct sl_result *r)
{
    struct sl_table *t = sl_result_find(r, "problems");
    const struct plan_problem *x;

    for (size_t i = 0; i < findings->files.notice.n; i++)
        cli_say("%s", findings->files.notice.v[i]);
    for (size_t i = 0; i < findings->files.problem.n; i++)
        cli_say("%s", findings->files.problem.v[i]);
    while (t && (x = sl_table_row(t, NULL)))
        cli_say("%s", x->problem);
    if (t)
        sl_table_rewind(t);
    return findings->files.problem.n || (t && t->rows);
}

/* What was predicted, and came; where it cannot be kept, as the store may only be read, that is said. */
static void keep(const char *path, int64_t workflow, const struct sl_result *r)
{
    struct sl_err err = {0};

    if (sl_plan_keep(path, workflow, r, &err))
        cli_say("--check: the prediction is not kept: %s", err.text);
}

/* Of a path that is imported, a store, or a run of one, as `why`. */
static int run(struct cli *cli, int argc, char **argv)
{
    struct sl_findings findings = {0};
    struct sl_store *st = NULL;
    struct sl_result r = {0};
    struct sl_err err = {0};
    char *text = argc ? argv[0] : NULL;
    bool in_part = false;
    int64_t workflow = 0;
    int rc = 0, code = check(cli, argc, argv);

    if (!code)
        code = cli_import_subject(cli, text, &in_part);
    if (!code)
        code = cli_find_subject(cli, text, &st, &workflow);
    if (!code) {
        rc = sl_findings_load(&findings, &err);
        rc = rc ? rc : ask(&r, cli, st, workflow, &findings, &err);
        if (!rc) {
            in_part |= say_problems(&findings, &r);
            cli_say_lost(st, workflow);
        }
        if (!rc && cli->format != SL_FORMAT_TABLE)
            rc = sl_show_result(stdout, &r, cli->format, &err);
        else if (!rc)
            sl_show_plan(stdout, &r, cli_columns());
        if (!rc && cli_option(cli, "check"))
            keep(st->path, workflow, &r);
        code = rc < 0 ? cli_fail(cli, &err) : in_part ? EXIT_FAILED : EXIT_DONE;
        sl_findings_free(&findings);
    }
    sl_result_free(&r);
    sl_store_close(st);
    return code;
}

const struct command cmd_plan = {
    .name = "plan",
    .args = "[PATH|RUN]",
    .help = "which changes make a run faster, in which order",
    .options = options,
    .run = run,
};
