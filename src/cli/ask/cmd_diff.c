/* SPDX-License-Identifier: Apache-2.0 */
/* Two runs, or stores, compared, and the gate of --fail-on. */
#include "analyse/load/root_events.h"
#include "ask_cmd_diff.sql.h"
#include "base/clock.h"
#include "base/mem.h"
#include "cli/lens_options.h"
#include "cli/question.h"
#include "cli/side.h"
#include "cli/view/picture.h"
#include "show/print_diff.h"

#include <math.h>
#include <stdlib.h>

static const struct option_spec options[] = {
    {"type", "ROOT_TYPE", "the spans that are compared (default: tasks)"},
    {"all", NULL, "every transition and ordering, not only those that matter most"},
    BY_OPTION,
    GATE_OPTION,
    LENS_OPTIONS,
    PICTURE_OPTION,
    {NULL, NULL, NULL},
};

static int find_workflow(struct sl_diff_input *s, struct sl_err *err)
{
    int64_t only = 0;
    int rc;

    s->workflow = s->within;
    if (s->within)
        return 0;
    if ((rc = cli_workflows(s->st, &only, &s->workflows, NULL, err)))
        return rc;
    s->workflow = s->workflows == 1 ? only : 0;
    return 0;
}

/* ---- the type of roots ---- */

static bool has_type(struct sl_diff_input *s, const char *type)
{
    char *sql = s->within ? sqlite3_mprintf(sql_has_type, (long long)s->within, type)
                          : sqlite3_mprintf("SELECT 1 FROM sl_span WHERE type = (SELECT id FROM sl_name WHERE name = "
                                            "%Q) LIMIT 1",
                                            type);
    bool has = sl_store_int(s->st, sql, 0);

    sqlite3_free(sql);
    return has;
}

/* Whether a run has tasks, and the type of those that both runs have; NULL: none. */
static char *common_tasks(struct sl_diff_input sides[2], bool has[2])
{
    char *type, *both = NULL;

    for (int side = 0; side < 2; side++)
        for (int i = 0; (type = sl_task_type(sides[side].st->db, i)); i++) {
            bool here = has_type(&sides[side], type);
            has[side] |= here;
            if (here && !both && has_type(&sides[!side], type))
                both = type;
            else
                free(type);
        }
    return both;
}

/* The type that both have. */
static int choose_type(struct sl_diff_input sides[2], const char *given, char *type, size_t n, struct sl_err *err)
{
    bool has[2] = {false, false};
    char *tasks = NULL;
    int rc = 0;

    if (given && (rc = cli_type(sides[0].st, given, sides[0].within, type, n, err)))
        return sl_err_wrap(err, "A (%s)", sides[0].text);
    if (!given && (tasks = common_tasks(sides, has))) {
        snprintf(type, n, "%s", tasks);
        free(tasks);
        return 0;
    }
    for (int i = 0; i < 2; i++) {
        struct sl_diff_input *s = &sides[i];
        if (given ? !has_type(s, type) : !has[i])
            return sl_err(err, SL_ENOTFOUND,
                          "%s (%s) holds no %s%s; name a type that both have with --type, see: spanloom types -d %s",
                          i ? "B" : "A", s->text, given ? "spans of type " : "tasks", given ? type : "", s->path);
    }
    return given
               ? 0
               : sl_err(err, SL_ENOTFOUND,
                        "the tasks of %s and of %s are of different types, as of a database and a log; import the rest "
                        "of the other, or name a type that both have with --type",
                        sides[0].text, sides[1].text);
}

/* ---- the gate ---- */

static bool exceeded(const struct cli_gate *gate, const char *what, double before, double now)
{
    char from[32], to[32], percent[32];

    if (!cli_gate_exceeded(gate, before, now))
        return false;
    cli_say("--fail-on %s: %s went from %s to %s%s%s", gate->text, what, sl_seconds_text(before, from),
            sl_seconds_text(now, to), *sl_show_change(before, now, percent) ? ", " : "", percent);
    return true;
}

/* Does the whole interval lie above 0? */
static bool median_exceeded(const struct cli_gate *gate, const char *what, const struct diff_row *x)
{
    return x->low_s > 0 && exceeded(gate, what, x->median_a_s, x->median_b_s);
}

/* The seconds of all spans together, if each took the median. */
static double weight(double median_s, int64_t spans)
{
    return isnan(median_s) ? 0 : median_s * (double)spans;
}

static bool transitions_exceeded(const struct cli_gate *gate, struct sl_table *t, const double whole[2])
{
    bool out = false;

    sl_table_rewind(t);
    for (const struct diff_row *x; (x = sl_table_row(t, NULL));) {
        char *what;
        if (x->sure <= 0 ||
            (weight(x->median_a_s, x->n_a) < 0.01 * whole[0] && weight(x->median_b_s, x->n_b) < 0.01 * whole[1]))
            continue;
        what = sqlite3_mprintf("the median of %s/%s -> %s/%s", x->from_type, x->from_event, x->to_type, x->to_event);
        out |= median_exceeded(gate, what, x);
        sqlite3_free(what);
    }
    return out;
}

