/* SPDX-License-Identifier: Apache-2.0 */
/* From SQL to the data of a specification: each data set becomes a temporary table, and that becomes JSON. */
#include "base/embed.h"
#include "base/json_out.h"
#include "plot/plot.h"
#include "plot_data.sql.h"
#include "result/over_time/over_time.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

struct filling {
    const struct sl_plot *p;
    const struct sl_plot_question *q;
    struct sl_store *st;
    struct sl_err *err;
    size_t made; /* so many of the data sets are tables by now */
};

static bool is_ident(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool names(const char *sql, const char *name)
{
    size_t n = strlen(name);

    for (const char *s = sql; s && (s = strchr(s, ':')); s++)
        if (!strncmp(s + 1, name, n) && !is_ident(s[1 + n]))
            return true;
    return false;
}

bool sl_plot_asks(const struct sl_plot *p, const char *sql, const char *name)
{
    bool asks = names(p->title, name) || names(sql, name);

    for (size_t i = sql ? 1 : 0; i < p->data.n; i++)
        asks |= names(p->data.v[i].sql, name);
    return asks;
}

/* ---- statements ---- */

/*
 * Errors of what the user gave begin with the option, of what the user's file says with its path.  What goes wrong in
 * one of ours is what the user asks of it: the message of the table function, which stands behind its name.
 */
static int fail(const struct filling *f, const char *data, int code)
{
    const char *text = sl_sqlite_words(f->st->db), *said = text + strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_");

    if (f->q->sql && data == f->p->data.v[0].name)
        return sl_err(f->err, code, "--sql: %s", text);
    if (f->p->ours && said > text && !strncmp(said, ": ", 2))
        return sl_err(f->err, code, "the plot %s: %s", f->p->name, said + 2);
    return sl_err(f->err, code, "%s: %s: %s", f->p->path, data, text);
}

static void bind_value(sqlite3_stmt *s, int at, const struct sl_plot_value *v)
{
    if (v->type == SQLITE_INTEGER)
        sqlite3_bind_int64(s, at, v->i);
    else if (v->type == SQLITE_FLOAT)
        sqlite3_bind_double(s, at, v->d);
    else if (v->type == SQLITE_TEXT)
        sqlite3_bind_text(s, at, v->s, -1, SQLITE_TRANSIENT);
}

/* What :name stands for; false: nothing. */
static bool bind_name(const struct filling *f, sqlite3_stmt *s, int at, const char *name)
{
    const struct sl_plot_question *q = f->q;

    if (!strcmp(name, ":run")) {
        bind_value(s, at, &(struct sl_plot_value){.type = q->run ? SQLITE_INTEGER : SQLITE_NULL, .i = q->run});
    } else if (!strcmp(name, ":bin")) {
        bind_value(s, at, &(struct sl_plot_value){.type = q->bin_s > 0 ? SQLITE_FLOAT : SQLITE_NULL, .d = q->bin_s});
    } else if (!strcmp(name, ":store")) {
        bind_value(s, at, &(struct sl_plot_value){.type = SQLITE_TEXT, .s = f->st->path});
    } else if (!strcmp(name, ":calls")) {
        if (q->calls)
            sqlite3_bind_pointer(s, at, (void *)(uintptr_t)q->calls, SL_CALLS_SUMS, NULL);
    } else {
        for (size_t i = 0; i < f->p->argument.n; i++)
            if (*name == ':' && !strcmp(name + 1, f->p->argument.v[i].name)) {
                if (q->argument)
                    bind_value(s, at, &q->argument[i]);
                return true;
            }
        return false;
    }
    return true;
}

static int bind(const struct filling *f, sqlite3_stmt *s, const char *data)
{
    for (int at = 1; at <= sqlite3_bind_parameter_count(s); at++) {
        const char *name = sqlite3_bind_parameter_name(s, at);
        if (!name || !bind_name(f, s, at, name))
            return sl_err(f->err, SL_EFORMAT,
                          "%s: %s: there is no argument %.80s; SQL knows :run, :bin, :store, :calls and what "
                          "usermeta.spanloom.arguments names",
                          f->p->path, data, name ? name : "?");
    }
    return 0;
}

static int column_of(sqlite3_stmt *s, const char *name)
{
    for (int i = 0; i < sqlite3_column_count(s); i++)
        if (!sqlite3_stricmp(sqlite3_column_name(s, i), name))
            return i;
    return -1;
}

static int no_column(const struct filling *f, const struct sl_plot_data *d, sqlite3_stmt *s, const char *name)
{
    struct sl_buf needs = {0}, there = {0};
    bool users = f->q->sql && d == f->p->data.v;
    int rc;

    for (size_t i = 0; i < d->column.n; i++)
        sl_buf_addf(&needs, "%s%s%s", i ? ", " : "", d->column.v[i].name, d->column.v[i].optional ? " (or not)" : "");
    for (int i = 0; i < sqlite3_column_count(s); i++)
        sl_buf_addf(&there, "%s%.80s", i ? ", " : "", sqlite3_column_name(s, i));
    rc = users ? sl_err(f->err, SL_EUSAGE,
                        "--sql: the query has no column %s; the plot %s needs: %.300s; the query has: %.300s", name,
                        f->p->name, needs.s, there.s)
               : sl_err(f->err, SL_EFORMAT, "%s: %s: its sql has no column %s, which columns describes; it has: %.300s",
                        f->p->path, d->name, name, there.s);
    sl_buf_free(&needs);
    sl_buf_free(&there);
    return rc;
}

/* "SELECT ... FROM (sql)": described columns first, numbers checked, then the rest. */
static int select_columns(const struct filling *f, const struct sl_plot_data *d, const char *sql, size_t n,
                          sqlite3_stmt *s, struct sl_buf *out)
{
    const char *comma = "";

    sl_buf_adds(out, "SELECT ");
    for (size_t i = 0; i < d->column.n; i++, comma = ", ") {
        const struct sl_plot_column *c = &d->column.v[i];
        bool number = !strcmp(c->type, "integer") || !strcmp(c->type, "real");
        char *text;
        if (column_of(s, c->name) < 0 && !c->optional)
            return no_column(f, d, s, c->name);
        text = sqlite3_mprintf(column_of(s, c->name) < 0 ? "NULL AS \"%w\""
                               : number                  ? "sl_number(\"%w\", %Q) AS \"%w\""
                                                         : "\"%w\"",
                               c->name, c->name, c->name);
        sl_buf_addf(out, "%s%s", comma, text);
        sqlite3_free(text);
    }
    for (int i = 0; i < sqlite3_column_count(s); i++) {
        const char *name = sqlite3_column_name(s, i);
        bool described = column_of(s, name) != i; /* a second column of one name */
        char *text;
        for (size_t k = 0; k < d->column.n; k++)
            described |= !sqlite3_stricmp(d->column.v[k].name, name);
        if (described)
            continue;
        text = sqlite3_mprintf("%s\"%w\"", comma, name);
        sl_buf_adds(out, text);
        sqlite3_free(text);
        comma = ", ";
    }
    sl_buf_addf(out, " FROM (%.*s\n)", (int)n, sql);
    return 0;
}

/* Only one statement, a query: its length without what ends it; negative: it is said what it is instead. */
static int check_query(const struct filling *f, const char *data, const char *sql, sqlite3_stmt **s)
{
    sqlite3_stmt *more = NULL;
    const char *tail;
    bool users = f->q->sql && data == f->p->data.v[0].name;

    if (sqlite3_prepare_v2(f->st->db, sql, -1, s, &tail) != SQLITE_OK)
        return fail(f, data, SL_ESTORE);
    if (!*s || !sqlite3_column_count(*s) || !sqlite3_stmt_readonly(*s) ||
        sqlite3_prepare_v2(f->st->db, tail, -1, &more, NULL) != SQLITE_OK || more) {
        sqlite3_finalize(more);
        return sl_err(f->err, users ? SL_EUSAGE : SL_EFORMAT, "%s%s%s: it must be one query, SELECT ..., and no more",
                      users ? "--sql" : f->p->path, users ? "" : ": ", users ? "" : data);
    }
    while (tail > sql && strchr("; \t\r\n", tail[-1]))
        tail--;
    return (int)(tail - sql);
}

static int make_table(const struct filling *f, const struct sl_plot_data *d)
{
    const char *sql = f->q->sql && d == f->p->data.v ? f->q->sql : d->sql;
    sqlite3_stmt *s = NULL, *make = NULL;
    struct sl_buf b = {0};
    int n = check_query(f, d->name, sql, &s), rc = n < 0 ? n : 0;

    if (!rc) {
        sl_buf_addf(&b, "CREATE TEMP TABLE \"%s\" AS ", d->name);
        rc = select_columns(f, d, sql, (size_t)n, s, &b);
    }
    sqlite3_finalize(s);
    if (!rc && sqlite3_prepare_v2(f->st->db, b.s, -1, &make, NULL) != SQLITE_OK)
        rc = fail(f, d->name, SL_ESTORE);
    if (!rc)
        rc = bind(f, make, d->name);
    if (!rc && sqlite3_step(make) != SQLITE_DONE)
        rc = fail(f, d->name, SL_ESTORE);
    sqlite3_finalize(make);
    sl_buf_free(&b);
    return rc;
}

/* ---- JSON ---- */

/* A text that every form can hold: XML has no control characters, and nobody reads 100 kB in a picture. */
static void clean(struct sl_buf *to, const char *s, size_t n)
{
    size_t whole = n;

    sl_buf_clear(to);
    if (n > SL_PLOT_TEXT_BYTES)
        for (n = SL_PLOT_TEXT_BYTES; n > SL_PLOT_TEXT_BYTES - 4 && ((unsigned char)s[n] & 0xC0) == 0x80;)
            n--;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)s[i];
        if (c < 0x20 && c != '\n' && c != '\t')
            sl_buf_addf(to, "\\x%02x", c);
        else if (n - i >= 3 && !memcmp(s + i, "\xEF\xBF", 2) && (unsigned char)s[i + 2] >= 0xBE)
            sl_buf_addf(to, "\\uff%02x", (unsigned char)s[i + 2] | 0xC0u), i += 2;
        else
            sl_buf_addc(to, (char)c);
    }
    if (n < whole)
        sl_buf_adds(to, "\u2026");
    if (!to->s)
        sl_buf_adds(to, "");
}

