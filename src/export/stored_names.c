/* SPDX-License-Identifier: Apache-2.0 */
#include "export/stored_names.h"
#include "base/json.h"
#include "export_stored_names.sql.h"

#include <stdlib.h>

struct texts {
    struct sl_words *w;
    struct sl_idmap *id;
    SL_VEC(const char *) text;
};

static int add_text(void *of, sqlite3_stmt *row, struct sl_err *err)
{
    struct texts *t = of;
    const char *s = sl_store_text(row, 1);

    (void)err;
    *sl_vec_add(t->id) = sqlite3_column_int64(row, 0);
    *sl_vec_add(&t->text) = sl_arena_copy(&t->w->arena, s, strlen(s));
    return 0;
}

static int load_texts(struct sl_words *w, const char *sql, struct sl_idmap *id, const char ***to, struct sl_err *err)
{
    struct texts t = {.w = w, .id = id};
    int rc = sl_store_each(w->st, sql, add_text, &t, err, "");

    sl_idmap_finish(id);
    *to = t.text.v;
    return rc;
}

uint32_t sl_words_rank(const char *name)
{
    static const char *const called[] = {"name", "app", "task_func_name", "category", "JobName"};

    for (uint32_t i = 0; i < sizeof called / sizeof *called; i++)
        if (!strcmp(called[i], name))
            return i + 1;
    return 0;
}

static int add_field(void *of, sqlite3_stmt *row, struct sl_err *err)
{
    struct sl_words *w = of;
    int64_t id = sqlite3_column_int64(row, 0);
    const char *name = sl_store_text(row, 2);

    (void)err;
    if (!w->shapes.n || w->shapes.v[w->shapes.n - 1] != id) {
        *sl_vec_add(&w->shapes) = id;
        w->field_start = sl_realloc(w->field_start, (w->shapes.n + 1) * sizeof *w->field_start);
        w->field_start[w->shapes.n - 1] = (uint32_t)w->field.n;
    }
    *sl_vec_add(&w->field) = (struct sl_shape_field){sl_arena_copy(&w->arena, name, strlen(name)),
                                                     sqlite3_column_int64(row, 1), sl_words_rank(name)};
    w->field_start[w->shapes.n] = (uint32_t)w->field.n;
    return 0;
}

int sl_words_load(struct sl_words *w, struct sl_store *st, struct sl_err *err)
{
    int rc;

    *w = (struct sl_words){.st = st};
    rc = load_texts(w, sql_all_names, &w->names, &w->name, err);
    if (!rc)
        rc = load_texts(w, sql_components, &w->sources, &w->component, err);
    if (!rc)
        rc = sl_store_each(st, sql_shapes, add_field, w, err, "");
    sl_idmap_finish(&w->shapes);
    if (!rc && !(w->extract = sl_store_prepare(st, sql_extract, err)))
        rc = SL_ESTORE;
    return rc;
}

void sl_words_free(struct sl_words *w)
{
    sl_idmap_free(&w->names);
    sl_idmap_free(&w->sources);
    sl_idmap_free(&w->shapes);
    free(w->name);
    free(w->component);
    free(w->field_start);
    sl_vec_free(&w->field);
    sl_arena_free(&w->arena);
    sqlite3_finalize(w->extract);
}

const char *sl_words_name(const struct sl_words *w, int64_t id)
{
    uint32_t i = sl_idmap_find(&w->names, id);

    return i == SL_NO_INDEX ? "" : w->name[i];
}

const char *sl_words_component(const struct sl_words *w, int64_t source)
{
    uint32_t i = sl_idmap_find(&w->sources, source);

    return i == SL_NO_INDEX || !*w->component[i] ? "spanloom" : w->component[i];
}

bool sl_words_call(const struct sl_words *w, int64_t shape)
{
    uint32_t i = sl_idmap_find(&w->shapes, shape);

    for (uint32_t f = i == SL_NO_INDEX ? 0 : w->field_start[i]; i != SL_NO_INDEX && f < w->field_start[i + 1]; f++)
        if (w->field.v[f].rank)
            return true;
    return false;
}

