/* SPDX-License-Identifier: Apache-2.0 */
/* The words of findings, with numbers for people. */
#include "base/buf.h"
#include "base/clock.h"
#include "findings/why_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void sl_why_time_text(sqlite3_context *out, int argc, sqlite3_value **argv)
{
    const struct why *y = sqlite3_user_data(out);
    char text[SL_SECONDS_TEXT];

    (void)argc;
    if (sqlite3_value_type(argv[0]) != SQLITE_NULL)
        sqlite3_result_text(out, sl_seconds_beside(sqlite3_value_double(argv[0]), y->makespan_s, text), -1,
                            SQLITE_TRANSIENT);
}

int sl_why_column(sqlite3_stmt *q, const char *name, size_t n)
{
    for (int i = 0; i < sqlite3_column_count(q); i++)
        if (strlen(sqlite3_column_name(q, i)) == n && !memcmp(sqlite3_column_name(q, i), name, n))
            return i;
    return -1;
}

static void add_number(struct sl_buf *b, double v)
{
    double a = fabs(v);

    if (a >= 1000 || v == rint(v))
        sl_buf_addf(b, "%.0f", v);
    else
        sl_buf_addf(b, "%.*f", a >= 100 ? 0 : a >= 10 ? 1 : a >= 1 ? 2 : 3, v);
}

/* What a column holds, as its name says: NAME_s are seconds, NAME_share are shares of 1.  In a command integers are as
 * they are. */
static void add_cell(struct sl_buf *b, sqlite3_stmt *q, int column, double makespan_s, bool command)
{
    const char *name = sqlite3_column_name(q, column);
    char text[SL_SECONDS_TEXT];
    size_t n = strlen(name);
    int type = sqlite3_column_type(q, column);
    double v = sqlite3_column_double(q, column);
    bool is_number = type == SQLITE_FLOAT || type == SQLITE_INTEGER;

    if (is_number && n > 2 && !strcmp(name + n - 2, "_s")) {
        sl_buf_addf(b, "%s", sl_seconds_beside(v, makespan_s, text));
    } else if (is_number && n >= 5 && !strcmp(name + n - 5, "share")) {
        sl_buf_addf(b, "%.*f %%", fabs(v) < 0.0995 ? 1 : 0, 100 * v);
    } else if (type == SQLITE_FLOAT) {
        add_number(b, v);
    } else if (type == SQLITE_INTEGER && !command) {
        char *digits = sqlite3_mprintf("%,lld", sqlite3_column_int64(q, column));
        sl_buf_adds(b, digits ? digits : "");
        sqlite3_free(digits);
    } else if (type != SQLITE_NULL) {
        sl_buf_addf(b, "%s", (const char *)sqlite3_column_text(q, column));
    }
}

/* Adds words, in which tasks are called jobs: "2 tasks (such as ...)"; not what is in brackets alone, as apps are. */
static void add_as_jobs(struct sl_buf *b, const char *s, size_t n)
{
    static const char task[] = "task";
    const size_t len = sizeof task - 1;

    for (size_t i = 0; i < n; i++) {
        bool begins = !i || s[i - 1] == ' ';
        size_t end = i + len + (i + len < n && s[i + len] == 's');
        if (begins && i + len <= n && !memcmp(s + i, task, len) && (end == n || strchr(" ,.;:", s[end]))) {
            sl_buf_addf(b, "job");
            i += len - 1;
        } else {
            sl_buf_addc(b, s[i]);
        }
    }
}

/* What a cell holds; names of users are left as they are. */
static void add_named_cell(struct sl_buf *b, sqlite3_stmt *q, int column, const struct why *y, bool command)
{
    static const char *const of_users[] = {"exception", "app", "failed", "words"};
    const char *name = sqlite3_column_name(q, column);
    bool as_jobs = y->jobs && !command;
    struct sl_buf cell = {0};

    for (size_t i = 0; i < sizeof of_users / sizeof *of_users; i++)
        as_jobs &= strcmp(name, of_users[i]) != 0;
    add_cell(as_jobs ? &cell : b, q, column, y->makespan_s, command);
    if (cell.n)
        add_as_jobs(b, cell.s, cell.n);
    sl_buf_free(&cell);
}

/* A row of a finding that is put into words. */
struct row {
    const struct why *y;
    const struct sl_finding *f;
    sqlite3_stmt *q;
    struct sl_err *err;
    bool command;
    int depth; /* words in the place of columns, in words */
};

static int add_words(struct sl_buf *b, struct row *r, const char *s, size_t n);

static void add_text(struct sl_buf *b, const struct row *r, const char *s, size_t n)
{
    if (r->y->jobs && !r->command)
        add_as_jobs(b, s, n);
    else
        sl_buf_add(b, s, n);
}

