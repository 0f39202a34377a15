/* SPDX-License-Identifier: Apache-2.0 */
/* What several commands share. */
#include "analyse/analyse.h"
#include "analyse/load/near_names.h"
#include "analyse/load/root_events.h"
#include "base/buf.h"
#include "base/mem.h"
#include "bind/bind.h"
#include "cli/cli.h"
#include "cli_common.sql.h"
#include "recipe/project.h"
#include "recipe/recipe.h"
#include "recipe/span_tables.h"
#include "recipe/states.h"
#include "result/spans/find_span.h"
#include "result/spans/store_contents.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

const char *cli_option(const struct cli *cli, const char *name)
{
    for (int i = cli->ngiven; i-- > 0;)
        if (!strcmp(cli->given[i].spec->name, name))
            return cli->given[i].value;
    return NULL;
}

int cli_number(const char *s, int least)
{
    char *end;
    long n = strtol(s, &end, 10);

    return *s && !*end && n >= least && n <= 1000000 ? (int)n : -1;
}

static void say(const char *fmt, va_list ap)
{
    va_list again;
    char *text;
    int n;

    va_copy(again, ap);
    n = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    text = sl_alloc((size_t)n + sizeof "spanloom: ");
    strcpy(text, "spanloom: ");
    vsnprintf(text + strlen(text), (size_t)n + 1, fmt, ap);
    sl_show_message(stderr, text, isatty(2) ? cli_columns() : 0);
    free(text);
}

void cli_say(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    say(fmt, ap);
    va_end(ap);
}

bool cli_not_all;

void cli_warn(void *to, const char *text)
{
    (void)to;
    cli_say("%s", text);
}

int cli_fail(const struct cli *cli, const struct sl_err *err)
{
    if (err->code == SL_EUSAGE)
        return cli_usage(cli, "%s", err->text);
    cli_say("%s", err->text);
    return EXIT_FAILED;
}

int cli_usage(const struct cli *cli, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    say(fmt, ap);
    va_end(ap);
    if (cli && cli->command)
        fprintf(stderr, "try: spanloom %s%s%s --help\n", cli->command->name, cli->sub ? " " : "",
                cli->sub ? cli->sub : "");
    else
        fputs("try: spanloom --help\n", stderr);
    return EXIT_USAGE;
}

struct sl_store *cli_open(const struct cli *cli)
{
    struct sl_store *st;
    struct sl_err err = {0};

    if (sl_store_open(&st, cli->store_path, SL_STORE_READ, &err)) {
        cli_fail(cli, &err);
        return NULL;
    }
    if (sl_analyse_register(st->db) != SQLITE_OK) {
        sl_store_err(st, "cannot register the analysis functions", &err);
        cli_fail(cli, &err);
        sl_store_close(st);
        return NULL;
    }
    return st;
}

void cli_say_lost_of(struct sl_store *st, const char *which, ...)
{
    enum { SPAN, PROGRAM, EVENTS, WHY };
    struct sl_result r = {0};
    struct sl_buf who = {0}, why = {0};
    long long events = 0, others = -1;
    struct sl_err err = {0};
    struct sl_table *t;
    char count[32], *sql;
    va_list ap;
    int rc;

    if (!sl_store_int(st, "SELECT EXISTS (SELECT 1 FROM sl_name WHERE name = 'trace.process')", 1))
        return;
    va_start(ap, which);
    sql = sqlite3_vmprintf(which, ap);
    va_end(ap);
    rc = sl_result_lost(&r, st, sql, &err);
    t = sl_result_find(&r, "lost");
    while (!rc && (rc = sl_table_next(t, &err)) > 0) {
        rc = 0;
        const char *program = sl_table_text_or_empty(t, PROGRAM), *words = sl_table_text_or_empty(t, WHY);
        if (!who.n)
            sl_show_clean(&who, *program ? program : "a program", *program ? strlen(program) : 9);
        if (!why.n)
            sl_show_clean(&why, words, strlen(words));
        events += sl_table_int(t, EVENTS);
        others++;
    }
    if (rc < 0)
        cli_say("%s", err.text);
    if (others > 0)
        sl_buf_addf(&who, " and %lld other process%s", others, others == 1 ? "" : "es");
    if (others >= 0)
        cli_say("%s could not record %s event%s%s%s%s: there were more calls than are counted here", who.s,
                sl_show_count((unsigned long long)events, count), events == 1 ? "" : "s", why.n ? " (" : "",
                why.n ? why.s : "", why.n ? ")" : "");
    sl_buf_free(&who);
    sl_buf_free(&why);
    sl_result_free(&r);
    sqlite3_free(sql);
}

void cli_say_lost(struct sl_store *st, int64_t within)
{
    cli_say_lost_of(st, within ? sql_is_within : "1", (long long)within);
}

int cli_end(const struct cli *cli, struct sl_store *st, struct sl_result *r, int rc, const struct sl_err *err)
{
    struct sl_err failed = err ? *err : (struct sl_err){0};

    if (!rc)
        rc = sl_show_result(stdout, r, cli->format, &failed);
    sl_result_free(r);
    sl_store_close(st);
    return rc < 0 ? cli_fail(cli, &failed) : EXIT_DONE;
}

int cli_recipes_read(const struct cli *cli, struct sl_recipes *set, struct sl_err *err)
{
    int rc = sl_recipes_add_default(set, err);

    for (size_t i = 0; cli->project && i < cli->project->recipes.n && !rc; i++)
        rc = sl_recipes_add_file(set, cli->project->recipes.v[i], err);
    for (int i = 0; i < cli->ngiven && !rc; i++)
        if (!strcmp(cli->given[i].spec->name, "recipe"))
            rc = sl_recipes_add_file(set, cli->given[i].value, err);
    return rc;
}

