/* SPDX-License-Identifier: Apache-2.0 */
/* The findings of a run, ranked by the seconds that each cost. */
#include "analyse/tasks/workflows.h"
#include "ask_cmd_why.sql.h"
#include "base/clock.h"
#include "cli/side.h"
#include "cli/workflow.h"
#include "findings/why.h"
#include "result/spans/run_names.h"
#include "show/print_why.h"

#include <ftw.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const struct option_spec options[] = {
    WORKFLOW_OPTION,
    {"all", NULL, "every finding, also those that cost little beside the first"},
    {"follow", NULL, "go on reading what PATH holds, until the run has ended"},
    {"fail-on", "N%|Ns", "exit with 3 where a finding costs, or B takes longer by, more than this: 5%, 2s"},
    SKEW_OPTION,
    {NULL, NULL, NULL},
};

/* Of one run: does a finding that sound runs lack cost more than the gate lets pass?  Of two: does the second take so
 * much longer? */
static bool exceeded(const struct sl_result *r, bool compared, const struct cli_gate *gate)
{
    struct sl_table *t = sl_result_find(r, compared ? "runs" : "findings");
    double was = NAN, seconds;
    bool over = false;

    sl_table_rewind(t);
    while (!over && sl_table_next(t, NULL) > 0) {
        seconds = sl_table_real_or_nan(t, compared ? SL_WHY_RUNS_MAKESPAN : SL_WHY_SECONDS);
        if (!compared && seconds > 0 && sl_table_is_null(t, SL_WHY_USUAL))
            over = gate->share >= 0 ? sl_table_real_or_nan(t, SL_WHY_SHARE) > gate->share : seconds > gate->seconds;
        else if (compared)
            over = !isnan(was) && cli_gate_exceeded(gate, was, seconds);
        was = seconds;
    }
    return over;
}

struct below {
    int64_t workflow, at_ns; /* when it last happened itself; INT64_MIN: no log tells */
};
typedef SL_VEC(struct below) sl_below;

/* What is last first. */
static int by_time(const void *a, const void *b)
{
    const struct below *x = a, *y = b;

    return x->at_ns != y->at_ns ? (x->at_ns > y->at_ns ? -1 : 1)
                                : (x->workflow > y->workflow) - (x->workflow < y->workflow);
}

/* Workflows that files below path tell of, or of a facet of which. */
static int all_below(sl_below *found, struct sl_store *st, const char *path, struct sl_err *err)
{
    char *real = realpath(path, NULL);
    sqlite3_stmt *q = sl_store_prepare(st, sql_is_below, err);
    sl_workflow_views views = {0};
    int rc = q ? sl_workflow_views_load(&views, st->db, err) : SL_ESTORE;

    for (size_t i = 0; i < views.n && !rc; i++) {
        sqlite3_bind_text(q, 1, real ? real : path, -1, SQLITE_TRANSIENT);
        sqlite3_bind_int64(q, 2, views.v[i].span);
        if ((rc = sl_store_step(st, q, err)) > 0) {
            int64_t at_ns = sqlite3_column_type(q, 0) == SQLITE_NULL ? INT64_MIN : sqlite3_column_int64(q, 0);
            if (!found->n || found->v[found->n - 1].workflow != views.v[i].workflow)
                *sl_vec_add(found) = (struct below){views.v[i].workflow, INT64_MIN};
            if (at_ns > found->v[found->n - 1].at_ns)
                found->v[found->n - 1].at_ns = at_ns;
            rc = 0;
        }
        sqlite3_reset(q);
    }
    sqlite3_finalize(q);
    sl_vec_free(&views);
    free(real);
    if (found->n)
        qsort(found->v, found->n, sizeof *found->v, by_time);
    return rc;
}

/* Says which of them is told of, and what is later and empty. */
static void say_last(struct sl_store *st, const sl_below *found, size_t last)
{
    enum { NAMED = 4 };
    struct sl_buf empty = {0};
    char name[600];

    for (size_t i = last > NAMED ? NAMED : last; i-- > 0;)
        sl_buf_addf(&empty, "%s%.100s", empty.n ? ", " : "", sl_run_name(st, found->v[i].workflow, name, sizeof name));
    if (last > NAMED)
        sl_buf_addf(&empty, " and %zu more", last - NAMED);
    sl_run_name(st, found->v[last].workflow, name, sizeof name);
    if (last)
        cli_say(
            "of %zu runs the last that did anything is told of, %s; only begun, as far as logs tell: %s; the others: "
            "spanloom runs -d %s",
            found->n, name, empty.s, st->path);
    else
        cli_say("the last of %zu runs is told of, %s; the others: spanloom runs -d %s", found->n, name, st->path);
    sl_buf_free(&empty);
}

