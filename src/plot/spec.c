/* SPDX-License-Identifier: Apache-2.0 */
/* Reading specifications.  SQLite's JSON functions take them apart: they are small, and read once. */
#include "base/embed.h"
#include "base/files/user_folder.h"
#include "base/json.h"
#include "plot/plot.h"
#include "plot_spec.sql.h"

#include <errno.h>
#include <stdlib.h>

const char *const sl_plot_kinds[SL_PLOT_KINDS] = {"type",     "worker type", "event", "span",
                                                  "workflow", "run",         "text",  "number"};

/* A question about specifications: the connection needs no store. */
struct reader {
    struct sl_plot *p;
    sqlite3 *db;
    const char *text;
    struct sl_err *err;
    bool by_sql;
};

static const char *keep(struct sl_plot *p, sqlite3_stmt *q, int column)
{
    const char *s = sl_store_text(q, column);
    return sl_arena_copy(&p->arena, s, strlen(s));
}

static sqlite3_stmt *ask(struct reader *r, const char *sql)
{
    sqlite3_stmt *q = NULL;

    if (sqlite3_prepare_v2(r->db, sql, -1, &q, NULL) != SQLITE_OK) {
        sl_err(r->err, SL_ESTORE, "%s: %s", r->p->path, sl_sqlite_words(r->db));
        return NULL;
    }
    sqlite3_bind_text(q, 1, r->text, -1, SQLITE_STATIC);
    return q;
}

/* 1: a row; 0: no more; negative: failed. */
static int step(struct reader *r, sqlite3_stmt *q)
{
    int rc = sqlite3_step(q);

    if (rc == SQLITE_ROW || rc == SQLITE_DONE)
        return rc == SQLITE_ROW;
    return sl_err(r->err, SL_EFORMAT, "%s: %s", r->p->path, sl_sqlite_words(r->db));
}

/* ---- JSON ---- */

static int line_of(const char *text, const char *at)
{
    int line = 1;

    for (; text < at; text++)
        line += *text == '\n';
    return line;
}

static int check_json(const char *path, const char *text, size_t n, struct sl_err *err)
{
    struct sl_json c = {text, text + n, 0, true};
    struct sl_json_text all;
    enum sl_json_status rc;
    size_t valid = sl_utf8_valid(text, n);

    if (valid < n)
        return sl_err(err, SL_EFORMAT, "%s:%d: a byte that is no UTF-8; a plot is a file of JSON", path,
                      line_of(text, text + valid));
    sl_json_blank(&c);
    rc = sl_json_value(&c, &all, 0);
    if (!rc) {
        sl_json_blank(&c);
        if (c.at == c.end && all.kind == '{')
            return 0;
        rc = c.at == c.end ? SL_JSON_END : SL_JSON_BAD;
    }
    if (rc == SL_JSON_END)
        return sl_err(err, SL_EFORMAT, "%s: a plot is a JSON object, a specification of Vega-Lite or Vega", path);
    if (rc == SL_JSON_MORE)
        return sl_err(err, SL_EFORMAT, "%s:%d: the JSON is cut off: a bracket or a quote is open at its end", path,
                      line_of(text, c.end));
    return sl_err(err, SL_EFORMAT, "%s:%d: no JSON from here on: %.*s", path, line_of(text, c.at),
                  (int)strcspn(c.at, "\n") > 40 ? 40 : (int)strcspn(c.at, "\n"), c.at);
}

/* ---- usermeta.spanloom ---- */

static struct sl_plot_data *find_data(struct sl_plot *p, const char *name)
{
    for (size_t i = 0; i < p->data.n; i++)
        if (!strcmp(p->data.v[i].name, name))
            return &p->data.v[i];
    return NULL;
}

