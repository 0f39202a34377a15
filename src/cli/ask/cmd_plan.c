/* SPDX-License-Identifier: Apache-2.0 */
/* Which changes make a run faster, in which order (findings/planning.h). */
#include "cli/question.h"
#include "findings/planning.h"
#include "result/spans/find_span.h"
#include "show/print_plan.h"

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

    (void)argc, (void)argv;
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

static int ask(struct asking *a, struct sl_err *err)
{
    const char *target = cli_option(a->cli, "target"), *budget = cli_option(a->cli, "budget"), *rest = "";
    struct sl_plan_wish wish = {
        .target_s = NAN, .target_share = NAN, .budget_h = NAN, .keep = cli_option(a->cli, "keep")};
    struct sl_findings findings = {0};
    const char *other = cli_option(a->cli, "check");
    int64_t workflow;
    int rc = sl_findings_load(&findings, err);
    double n = target ? number(target, &rest) : NAN;

    if (*rest == '%')
        wish.target_share = n / 100;
    else
        wish.target_s = n;
    wish.budget_h = budget ? number(budget, &rest) : NAN;
    if (rc)
        return rc;
    rc = check_kept(&findings, wish.keep, err);
    if (!rc)
        rc = sl_plan(&a->r, a->st, a->within, &findings, &wish, err);
    if (!rc && other && !(rc = sl_find_run(a->st, other, &workflow, err)))
        rc = sl_plan_check(&a->r, a->st, workflow, &findings, err);
    sl_findings_free(&findings);
    return rc;
}

static int show(struct asking *a, struct sl_err *err)
{
    (void)err;
    sl_show_plan(stdout, &a->r, cli_columns());
    return 0;
}

const struct command cmd_plan = {
    .name = "plan",
    .args = "[RUN | TYPE KEY]",
    .help = "which changes make a run faster, in which order",
    .options = options,
    .question = &(const struct cli_question){
        .before = ASK_WORKFLOW, .most = CLI_WORDS, .check = check, .ask = ask, .show = show}};