/* Of one that has just begun there is one moment, too: who follows runs waits for what comes. */
int cli_last_below(struct sl_store *st, const char *path, bool say, int64_t *workflow, struct sl_err *err)
{
    const int64_t young_ns = 60000000000;
    sqlite3_stmt *q = sl_store_prepare(st, sql_lasts, err);
    sl_below found = {0};
    size_t last = 0;
    int rc = q ? all_below(&found, st, path, err) : SL_ESTORE, lasts = 0;

    for (; last < found.n && !rc; last++) {
        sqlite3_bind_int64(q, 1, found.v[last].workflow);
        if ((rc = sl_store_step(st, q, err)) > 0)
            lasts = sqlite3_column_int(q, 0) || (!say && found.v[last].at_ns > sl_clock_now_ns() - young_ns);
        sqlite3_reset(q);
        rc = rc > 0 ? 0 : rc;
        if (lasts)
            break;
    }
    last = lasts ? last : 0;
    *workflow = found.n && !rc ? found.v[last].workflow : 0;
    if (!rc && say && found.n > 1)
        say_last(st, &found, last);
    sqlite3_finalize(q);
    sl_vec_free(&found);
    return rc;
}

static bool is_store(const char *path)
{
    struct sl_store *st = NULL;
    bool is = cli_side_is_file(path) && !sl_store_open(&st, path, SL_STORE_READ, NULL);

    sl_store_close(st);
    return is;
}

static bool is_path(const char *text)
{
    return access(text, F_OK) == 0 && !is_store(text);
}

/* A path that was imported and has no workflow: of a copy the store knows the files by their first path. */
static int no_workflow(struct sl_store *st, const char *path, struct sl_err *err)
{
    char *real = realpath(path, NULL);
    sqlite3_stmt *q = sl_store_prepare(st, sql_any_below, err);
    int rc = SL_ESTORE;

    if (q) {
        sqlite3_bind_text(q, 1, real ? real : path, -1, SQLITE_TRANSIENT);
        rc = sl_store_step(st, q, err);
    }
    sqlite3_finalize(q);
    free(real);
    if (!rc)
        return sl_err(err, SL_ENOTFOUND,
                      "%s is a copy: the store knows its files by another path; see its run with: spanloom runs -d %s",
                      path, st->path);
    return rc < 0 ? rc : cli_no_workflow(st, path, err);
}

/* The last workflow of a path that was imported; 0 where there is none, which is an error if it is `asked`. */
static int of_path(struct cli *cli, const char *path, bool asked, struct sl_store **st, int64_t *workflow)
{
    struct sl_err err = {0};
    int rc;

    if (!(*st = cli_open(cli)))
        return EXIT_FAILED;
    rc = cli_states(cli, *st, &err);
    if (!rc)
        rc = cli_last_below(*st, path, asked, workflow, &err);
    if (!rc && !*workflow && asked)
        rc = no_workflow(*st, path, &err);
    if (!rc && *workflow)
        rc = cli_skew(cli, *st, &err);
    return rc ? cli_fail(cli, &err) : EXIT_DONE;
}

/* Whether there is a run to tell of, from this import or an earlier one. */
static bool holds_run(struct cli *cli, const char *path)
{
    struct sl_store *st = cli_open(cli);
    int64_t workflow = 0;
    bool holds = st && !cli_states(cli, st, NULL) && !cli_last_below(st, path, false, &workflow, NULL) && workflow;

    sl_store_close(st);
    return holds;
}

int cli_import_subject(struct cli *cli, char *text, bool *in_part)
{
    int rc = text && is_path(text) ? cli_import(cli, 1, &text, false) : EXIT_DONE;

    if (rc != EXIT_FAILED || access(cli->store_path, F_OK) || !holds_run(cli, text))
        return rc;
    *in_part = true;
    return EXIT_DONE;
}