static int read_about(struct reader *r)
{
    sqlite3_stmt *q = ask(r, sql_about);
    int rc = q ? step(r, q) : SL_ESTORE;

    if (rc > 0) {
        const char *schema = sl_store_text(q, 0);
        r->p->lite = strstr(schema, "/vega-lite/") != NULL;
        r->p->answers = keep(r->p, q, 1);
        r->p->title = sqlite3_column_type(q, 2) == SQLITE_NULL ? NULL : keep(r->p, q, 2);
        r->p->result = sqlite3_column_type(q, 3) == SQLITE_NULL ? NULL : keep(r->p, q, 3);
        r->p->needs = keep(r->p, q, 4);
        rc = r->p->lite || strstr(schema, "/vega/")
                 ? 0
                 : sl_err(
                       r->err, SL_EFORMAT,
                       "%s: nothing says what it is: Vega-Lite has a \"mark\", \"layer\", \"facet\", \"repeat\" or "
                       "\"concat\", Vega has \"marks\"; or \"$schema\" is "
                       "https://vega.github.io/schema/vega-lite/v6.json or https://vega.github.io/schema/vega/v6.json",
                       r->p->path);
    }
    sqlite3_finalize(q);
    return rc;
}

static int find_mistake(struct reader *r)
{
    sqlite3_stmt *q = ask(r, sql_mistake);
    struct sl_buf kinds = {0};
    int rc = q ? 0 : SL_ESTORE;

    for (int i = 0; i < SL_PLOT_KINDS; i++)
        sl_buf_addf(&kinds, "%s\"%s\"", i ? "," : "[", sl_plot_kinds[i]);
    sl_buf_addc(&kinds, ']');
    if (!rc) {
        sqlite3_bind_text(q, 2, kinds.s, -1, SQLITE_STATIC);
        sqlite3_bind_int(q, 3, r->by_sql);
        if ((rc = step(r, q)) > 0)
            rc = sl_err(r->err, SL_EFORMAT, "%s: %s", r->p->path, sl_store_text(q, 0));
    }
    sqlite3_finalize(q);
    sl_buf_free(&kinds);
    return rc;
}

static int read_arguments(struct reader *r)
{
    sqlite3_stmt *q = ask(r, sql_arguments);
    int rc = q ? 0 : SL_ESTORE;

    while (q && (rc = step(r, q)) > 0) {
        struct sl_plot_argument *a = sl_vec_add(&r->p->argument);
        a->name = keep(r->p, q, 0);
        while (strcmp(sl_plot_kinds[a->kind], sl_store_text(q, 1)) != 0)
            a->kind++;
        a->about = keep(r->p, q, 2);
        a->optional = sqlite3_column_int(q, 3);
    }
    sqlite3_finalize(q);
    return rc;
}

static int read_data(struct reader *r)
{
    sqlite3_stmt *q = ask(r, sql_data);
    int rc = q ? 0 : SL_ESTORE;

    while (q && (rc = step(r, q)) > 0) {
        struct sl_plot_data *d = sl_vec_add(&r->p->data);
        d->name = keep(r->p, q, 0);
        d->sql = keep(r->p, q, 1);
        d->input = sqlite3_column_int(q, 2);
    }
    sqlite3_finalize(q);
    q = rc ? NULL : ask(r, sql_columns);
    while (q && (rc = step(r, q)) > 0) {
        struct sl_plot_column *c = sl_vec_add(&find_data(r->p, sl_store_text(q, 0))->column);
        c->name = keep(r->p, q, 1);
        c->type = keep(r->p, q, 2);
        c->unit = keep(r->p, q, 3);
        c->about = keep(r->p, q, 4);
        c->optional = sqlite3_column_int(q, 5);
    }
    sqlite3_finalize(q);
    return rc;
}