static void add_text(struct sl_buf *out, struct sl_buf *scratch, const char *s, size_t n)
{
    clean(scratch, s, n);
    sl_json_bytes(out, NULL, scratch->s, scratch->n);
}

static void add_cell(struct sl_buf *out, struct sl_buf *scratch, sqlite3_stmt *s, int column)
{
    int n = sqlite3_column_bytes(s, column);

    switch (sqlite3_column_type(s, column)) {
    case SQLITE_INTEGER: sl_json_exact(out, NULL, sqlite3_column_int64(s, column)); break;
    case SQLITE_FLOAT: sl_json_real(out, NULL, sqlite3_column_double(s, column)); break;
    case SQLITE_TEXT: add_text(out, scratch, (const char *)sqlite3_column_text(s, column), (size_t)n); break;
    case SQLITE_BLOB: sl_buf_addf(out, "\"(%d bytes)\"", n); break;
    default: sl_json_text(out, NULL, NULL);
    }
}

/* The rows of a table as a list of objects. */
static int add_rows(const struct filling *f, const struct sl_plot_data *d, struct sl_buf *out, uint64_t *rows)
{
    char *sql = sqlite3_mprintf("SELECT * FROM temp.\"%w\"", d->name);
    sqlite3_stmt *s = sl_store_prepare(f->st, sql, f->err);
    SL_VEC(struct sl_buf) keys = {0};
    struct sl_buf scratch = {0};
    int rc = s ? 0 : SL_ESTORE, columns = s ? sqlite3_column_count(s) : 0;

    sqlite3_free(sql);
    for (int i = 0; i < columns; i++) {
        const char *name = sqlite3_column_name(s, i);
        struct sl_buf key = {0};
        sl_buf_addc(&key, i ? ',' : '{');
        add_text(&key, &scratch, name, strlen(name));
        sl_buf_addc(&key, ':');
        *sl_vec_add(&keys) = key;
    }
    sl_buf_addc(out, '[');
    for (bool first = true; s && (rc = sl_store_step(f->st, s, f->err)) > 0; first = false, ++*rows) {
        sl_buf_adds(out, first ? "\n" : ",\n");
        for (int i = 0; i < columns; i++) {
            sl_buf_add(out, keys.v[i].s, keys.v[i].n);
            add_cell(out, &scratch, s, i);
        }
        sl_buf_addc(out, '}');
    }
    sl_buf_addc(out, ']');
    for (size_t i = 0; i < keys.n; i++)
        sl_buf_free(&keys.v[i]);
    sl_vec_free(&keys);
    sl_buf_free(&scratch);
    sqlite3_finalize(s);
    return rc;
}