int cli_find_subject(struct cli *cli, char *text, struct sl_store **st, int64_t *workflow)
{
    struct sl_diff_input side = {.text = text};
    struct sl_err err = {0};
    int rc;

    *st = NULL;
    if (!text) {
        if (!(*st = cli_open(cli)))
            return EXIT_FAILED;
        if (cli_states(cli, *st, &err) || cli_workflow_of(cli, *st, 0, NULL, workflow, &err))
            return cli_fail(cli, &err);
        return cli_skew(cli, *st, &err) ? cli_fail(cli, &err) : EXIT_DONE;
    }
    if (is_path(text))
        return of_path(cli, text, true, st, workflow);
    rc = cli_side_open(cli, &side, &err);
    *workflow = side.within;
    if (!rc && !*workflow)
        rc = cli_find_workflow(cli, side.st, NULL, workflow, &err);
    if (!rc)
        rc = cli_skew(cli, side.st, &err);
    *st = side.st;
    side.st = NULL;
    cli_side_close(&side);
    return !rc ? EXIT_DONE : err.code ? cli_fail(cli, &err) : EXIT_FAILED;
}

/* Of traced programs alone, without a workflow: *st, else NULL.  An exit status. */
static int programs_of(struct cli *cli, const char *text, struct sl_store **st, char **path)
{
    struct sl_err err = {0};
    int64_t workflow = 0;
    uint64_t n = 0;
    int rc = 0, there = 0;

    *st = NULL;
    *path = text && is_path(text) ? realpath(text, NULL) : NULL;
    if ((text && !*path && !is_store(text)) || cli_option(cli, "run"))
        return EXIT_DONE;
    if (text && !*path)
        rc = sl_store_open(st, text, SL_STORE_READ, &err);
    else if (!(*st = cli_open(cli)))
        return EXIT_FAILED;
    if (!rc)
        rc = cli_states(cli, *st, &err);
    if (!rc && *path)
        rc = cli_last_below(*st, text, false, &workflow, &err);
    else if (!rc)
        rc = cli_workflows(*st, &workflow, &n, NULL, &err);
    if (!rc && !workflow && !n)
        there = sl_why_programs_are_there(*st, *path, &err);
    if (there > 0)
        return EXIT_DONE;
    sl_store_close(*st);
    *st = NULL;
    return rc || there < 0 ? cli_fail(cli, &err) : EXIT_DONE;
}

static void say_runs(const struct sl_store *st, struct sl_result *r)
{
    struct sl_table *t = sl_result_find(r, "programs");

    if (sl_table_next(t, NULL) > 0 && sl_table_int(t, SL_WHY_PROGRAM_RUNS) > 1)
        cli_say("the last of %lld runs of traced programs is told of; all together: spanloom profile -d %s",
                (long long)sl_table_int(t, SL_WHY_PROGRAM_RUNS), st->path);
    sl_table_rewind(t);
}

static bool say_problems(const struct sl_result *r)
{
    struct sl_table *t = sl_result_find(r, "problems");
    bool any = false;

    while (sl_table_next(t, NULL) > 0) {
        cli_say("%s", sl_table_text(t, 1, NULL));
        any = true;
    }
    sl_table_rewind(t);
    return any;
}