/* The first such character that is in no brackets; NULL: there is none. */
static const char *outside_brackets(const char *s, const char *end, char c)
{
    for (int depth = 0; s < end; s++) {
        if (!depth && *s == c)
            return s;
        depth += (*s == '{') - (*s == '}');
    }
    return NULL;
}

static bool holds_something(sqlite3_stmt *q, int column)
{
    int type = sqlite3_column_type(q, column);

    return type == SQLITE_TEXT ? sqlite3_column_bytes(q, column) > 0 : sqlite3_column_double(q, column) != 0;
}

/* What a column holds, or what the finding's `words` have for that. */
static int add_column(struct sl_buf *b, struct row *r, int column)
{
    const char *name = sqlite3_column_name(r->q, column), *value = (const char *)sqlite3_column_text(r->q, column);
    int rc = 0;

    for (size_t i = 0; value && i < r->f->n_words; i++) {
        const struct sl_finding_words *w = &r->f->words[i];
        if (strcmp(w->column, name) != 0 || strcmp(w->value, value) != 0)
            continue;
        if (r->depth == 8)
            return sl_err(r->err, SL_EFORMAT, "%s: words of {%s} contain themselves", r->f->path, name);
        r->depth++;
        rc = add_words(b, r, w->text, strlen(w->text));
        r->depth--;
        return rc;
    }
    add_named_cell(b, r->q, column, r->y, r->command);
    return 0;
}

/* What stands in brackets: a column; {column?words|else}, by whether it holds something; {column#one|many}. */
static int add_form(struct sl_buf *b, struct row *r, const char *s, size_t n)
{
    const char *end = s + n, *words, *bar;
    size_t name = strcspn(s, "?#}");
    int column = sl_why_column(r->q, s, name);
    bool first;

    if (column < 0)
        return sl_err(r->err, SL_EFORMAT, "%s: its SQL has no column {%.*s}", r->f->path, (int)name, s);
    if (name == n)
        return add_column(b, r, column);
    words = s + name + 1;
    bar = outside_brackets(words, end, '|');
    first = s[name] == '?' ? holds_something(r->q, column) : sqlite3_column_double(r->q, column) == 1;
    if (first)
        return add_words(b, r, words, (size_t)((bar ? bar : end) - words));
    return bar ? add_words(b, r, bar + 1, (size_t)(end - bar - 1)) : 0;
}

static int add_words(struct sl_buf *b, struct row *r, const char *s, size_t n)
{
    const char *end = s + n, *open, *close;
    int rc = 0;

    while (!rc && (open = memchr(s, '{', (size_t)(end - s))) && (close = outside_brackets(open + 1, end, '}'))) {
        add_text(b, r, s, (size_t)(open - s));
        rc = add_form(b, r, open + 1, (size_t)(close - open - 1));
        s = close + 1;
    }
    add_text(b, r, s, (size_t)(end - s));
    return rc;
}

int sl_why_words(char **out, const struct why *y, const struct sl_finding *f, const char *text, sqlite3_stmt *q,
                 struct sl_err *err)
{
    struct row r = {.y = y, .f = f, .q = q, .err = err, .command = text == f->command};
    struct sl_buf b = {0};
    int rc = text ? add_words(&b, &r, text, strlen(text)) : 0;

    *out = b.n && !rc ? sl_strndup(b.s, b.n) : NULL;
    sl_buf_free(&b);
    return rc;
}

/* "spanloom show task 7" of what is a job. */
static void name_job(const struct why *y, char **command)
{
    static const char task[] = "spanloom show task ";
    struct sl_buf b = {0};

    if (!y->jobs || !*command || strncmp(*command, task, sizeof task - 1) != 0)
        return;
    sl_buf_addf(&b, "spanloom show job %s", *command + sizeof task - 1);
    free(*command);
    *command = sl_strdup(b.s);
    sl_buf_free(&b);
}

void sl_why_name_run(const struct why *y, char **command)
{
    struct sl_buf b = {0};
    bool of_run = *command && !strncmp(*command, "spanloom ", 9);

    if (!of_run)
        return;
    name_job(y, command);
    sl_buf_addf(&b, "%s", *command);
    if (!strcmp(*command, "spanloom utilisation") && *y->workers)
        sl_buf_addf(&b, " %s", y->workers);
    if (strcmp(y->st->path, "spanloom.db") != 0) {
        sl_buf_addf(&b, " -d ");
        sl_buf_add_word(&b, y->st->path);
    }
    if (y->runs > 1) {
        sl_buf_addf(&b, " --run ");
        sl_buf_add_word(&b, y->name);
    }
    free(*command);
    *command = sl_strdup(b.s);
    sl_buf_free(&b);
}