/* ---- the specification around them ---- */

struct title {
    struct sl_buf text, subtitle; /* .s NULL: none */
    struct sl_buf others;         /* an object: what else of the specification has which value */
};

static void take_title(struct sl_buf *to, sqlite3_stmt *s, const char *name)
{
    int column = column_of(s, name);
    struct sl_buf cleaned = {0};

    if (column < 0 || sqlite3_column_type(s, column) == SQLITE_NULL)
        return;
    const char *text = sl_store_text(s, column);
    clean(&cleaned, text, (size_t)sqlite3_column_bytes(s, column));
    sl_buf_add_utf8(to, cleaned.s, cleaned.n);
    sl_buf_free(&cleaned);
}

/* Columns of other names are places in the specification, such as encoding.y.axis.title. */
static void take_others(struct sl_buf *to, sqlite3_stmt *s)
{
    struct sl_buf scratch = {0};

    sl_json_open(to, NULL, '{');
    for (int i = 0; i < sqlite3_column_count(s); i++) {
        const char *name = sqlite3_column_name(s, i);
        if (!sqlite3_stricmp(name, "text") || !sqlite3_stricmp(name, "subtitle") ||
            sqlite3_column_type(s, i) == SQLITE_NULL)
            continue;
        sl_json_name(to, name);
        add_cell(to, &scratch, s, i);
    }
    sl_json_close(to, '}');
    sl_buf_free(&scratch);
}