/* One run, or two of which the second is told beside the first. */
static int tell(struct cli *cli, int n, char **text, const struct sl_findings *findings, const struct cli_gate *gate)
{
    struct sl_result of[2] = {0}, both = {0};
    struct sl_err err = {0};
    bool failed = false;
    int rc = 0, code = EXIT_DONE;

    for (int i = 0; i < n && !code; i++) /* all of them before any is told of: names depend on what there is */
        code = cli_import_subject(cli, text[i], &failed);
    for (int i = 0; i < n && !rc && !code; i++) {
        struct sl_store *st = NULL;
        char *path = NULL;
        int64_t workflow = 0;
        if (n == 1 && (code = programs_of(cli, text[i], &st, &path)))
            break;
        if (st && !(rc = sl_why_programs(&of[i], st, path, findings, &err)))
            say_runs(st, &of[i]);
        else if (!st && !(code = cli_find_subject(cli, text[i], &st, &workflow)))
            rc = sl_why(&of[i], st, workflow, findings, &err);
        free(path);
        if (!rc && !code) {
            failed |= say_problems(&of[i]);
            if (workflow)
                cli_say_lost(st, workflow);
            else
                cli_say_lost_of(st, sql_is_told);
        }
        sl_store_close(st);
    }
    if (!rc && !code && n > 1)
        rc = sl_why_compared(&both, of, &err);
    if (!rc && !code && cli->format != SL_FORMAT_TABLE)
        rc = sl_show_result(stdout, n > 1 ? &both : &of[0], cli->format, &err);
    else if (!rc && !code)
        rc = n > 1 ? sl_show_why_compared(stdout, &both, cli_columns(), &err)
                   : sl_show_why(stdout, &of[0], cli_columns(), cli_option(cli, "all") != NULL, &err);
    if (rc < 0)
        code = cli_fail(cli, &err);
    else if (!code && gate->text && n == 1 && sl_why_is_in_doubt(&of[0]))
        failed = true; /* nobody can tell */
    else if (!code && gate->text && exceeded(n > 1 ? &both : &of[0], n > 1, gate))
        code = EXIT_GATE;
    sl_result_free(&of[0]);
    sl_result_free(&of[1]);
    sl_result_free(&both);
    return code ? code : failed ? EXIT_FAILED : EXIT_DONE;
}

/* ---- a run that goes on ---- */

enum { PAUSE_MS = 2000, LONGEST_PAUSE_MS = 60000, PAUSES_PER_LOOK = 4 };

static volatile sig_atomic_t stopped;

static void stop(int signal)
{
    (void)signal;
    stopped = 1;
}