int cli_recipes(const struct cli *cli, struct sl_recipes *set, struct sl_err *err)
{
    int rc = cli_recipes_read(cli, set, err);
    return rc ? rc : sl_recipes_compile(set, err);
}

int cli_bind_all(struct sl_store *st, const struct sl_recipes *set, struct sl_err *err)
{
    int rc = sl_states_write(st, "main", set, err);

    if (!rc)
        rc = sl_tables_make(st, set, err);
    return rc ? rc : sl_bind_apply(st, set, &(const struct sl_bind_scope){.all = true}, cli_warn, NULL, err);
}

/* ---- gates ---- */

int cli_gate(const struct cli *cli, struct cli_gate *gate)
{
    const char *text = cli_option(cli, "fail-on");
    static const char makespan[] = "makespan=";
    bool alone = text && !strncmp(text, makespan, sizeof makespan - 1);
    size_t digits;
    char *end;
    double n;

    *gate = (struct cli_gate){.text = text, .share = -1, .makespan = alone};
    if (!text)
        return EXIT_DONE;
    text += alone ? sizeof makespan - 1 : 0;
    digits = strspn(text, "0123456789.");
    n = strtod(text, &end);
    if (!digits || end != text + digits || (strcmp(end, "%") != 0 && strcmp(end, "s") != 0) || n - n != 0)
        return cli_usage(cli, "--fail-on takes percent or seconds, such as 5%% or 0.2s, not '%s'", text);
    if (*end == '%')
        gate->share = n / 100;
    else
        gate->seconds = n;
    return EXIT_DONE;
}

bool cli_gate_exceeded(const struct cli_gate *gate, double before_s, double now_s)
{
    return gate->text && now_s - before_s > (gate->share < 0 ? gate->seconds : gate->share * before_s);
}

/* ---- types ---- */

static int64_t count_type(struct sl_store *st, const char *type)
{
    char *sql = sqlite3_mprintf(sql_count_type, type);
    int64_t n = sl_store_int(st, sql, 0);

    sqlite3_free(sql);
    return n;
}

/* Of what belongs to the span `within`; 0: of all. */
static int task_type(struct sl_store *st, int64_t within, char *type, size_t n, struct sl_err *err)
{
    sqlite3_stmt *q = within ? sl_store_prepare(st, sql_task_type, err) : NULL;
    char *found = within ? NULL : sl_task_type(st->db, 0);
    int rc = within && !q ? SL_ESTORE : 0;

    if (q)
        sqlite3_bind_int64(q, 1, within);
    if (q && (rc = sl_store_step(st, q, err)) > 0) {
        found = sl_strdup(sl_store_text(q, 0));
        rc = 0;
    }
    sqlite3_finalize(q);
    if (found)
        snprintf(type, n, "%s", found);
    else if (!rc)
        rc = sl_err(err, SL_ENOTFOUND, "%s holds no tasks; name a type of spans, see: spanloom types%s -d %s",
                    within ? "the run" : st->path, within ? " --run RUN" : "", st->path);
    free(found);
    return rc;
}

int cli_type(struct sl_store *st, const char *given, int64_t within, char *type, size_t n, struct sl_err *err)
{
    struct sl_buf many = {0};
    sqlite3_stmt *q;
    int found = 0, rc = 0;

    if (given && strlen(given) >= n)
        return sl_err(err, SL_EUSAGE, "a type of more than %zu bytes: %.200s...", n - 1, given);
    if (!given)
        return task_type(st, within, type, n, err);
    if (count_type(st, given)) {
        snprintf(type, n, "%s", given);
        return 0;
    }
    q = sl_store_prepare(st, sql_cli_type, err);
    if (!q)
        return SL_ESTORE;
    sqlite3_bind_text(q, 1, given, -1, SQLITE_STATIC);
    while ((rc = sl_store_step(st, q, err)) > 0) {
        if (!found++)
            snprintf(type, n, "%s", sl_store_text(q, 0));
        sl_buf_addf(&many, " %s", sl_store_text(q, 0));
    }
    sqlite3_finalize(q);
    if (!rc && !strcmp(given, "task") && !task_type(st, within, type, n, NULL)) /* not what comes of one */
        found = 1;
    if (!rc && !found) {
        struct sl_buf near = {0};
        sl_find_near_types(st, given, &near);
        rc = sl_err(err, SL_ENOTFOUND, "no span has the type %s%s%s see what there is with: spanloom types -d %s",
                    given, near.n ? near.s : "", near.n ? "" : ";", st->path);
        sl_buf_free(&near);
    }
    if (!rc && found > 1)
        rc = sl_err(err, SL_ENOTFOUND, "several types end in '%s'; say which:%s", given, many.s);
    sl_buf_free(&many);
    return rc;
}

int cli_no_rule(struct sl_store *st, const char *rule, struct sl_err *err)
{
    struct sl_buf near = {0};
    int rc;

    sl_query_near(&near, st->db, sql_rules, rule);
    rc = sl_err(err, SL_ENOTFOUND, "no rule is called %s%s see them with: spanloom links, and spanloom bind", rule,
                near.n ? near.s : ";");
    sl_buf_free(&near);
    return rc;
}

int cli_columns(void)
{
    const char *env = getenv("COLUMNS");
    struct winsize size;

    if (env && atoi(env) >= 40)
        return atoi(env);
    for (int fd = 1; fd <= 2; fd++) /* a terminal that has no output of ours has the messages */
        if (isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
            return size.ws_col;
    return 80;
}