static int make_title(const struct filling *f, struct title *t)
{
    sqlite3_stmt *s = NULL;
    int rc = 0;

    if (f->p->title) {
        int n = check_query(f, "title", f->p->title, &s);
        rc = n < 0 ? n : bind(f, s, "title");
        if (!rc) {
            int step = sqlite3_step(s);
            if (step == SQLITE_ROW) {
                take_title(&t->text, s, "text");
                take_title(&t->subtitle, s, "subtitle");
                take_others(&t->others, s);
            } else if (step != SQLITE_DONE) {
                rc = fail(f, "title", SL_ESTORE);
            }
        }
        sqlite3_finalize(s);
    }
    if (f->q->title) {
        struct sl_buf cleaned = {0};
        clean(&cleaned, f->q->title, strlen(f->q->title));
        sl_buf_clear(&t->text);
        sl_buf_add_utf8(&t->text, cleaned.s, cleaned.n);
        sl_buf_free(&cleaned);
    }
    return rc;
}

/* The config of plots/look.json for paper; NULL: there is none. */
static char *look(const struct filling *f)
{
    sqlite3_stmt *s;
    char *light = NULL;

    for (const struct sl_embedded *e = sl_embedded_plots; e->name; e++)
        if (!strcmp(e->name, "look.json") &&
            (s = sl_store_prepare(f->st, "SELECT json_extract(\?1, '$.light')", NULL))) {
            sqlite3_bind_text(s, 1, e->data, -1, SQLITE_STATIC);
            if (sqlite3_step(s) == SQLITE_ROW && sqlite3_column_type(s, 0) == SQLITE_TEXT)
                light = sl_strdup(sl_store_text(s, 0));
            sqlite3_finalize(s);
        }
    return light;
}