static void pause_ms(int64_t ms)
{
    struct timespec t = {(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};

    if (!stopped)
        nanosleep(&t, NULL); /* a signal ends it */
}

static time_t newest;

static int is_newer(const char *path, const struct stat *st, int type, struct FTW *where)
{
    (void)path, (void)where;
    if (type == FTW_F && st->st_size && st->st_mtime > newest)
        newest = st->st_mtime;
    return 0;
}

/* When a file below path that holds something was last written to; 0: there is none. */
static time_t last_written(const char *path)
{
    newest = 0;
    nftw(path, is_newer, 16, 0);
    return newest;
}

/* What there is by now, as a screen; NULL: the run has no tasks yet.  *ended: it says that it has.  free() the screen.
 */
static int look(struct cli *cli, char *path, const struct sl_findings *findings, char **screen, bool *ended)
{
    struct sl_store *st = NULL;
    struct sl_result r = {0};
    struct sl_err err = {0};
    struct sl_table *run;
    int64_t workflow;
    size_t n = 0;
    FILE *out;
    bool in_part = false, in_doubt;
    int rc, code = cli_import_subject(cli, path, &in_part);

    *screen = NULL;
    *ended = false;
    sl_store_forgive();
    if (code == EXIT_FAILED) /* it is said why; a file that has been begun goes on */
        return EXIT_DONE;
    code = code ? code : of_path(cli, path, false, &st, &workflow);
    if (code || !workflow) {
        sl_store_close(st);
        return code;
    }
    rc = sl_why(&r, st, workflow, findings, &err);
    run = rc ? NULL : sl_result_find(&r, "run");
    in_doubt = !rc && sl_why_is_in_doubt(&r);
    if (!rc && sl_table_next(run, &err) > 0 &&
        (in_doubt || (sl_table_int(run, SL_WHY_RUN_TASKS) && !sl_table_is_null(run, SL_WHY_RUN_MAKESPAN)))) {
        *ended = !strcmp(sl_table_text_or_empty(run, SL_WHY_RUN_STATE), "ended");
        sl_table_rewind(run);
        say_problems(&r);
        out = sl_must(open_memstream(screen, &n));
        rc = sl_show_why(out, &r, cli_columns(), cli_option(cli, "all") != NULL, &err);
        fclose(out);
    }
    sl_result_free(&r);
    sl_store_close(st);
    return rc < 0 ? cli_fail(cli, &err) : EXIT_DONE;
}

/* What follows the age of the last event, which always differs. */
static const char *behind_age(const char *screen)
{
    const char *ago = strstr(screen, "s ago\n");

    return ago ? ago : screen;
}

/* Until the run has ended, or Ctrl-C; a second Ctrl-C ends it at once.  On a terminal the screen is drawn anew. */
static int follow(struct cli *cli, char *path, const struct sl_findings *findings)
{
    struct sigaction act = {.sa_handler = stop, .sa_flags = (int)SA_RESETHAND};
    char *before = NULL, *screen;
    bool ended = false, terminal = isatty(1);
    int code = EXIT_DONE;

    sigaction(SIGINT, &act, NULL);
    if (!last_written(path)) {
        cli_say("waiting for %s, which %s so far; Ctrl-C ends it", path,
                access(path, F_OK) ? "is not there" : "holds nothing");
        while (!stopped && !last_written(path))
            pause_ms(PAUSE_MS);
        pause_ms(PAUSE_MS); /* until its first log tells what it is of */
    }
    if (!stopped && !cli_import_knows(cli, path)) {
        cli_say("waiting for %s, which holds no file so far that a recipe knows; Ctrl-C ends it", path);
        while (!stopped && !cli_import_knows(cli, path))
            pause_ms(PAUSE_MS);
    }
    while (!code && !ended && !stopped) {
        int64_t since_ns = sl_clock_mono_ns(), took_ms;
        if ((code = look(cli, path, findings, &screen, &ended)))
            break;
        if (!screen)
            screen = sl_strdup("no task has begun so far\n");
        if (terminal || !before || strcmp(behind_age(before), behind_age(screen)) != 0) {
            if (terminal)
                fputs("\033[H\033[J", stdout);
            printf("%s%s", before && !terminal ? "\n" : "", screen);
            fflush(stdout);
        }
        free(before);
        before = screen;
        took_ms = (sl_clock_mono_ns() - since_ns) / 1000000 * PAUSES_PER_LOOK;
        if (!ended)
            pause_ms(took_ms < PAUSE_MS ? PAUSE_MS : took_ms > LONGEST_PAUSE_MS ? LONGEST_PAUSE_MS : took_ms);
    }
    free(before);
    if (!code)
        printf("\n%s\n", ended ? "the run has ended" : "stopped; the run may go on");
    return code;
}

static int run(struct cli *cli, int argc, char **argv)
{
    struct sl_findings findings = {0};
    struct sl_err err = {0};
    struct cli_gate gate;
    char *none = NULL;
    int rc;

    if (argc > 2)
        return cli_usage(cli, "one run, or two to be compared: %s is too much", argv[2]);
    if (argc && cli_option(cli, "run"))
        return cli_usage(cli, "--run and %s both say which run; one is enough", argv[0]);
    for (int i = 0; i < argc; i++)
        if (!*argv[i])
            return cli_usage(cli, "'' names no run; runs are: spanloom runs -d %s", cli->store_path);
    if (cli_option(cli, "follow") && (argc != 1 || is_store(argv[0])))
        return cli_usage(cli, "--follow needs the one path that grows, such as runinfo%s%s", argc ? ", not " : "",
                         argc ? argv[argc - 1] : "");
    if (cli_option(cli, "follow") && (cli->format != SL_FORMAT_TABLE || cli_option(cli, "fail-on")))
        return cli_usage(cli, "--follow shows what people read, until the run has ended: then ask for %s",
                         cli_option(cli, "fail-on") ? "--fail-on" : "--format");
    if ((rc = cli_gate(cli, &gate)))
        return rc;
    if (gate.makespan && argc < 2)
        return cli_usage(cli, "--fail-on %s compares two runs, and here is one", gate.text);
    if (sl_findings_load(&findings, &err))
        return cli_fail(cli, &err);
    for (size_t i = 0; i < findings.files.notice.n; i++)
        cli_say("%s", findings.files.notice.v[i]);
    for (size_t i = 0; i < findings.files.problem.n; i++)
        cli_say("%s", findings.files.problem.v[i]);
    findings.followed = cli_option(cli, "follow") != NULL;
    rc = findings.followed ? follow(cli, argv[0], &findings)
                           : tell(cli, argc ? argc : 1, argc ? argv : &none, &findings, &gate);
    rc = !rc && findings.files.problem.n ? EXIT_FAILED : rc;
    sl_findings_free(&findings);
    return rc;
}

const struct command cmd_why = {
    .name = "why",
    .args = "[PATH|RUN [PATH|RUN]]",
    .help = "why a workflow took so long, and what each cause cost",
    .options = options,
    .run = run,
};