/* What is plain: a number, a text, true, false.  False: SQLite says what it is. */
static bool plain(const struct sl_json_text *t, struct sl_arena *arena, struct sl_exported_value *v)
{
    switch (t->kind) {
    case '"':
        for (uint32_t i = 0; t->escaped && i + 5 < t->n;
             i++) /* where NUL and half a pair end up is for SQLite to say */
            if (t->s[i] == '\\' && t->s[++i] == 'u' && (t->s[i + 1] == '0' || t->s[i + 1] == 'd' || t->s[i + 1] == 'D'))
                return false;
        v->type = SQLITE_TEXT;
        v->s = sl_json_unescape(t, arena, &v->n);
        return true;
    case 't':
        v->type = SQLITE_INTEGER;
        v->i = *t->s == 't';
        v->d = (double)v->i;
        return true;
    case '0': {
        bool minus = *t->s == '-';
        uint32_t i = minus;
        if (t->n - minus > 18)
            return false;
        for (; i < t->n && t->s[i] >= '0' && t->s[i] <= '9'; i++)
            v->i = 10 * v->i + (t->s[i] - '0');
        if (i < t->n) {
            v->type = SQLITE_FLOAT;
            v->d = strtod(t->s, NULL); /* a list goes on behind it */
            v->i = 0;
            return true;
        }
        v->i = minus ? -v->i : v->i;
        v->type = SQLITE_INTEGER;
        v->d = (double)v->i;
        return true;
    }
    default: return false;
    }
}

static int ask(struct sl_words *w, const char *list, size_t n, int64_t pos, struct sl_arena *arena,
               struct sl_exported_value *v, struct sl_err *err)
{
    int rc;

    sqlite3_bind_text(w->extract, 1, list, (int)n, SQLITE_STATIC);
    sqlite3_bind_int64(w->extract, 2, pos);
    rc = sl_store_step(w->st, w->extract, err);
    v->type = SQLITE_NULL;
    if (rc == 1 && (v->type = sqlite3_column_type(w->extract, 0)) == SQLITE_TEXT) {
        const char *s = sl_store_text(w->extract, 0);
        v->n = (size_t)sqlite3_column_bytes(w->extract, 0);
        v->s = sl_arena_copy(arena, s, v->n);
    } else if (rc == 1) {
        v->i = sqlite3_column_int64(w->extract, 0);
        v->d = sqlite3_column_double(w->extract, 0);
    }
    sqlite3_reset(w->extract);
    sqlite3_clear_bindings(w->extract);
    return rc < 0 ? rc : 0;
}

int sl_words_values(struct sl_words *w, int64_t shape, const char *list, size_t n, bool only_ranked,
                    struct sl_arena *arena, sl_exported_values *to, struct sl_err *err)
{
    uint32_t i = sl_idmap_find(&w->shapes, shape);
    struct sl_json c = {.at = list + 1, .end = list + n, .strict = true};
    bool clear = n && *list == '[';
    int64_t at = 0;
    int rc = 0;

    for (uint32_t f = i == SL_NO_INDEX ? 0 : w->field_start[i]; !rc && i != SL_NO_INDEX && f < w->field_start[i + 1];
         f++) {
        const struct sl_shape_field *field = &w->field.v[f];
        struct sl_exported_value v = {.name = field->name};
        struct sl_json_text t = {0};
        for (; clear && at <= field->pos; at++) {
            t = (struct sl_json_text){0};
            sl_json_blank(&c);
            if (sl_json_next(&c, ']', !at) || sl_json_value(&c, &t, 1))
                clear = false;
        }
        if (only_ranked && !field->rank)
            continue;
        if (clear && t.kind == 'n')
            continue;
        if (!clear || !plain(&t, arena, &v))
            rc = ask(w, list, n, field->pos, arena, &v, err);
        if (!rc && v.type != SQLITE_NULL)
            *sl_vec_add(to) = v;
    }
    return rc;
}