/* Appends the JSON of a statement's column without its closing bracket. */
static void open_object(struct sl_buf *out, const char *json)
{
    sl_json_member(out, NULL);
    sl_buf_add(out, json, strlen(json) - 1);
}

static sqlite3_stmt *of_spec(const struct filling *f, const char *sql)
{
    sqlite3_stmt *s = sl_store_prepare(f->st, sql, f->err);

    if (s)
        sqlite3_bind_text(s, 1, f->p->spec, -1, SQLITE_STATIC);
    return s;
}

/* A value for what the specification does not have would do nothing. */
static int check_others(const struct filling *f, const struct title *t)
{
    sqlite3_stmt *s = of_spec(f, sql_missing);
    int rc = s ? 0 : SL_ESTORE;

    if (s) {
        sqlite3_bind_text(s, 2, t->others.s, -1, SQLITE_STATIC);
        if ((rc = sl_store_step(f->st, s, f->err)) > 0)
            rc = sl_err(f->err, SL_EFORMAT,
                        "%s: title: its column \"%.80s\" is none of text, subtitle and the keys of the specification "
                        "(such as encoding.y.axis.title), which it must have already",
                        f->p->path, sl_store_text(s, 0));
    }
    sqlite3_finalize(s);
    return rc;
}

static int add_frame(const struct filling *f, const struct title *t, struct sl_buf *out)
{
    const struct sl_plot_data *first = f->p->data.v;
    int rc = check_others(f, t);
    sqlite3_stmt *s = rc ? NULL : of_spec(f, sql_frame);
    char *light = look(f);

    rc = rc || s ? rc : SL_ESTORE;

    if (s) {
        sqlite3_bind_text(s, 2, light, -1, SQLITE_STATIC);
        sqlite3_bind_text(s, 3, t->text.s, -1, SQLITE_STATIC);
        sqlite3_bind_text(s, 4, t->subtitle.s, -1, SQLITE_STATIC);
        sqlite3_bind_text(s, 5, first->name, -1, SQLITE_STATIC);
        sqlite3_bind_text(s, 6, f->q->sql, -1, SQLITE_STATIC);
        sqlite3_bind_int(s, 7, f->p->lite);
        sqlite3_bind_int(s, 8, f->p->lite && !*first->sql);
        sqlite3_bind_text(s, 9, t->others.s, -1, SQLITE_STATIC);
        if ((rc = sl_store_step(f->st, s, f->err)) > 0) {
            open_object(out, sl_store_text(s, 0));
            rc = 0;
        }
    }
    sqlite3_finalize(s);
    free(light);
    return rc;
}

static int add_lite_data(const struct filling *f, struct sl_buf *out, uint64_t *rows)
{
    sqlite3_stmt *s = of_spec(f, sql_own);
    int rc = s ? sl_store_step(f->st, s, f->err) : SL_ESTORE;

    sl_json_member(out, "datasets");
    open_object(out, rc > 0 ? sl_store_text(s, 0) : "{}");
    rc = rc < 0 ? rc : 0;
    for (size_t i = 0; i < f->p->data.n && !rc; i++) {
        const struct sl_plot_data *d = &f->p->data.v[i];
        if (d->input)
            continue;
        sl_json_name(out, d->name);
        rc = add_rows(f, d, out, rows);
    }
    sqlite3_finalize(s);
    sl_json_close(out, '}');
    return rc;
}