/* What the picture names is made, and what is made is named. */
static int check_used(struct reader *r)
{
    sqlite3_stmt *q = ask(r, sql_used);
    SL_VEC(char) named = {0};
    int rc = q ? 0 : SL_ESTORE;

    for (size_t i = 0; i < r->p->data.n; i++)
        *sl_vec_add(&named) = 0;
    if (q)
        sqlite3_bind_int(q, 2, r->p->lite);
    while (q && (rc = step(r, q)) > 0) {
        struct sl_plot_data *d = find_data(r->p, sl_store_text(q, 0));
        if (!d || d->input) {
            rc = sl_err(r->err, SL_EFORMAT,
                        d ? "%s: the picture names the data set '%.80s', which is only an input: take \"input\" away"
                          : "%s: the picture names the data set '%.80s', and usermeta.spanloom.data has none of that "
                            "name: give its SQL there",
                        r->p->path, sl_store_text(q, 0));
            break;
        }
        named.v[d - r->p->data.v] = 1;
    }
    sqlite3_finalize(q);
    for (size_t i = 0; i < r->p->data.n && !rc; i++)
        if (!named.v[i] && !r->p->data.v[i].input)
            rc = sl_err(r->err, SL_EFORMAT,
                        "%s: the picture does not name the data set %s; take it away, or say \"input\": true where "
                        "only other SQL reads it",
                        r->p->path, r->p->data.v[i].name);
    sl_vec_free(&named);
    return rc;
}

/* A specification that says nothing to us: the user's query is its one data set. */
static int only_data(struct reader *r)
{
    sqlite3_stmt *q = ask(r, r->p->lite ? "SELECT json_extract(\?1, '$.data.name')" : sql_vega_name);
    struct sl_plot_data *d;
    int rc = q ? step(r, q) : SL_ESTORE;

    if (rc >= 0) {
        d = sl_vec_add(&r->p->data);
        d->name = rc && sqlite3_column_type(q, 0) == SQLITE_TEXT ? keep(r->p, q, 0) : "rows";
        d->sql = "";
        rc = rc || r->p->lite
                 ? 0
                 : sl_err(r->err, SL_EFORMAT,
                          "%s: \"data\" has no data set for the rows of --sql: add {\"name\": \"rows\"}", r->p->path);
    }
    sqlite3_finalize(q);
    return rc;
}

static int read_spec(struct reader *r)
{
    int rc = find_mistake(r);

    if (!rc)
        rc = read_about(r);
    if (!rc)
        rc = read_arguments(r);
    if (!rc)
        rc = read_data(r);
    if (!rc && !r->p->data.n && r->by_sql)
        return only_data(r);
    if (!rc && !r->p->data.n)
        return sl_err(r->err, SL_EFORMAT,
                      "%s: usermeta.spanloom.data is missing: which SQL gives the rows? Or plot rows of a query: "
                      "spanloom plot --sql QUERY --spec FILE",
                      r->p->path);
    return rc ? rc : check_used(r);
}

int sl_plot_parse(struct sl_plot **out, const char *path, const char *text, size_t n, bool by_sql, struct sl_err *err)
{
    struct sl_plot *p = sl_alloc(sizeof *p);
    struct reader r = {.p = p, .err = err, .by_sql = by_sql};
    const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    int rc;

    p->path = sl_arena_copy(&p->arena, path, strlen(path));
    p->name = sl_arena_copy(&p->arena, base, strcspn(base, "."));
    p->spec = r.text = sl_arena_copy(&p->arena, text, n); /* a NUL ends it */
    rc = check_json(path, p->spec, n, err);
    if (!rc && sqlite3_open(":memory:", &r.db) != SQLITE_OK)
        rc = sl_err(err, SL_ESTORE, "%s: %s", path, sl_sqlite_words(r.db));
    if (!rc)
        rc = read_spec(&r);
    sqlite3_close(r.db);
    if (rc)
        sl_plot_free(p);
    else
        *out = p;
    return rc;
}

void sl_plot_free(struct sl_plot *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->data.n; i++)
        sl_vec_free(&p->data.v[i].column);
    sl_vec_free(&p->data);
    sl_vec_free(&p->argument);
    sl_arena_free(&p->arena);
    free(p);
}

/* ---- files ---- */