/* Transitions count that have a hundredth of the median history, in A or in B. */
static int gate_of(const struct cli_gate *gate, const struct sl_result *r, const char *no_path)
{
    const struct sl_table *diff = sl_result_find(r, "diff"), *sides = sl_result_find(r, "sides");
    const struct diff_row *makespan = sl_table_at(diff, 0), *story = sl_table_at(diff, 1);
    const struct diff_side *a = sl_table_at(sides, 0), *b = sl_table_at(sides, 1);
    const double whole[2] = {weight(story->median_a_s, a->spans), weight(story->median_b_s, b->spans)};
    bool out = false, seen = !isnan(makespan->median_a_s) && !isnan(makespan->median_b_s);

    if (!gate->text)
        return EXIT_DONE;
    if (!seen)
        cli_say("--fail-on %s does not see the makespan: %s", gate->text, no_path ? no_path : "there are no events");
    else
        out = exceeded(gate, "the makespan", makespan->median_a_s, makespan->median_b_s);
    if (gate->makespan)
        return out ? EXIT_GATE : seen ? EXIT_DONE : EXIT_FAILED;
    out |= median_exceeded(gate, "the median of the whole span", story);
    out |= transitions_exceeded(gate, sl_result_find(r, "transitions"), whole);
    return out ? EXIT_GATE : EXIT_DONE;
}

/* ---- the command ---- */

static int show(const struct cli *cli, struct sl_result *r, const char *no_path, struct sl_err *err)
{
    if (cli->format == SL_FORMAT_TABLE) {
        sl_show_diff(stdout, r, cli_option(cli, "by"), cli_option(cli, "all") != NULL);
        return 0;
    }
    if (no_path)
        cli_say("the critical path is not compared: %s", no_path);
    return sl_show_result(stdout, r, cli->format, err);
}

static int compare(const struct cli *cli, char **argv, const char *given, struct sl_diff_input sides[2],
                   struct sl_result *r, bool *merged, struct sl_err *err)
{
    char type[SL_TYPE_BYTES];
    enum sl_by by;
    int rc = sl_by_find(&by, cli_option(cli, "by"), err);

    if (rc)
        return sl_err_wrap(err, "--by");
    for (int i = 0; i < 2 && !rc; i++) {
        sides[i].text = argv[i];
        if (!(rc = cli_side_open(cli, &sides[i], err)))
            rc = find_workflow(&sides[i], err);
    }
    if (!rc)
        rc = choose_type(sides, given, type, sizeof type, err);
    if (!rc)
        rc = cli_lens_of_recipes(cli, (struct sl_store *[]){sides[0].st, sides[1].st},
                                 (int64_t[]){sides[0].within, sides[1].within}, 2, type, merged, err);
    return rc ? rc : sl_result_diff(r, sides, type, by, err);
}

static void close_sides(struct sl_diff_input sides[2])
{
    for (int i = 0; i < 2; i++)
        cli_side_close(&sides[i]);
}

int cli_diff_tables(const struct cli *cli, int argc, char **argv, struct sl_store **st, struct sl_err *err)
{
    const char *type = cli_option(cli, "type");
    struct sl_diff_input sides[2] = {{0}};
    struct sl_result r = {0};
    bool merged = false;
    int rc = compare(cli, argv, type || argc < 3 ? type : argv[2], sides, &r, &merged, err);

    if (!rc)
        rc = sl_result_temporary(&r, sides[0].st, "diff", err);
    if (!rc) {
        *st = sides[0].st;
        sides[0].st = NULL;
    }
    sl_result_free(&r);
    close_sides(sides);
    return rc;
}

static int run(struct cli *cli, int argc, char **argv)
{
    struct sl_diff_input sides[2] = {{0}};
    struct sl_result r = {0};
    bool merged = false;
    struct cli_gate gate;
    struct sl_err err = {0};
    int rc;

    if (cli_option(cli, "output"))
        return cli_picture(cli, "diff", argc, argv);
    if (argc != 2)
        return cli_usage(cli, "two runs are compared, such as: spanloom diff 000 001, or: before.db after.db");
    if ((rc = cli_gate(cli, &gate)))
        return rc;
    if (!(rc = compare(cli, argv, cli_option(cli, "type"), sides, &r, &merged, &err))) {
        const char *no_path = ((const struct diff_about *)sl_table_at(sl_result_find(&r, "about"), 0))->no_path;
        rc = show(cli, &r, no_path, &err);
        if (!rc && merged && cli->format == SL_FORMAT_TABLE)
            printf("\n%s\n", cli_lens_says);
        for (int i = 0; i < 2; i++)
            cli_say_lost(sides[i].st, sides[i].within);
        if (!rc)
            rc = gate_of(&gate, &r, no_path);
    }
    if (rc < 0)
        rc = err.code ? cli_fail(cli, &err) : EXIT_FAILED;
    sl_result_free(&r);
    close_sides(sides);
    return rc;
}

const struct command cmd_diff = {.name = "diff",
                                 .args = "A B",
                                 .help = "what changed from one run to another, and where",
                                 .options = options,
                                 .run = run};