static int add_vega_data(const struct filling *f, struct sl_buf *out, uint64_t *rows)
{
    sqlite3_stmt *s = of_spec(f, sql_vega_data);
    int rc = s ? 0 : SL_ESTORE;

    sl_json_open(out, "data", '[');
    while (s && !rc && (rc = sl_store_step(f->st, s, f->err)) > 0) {
        const struct sl_plot_data *d = NULL;
        for (size_t i = 0; i < f->p->data.n; i++)
            if (!strcmp(f->p->data.v[i].name, sl_store_text(s, 1)))
                d = &f->p->data.v[i];
        rc = 0;
        if (d) {
            open_object(out, sl_store_text(s, 2));
            sl_json_member(out, "values");
            rc = add_rows(f, d, out, rows);
            sl_json_close(out, '}');
        } else {
            sl_json_raw(out, NULL, sl_store_text(s, 0));
        }
    }
    sqlite3_finalize(s);
    sl_json_close(out, ']');
    return rc;
}

/* ---- all of it ---- */

static int no_rows(const struct filling *f)
{
    if (f->q->sql)
        return sl_err(f->err, SL_ENOTFOUND, "--sql: the query has no rows that could be shown");
    return sl_err(f->err, SL_ENOTFOUND,
                  "the plot %s has no rows%s: %s%s; see what there is with: spanloom types --events -d %s", f->p->name,
                  f->q->run ? " in this run" : "", *f->p->needs ? "it needs " : f->st->path,
                  *f->p->needs ? f->p->needs : " holds nothing that it could show", f->st->path);
}

static bool is_empty(const struct filling *f, const char *table)
{
    char *sql = sqlite3_mprintf("SELECT 1 FROM temp.\"%w\" LIMIT 1", table);
    bool empty = !sl_store_int(f->st, sql, 0);

    sqlite3_free(sql);
    return empty;
}

static int make_tables(struct filling *f)
{
    bool reading = sl_store_int(f->st, "PRAGMA query_only", 0) != 0;
    int rc = sl_store_exec(f->st, "PRAGMA query_only = 0", f->err); /* temporary tables are not the store */

    sl_over_time_number(f->st->db);
    for (size_t i = 0; i < f->p->data.n && !rc; i++) {
        rc = make_table(f, &f->p->data.v[i]);
        f->made += !rc;
        if (!rc && !i && is_empty(f, f->p->data.v[0].name))
            rc = no_rows(f);
    }
    if (reading)
        sl_store_exec(f->st, "PRAGMA query_only = 1", NULL);
    return rc;
}

/* Another plot has tables of the same names. */
static void drop_tables(const struct filling *f)
{
    bool reading = sl_store_int(f->st, "PRAGMA query_only", 0) != 0;

    sl_store_exec(f->st, "PRAGMA query_only = 0", NULL);
    for (size_t i = 0; i < f->made; i++) {
        char *sql = sqlite3_mprintf("DROP TABLE IF EXISTS temp.\"%w\"", f->p->data.v[i].name);
        sl_store_exec(f->st, sql, NULL);
        sqlite3_free(sql);
    }
    if (reading)
        sl_store_exec(f->st, "PRAGMA query_only = 1", NULL);
}

int sl_plot_fill(struct sl_buf *out, const struct sl_plot *p, const struct sl_plot_question *q, uint64_t *rows,
                 struct sl_err *err)
{
    struct filling f = {.p = p, .q = q, .st = q->st, .err = err};
    struct title title = {{0}, {0}, {0}};
    int rc = make_tables(&f);

    *rows = 0;
    if (!rc)
        rc = make_title(&f, &title);
    if (!rc)
        rc = add_frame(&f, &title, out);
    if (!rc)
        rc = p->lite ? add_lite_data(&f, out, rows) : add_vega_data(&f, out, rows);
    if (!rc && !*rows)
        rc = no_rows(&f);
    sl_buf_addc(out, '}');
    drop_tables(&f);
    sl_buf_free(&title.text);
    sl_buf_free(&title.subtitle);
    sl_buf_free(&title.others);
    return rc;
}