int sl_plot_read(struct sl_plot **out, const char *path, bool by_sql, struct sl_err *err)
{
    enum { MOST = 16 << 20 };
    FILE *f = fopen(path, "re");
    struct sl_buf b = {0};
    char part[16384];
    size_t n;
    int rc = 0;

    if (!f)
        return sl_err(err, SL_EIO, "cannot read %s: %s", path, strerror(errno));
    while (b.n <= MOST && (n = fread(part, 1, sizeof part, f)))
        sl_buf_add(&b, part, n);
    if (ferror(f))
        rc = sl_err(err, SL_EIO, "cannot read %s: %s", path, strerror(errno));
    else if (b.n > MOST)
        rc = sl_err(err, SL_EFORMAT, "%s: a specification of more than 16 MiB; its data come from SQL", path);
    fclose(f);
    if (!rc)
        rc = sl_plot_parse(out, path, b.n ? b.s : "", b.n, by_sql, err);
    sl_buf_free(&b);
    return rc;
}

/* "NAME.json" of a plot: the length of NAME; 0: another file. */
static size_t plot_name(const char *file)
{
    size_t n = strlen(file);
    return n > 5 && *file != '.' && !strcmp(file + n - 5, ".json") && strcmp(file, "look.json") != 0 ? n - 5 : 0;
}

static const struct sl_embedded *find_ours(const char *name, size_t n)
{
    for (const struct sl_embedded *e = sl_embedded_plots; e->name; e++)
        if (plot_name(e->name) == n && !memcmp(e->name, name, n))
            return e;
    return NULL;
}

int sl_plot_find(struct sl_plot **out, const char *name, struct sl_err *err)
{
    const struct sl_embedded *e = find_ours(name, strlen(name));
    struct sl_buf path = {0};
    bool users = *name && *name != '.' && !strchr(name, '/');
    int rc;

    sl_user_folder(&path, "plots");
    users &= path.n > 0;
    sl_buf_addf(&path, "/%s.json", name);
    if (users && !sl_is_gone(path.s)) {
        rc = sl_plot_read(out, path.s, false, err);
    } else if (e) {
        sl_buf_clear(&path);
        sl_buf_addf(&path, "plots/%s", e->name);
        rc = sl_plot_parse(out, path.s, e->data, e->size, false, err);
        if (!rc)
            (*out)->ours = true;
    } else {
        rc = sl_err(err, SL_ENOTFOUND, "there is no plot called '%s'; see: spanloom plot --list", name);
    }
    sl_buf_free(&path);
    return rc;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct sl_plot_name *)a)->name, ((const struct sl_plot_name *)b)->name);
}

int sl_plot_list(sl_plot_names *names, struct sl_err *err)
{
    struct sl_buf folder = {0};
    struct sl_folder_names in = {0};
    int rc = sl_user_folder_read(&in, &folder, "plots", err);
    size_t n;

    for (size_t i = 0; i < in.name.n; i++)
        if ((n = plot_name(in.name.v[i]))) {
            struct sl_buf path = {0};
            sl_buf_addf(&path, "%s/%s", folder.s, in.name.v[i]);
            *sl_vec_add(names) =
                (struct sl_plot_name){sl_strndup(in.name.v[i], n), path.s, find_ours(in.name.v[i], n) != NULL};
        }
    sl_folder_free(&in);
    sl_buf_free(&folder);
    for (const struct sl_embedded *o = sl_embedded_plots; o->name; o++) {
        bool shadowed = false;
        if (!(n = plot_name(o->name)))
            continue;
        for (size_t i = 0; i < names->n; i++)
            shadowed |= strlen(names->v[i].name) == n && !memcmp(names->v[i].name, o->name, n);
        if (!shadowed)
            *sl_vec_add(names) = (struct sl_plot_name){.name = sl_strndup(o->name, n)};
    }
    if (names->n)
        qsort(names->v, names->n, sizeof *names->v, by_name);
    return rc;
}

void sl_plot_list_free(sl_plot_names *names)
{
    for (size_t i = 0; i < names->n; i++) {
        free(names->v[i].name);
        free(names->v[i].path);
    }
    sl_vec_free(names);
}
