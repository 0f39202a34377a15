/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/check.h"
#include "base/files/temporary.h"
#include "engine/apply.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct check {
    struct sl_recipes *set;
    int32_t zone_s;
    struct sl_buf *out;
    struct sl_set *seen;
    /* of a log */
    void (*line)(void *to, int64_t place, const char *text, size_t n, const char *came_to, int rule_line);
    void *to;
    struct sl_buf text;
};

static const char *name(struct check *c, uint32_t id)
{
    const char *s;

    pthread_mutex_lock(&c->set->lock);
    s = sl_intern_text(&c->set->names, id);
    pthread_mutex_unlock(&c->set->lock);
    return s;
}

static void put_span(struct check *c, struct sl_buf *b, const struct sl_batch *t, uint32_t i)
{
    const struct sl_batch_span *s = &t->spans.v[i];

    sl_buf_addf(b, "%s ", name(c, s->type));
    if (s->key.n == SL_KEY_INT)
        sl_buf_addf(b, "%lld", (long long)s->key.i);
    else
        sl_buf_add_utf8(b, s->key.s, s->key.n);
}

/* Seconds with as many digits as needed. */
static void put_time(struct check *c, struct sl_buf *b, int64_t ns, bool naive)
{
    int64_t t = naive ? ns - c->zone_s * (int64_t)1000000000 : ns;
    size_t n;

    sl_buf_addf(b, "%s%lld.%09lld", t < 0 ? "-" : "", (long long)(t < 0 ? -t : t) / 1000000000,
                (long long)(t < 0 ? -t : t) % 1000000000);
    for (n = b->n; b->s[n - 1] == '0' && b->s[n - 2] != '.'; n--)
        ;
    b->s[n] = 0;
    b->n = n;
}

static void put_values(struct check *c, struct sl_buf *b, const struct sl_batch *t, const struct sl_batch_values *v,
                       bool sample)
{
    sqlite3 *db;
    sqlite3_stmt *q;
    const char *shape, *end;
    size_t n;

    /* SQLite reads JSON; a parser for a test is not worth having */
    if (sqlite3_open(":memory:", &db) != SQLITE_OK ||
        sqlite3_prepare_v2(db, "SELECT value FROM json_each(?)", -1, &q, NULL) != SQLITE_OK)
        abort();
    pthread_mutex_lock(&c->set->lock);
    shape = sl_intern_text(&c->set->shapes, v->shape);
    n = sl_intern_len(&c->set->shapes, v->shape);
    pthread_mutex_unlock(&c->set->lock);
    sqlite3_bind_text(q, 1, v->json, (int)v->n, SQLITE_STATIC);
    for (end = shape + n; shape < end && sqlite3_step(q) == SQLITE_ROW; shape += strlen(shape) + 1) {
        if (sqlite3_column_type(q, 0) == SQLITE_NULL)
            continue;
        put_span(c, b, t, v->span);
        sl_buf_addf(b, " %s = %s", shape, sl_store_text(q, 0));
        if (sample) {
            sl_buf_adds(b, " at ");
            put_time(c, b, v->time_ns, v->naive);
        }
        sl_buf_addc(b, '\n');
    }
    sqlite3_finalize(q);
    sqlite3_close(db);
}

/* Everything in the batch from these positions on. */
static void put_batch(struct check *c, struct sl_buf *b, const struct sl_batch *t, const struct sl_outcome *from)
{
    static const char *const kinds[] = {"", "in", "facet", "after", "flow"};
    struct sl_outcome zero = {0};

    from = from ? from : &zero;
    for (size_t i = from->event0; i < t->events.n; i++) {
        put_span(c, b, t, t->events.v[i].span);
        sl_buf_addf(b, " %s ", name(c, t->events.v[i].type));
        put_time(c, b, t->events.v[i].time_ns, t->events.v[i].naive);
        sl_buf_addc(b, '\n');
    }
    for (size_t i = from->span0; i < t->spans.n; i++)
        if (t->spans.v[i].strong && t->spans.v[i].parent >= 0) {
            put_span(c, b, t, (uint32_t)i);
            sl_buf_adds(b, " in ");
            put_span(c, b, t, (uint32_t)t->spans.v[i].parent);
            sl_buf_addc(b, '\n');
        }
    for (size_t i = from->link0; i < t->links.n; i++) {
        const struct sl_batch_link *l = &t->links.v[i];
        put_span(c, b, t, l->kind == SL_IN ? l->right : l->left);
        sl_buf_addf(b, " %s ", kinds[l->kind]);
        put_span(c, b, t, l->kind == SL_IN ? l->left : l->right);
        sl_buf_addc(b, '\n');
    }
    for (size_t i = from->attr0; i < t->attrs.n; i++)
        put_values(c, b, t, &t->attrs.v[i], false);
    for (size_t i = from->sample0; i < t->samples.n; i++)
        put_values(c, b, t, &t->samples.v[i], true);
    for (size_t i = from->zone0; i < t->zones.n; i++) {
        int32_t o = t->zones.v[i].offset_s, a = o < 0 ? -o : o;
        sl_buf_addf(b, "zone %c%02d:%02d\n", o < 0 ? '-' : '+', a / 3600, a / 60 % 60);
    }
    for (size_t i = from->share0; i < t->shares.n; i++)
        sl_buf_addf(b, "share %s %s %s\n", t->shares.v[i].field, t->shares.v[i].scope, t->shares.v[i].value);
    for (size_t i = from->wrote0; i < t->wrotes.n; i++) {
        const struct sl_batch_wrote *w = &t->wrotes.v[i];
        if (w->of_type)
            sl_buf_addf(b, "a %s of ", name(c, w->of_type));
        put_span(c, b, t, w->span);
        sl_buf_addf(b, " wrote %s\n", w->path);
    }
    for (size_t i = from->raw0; i < t->raws.n; i++)
        sl_buf_addf(b, "raw %s\n", t->raws.v[i].json);
    for (size_t i = from->reject0; i < t->rejects.n; i++)
        sl_buf_addf(b, "reject %lld %s\n", (long long)t->rejects.v[i].place, t->rejects.v[i].reason);
}

static void take(void *to, struct sl_batch *t)
{
    struct check *c = to;

    if (c->out)
        put_batch(c, c->out, t, NULL);
    sl_batch_free(t);
}

static void saw(void *to, const void *what)
{
    struct check *c = to;

    sl_set_add(c->seen, (uint64_t)(uintptr_t)what);
}

static void watch(void *to, struct sl_parse *p, const struct sl_outcome *o)
{
    struct check *c = to;

    sl_buf_clear(&c->text);
    put_batch(c, &c->text, p->batch, o);
    if (o->skipped && o->rule && !c->text.n)
        sl_buf_adds(&c->text, "(skipped by the rule)\n");
    c->line(c->to, o->place, o->text, o->n, c->text.s ? c->text.s : "", o->rule ? o->rule->line : 0);
}

static void run_rows(struct sl_parse *p, const struct sl_yaml *rows)
{
    for (size_t i = 0; i < rows->n; i++) {
        const struct sl_yaml *row = rows->item[i], *table = sl_yaml_get(row, "table");
        if (row->kind != SL_YAML_MAP || (table && (table->kind != SL_YAML_SCALAR || !sl_parse_part(p, table->text))))
            continue;
        sl_parse_begin(p, (int64_t)i + 1);
        for (size_t k = 0; k < row->n; k++) {
            const struct sl_yaml *v = row->item[k];
            struct sl_value x = {.kind = v->kind == SL_YAML_SCALAR && (v->n || v->quoted) ? SL_TEXT : SL_NONE,
                                 .s = v->text,
                                 .n = (uint32_t)v->n};
            const char *column = row->key[k]->text;
            sl_parse_set(p, sl_parse_slot(p, column, strlen(column)), column, strlen(column), x);
            for (int t = 0; table && t < p->input->ntable; t++)
                for (int n = 0; !strcmp(p->input->table[t].name, table->text) && n < p->input->table[t].nrename; n++)
                    if (!strcmp(p->input->table[t].rename[n].column, column))
                        sl_parse_set(p, p->input->table[t].rename[n].field, column, strlen(column), x);
        }
        sl_parse_end(p);
    }
}

static int run_lines(struct sl_parse *p, const char *text, struct sl_err *err)
{
    char path[32];
    int fd = sl_temporary_file(err), rc;

    if (fd < 0)
        return fd;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (write(fd, text, strlen(text)) != (ssize_t)strlen(text))
        rc = sl_err(err, SL_EIO, "cannot write a temporary file: %s", strerror(errno));
    else
        rc = p->input->reader->run(p, path, err);
    close(fd);
    return rc;
}

static bool has_line(const struct sl_buf *b, const char *line)
{
    size_t n = strlen(line);

    for (const char *s = b->s; n && s && (s = strstr(s, line)); s += n)
        if ((s == b->s || s[-1] == '\n') && s[n] == '\n')
            return true;
    return false;
}

static int run_sample(struct check *c, const struct sl_recipe *r, const struct sl_sample_test *s,
                      enum sl_parse_mode mode, struct sl_err *err)
{
    const struct sl_pattern *files = NULL;
    struct sl_parse p = {.recipe = r, .set = c->set, .mode = mode, .emit = take, .saw = saw, .to = c};
    int rc = 0;

    p.input = sl_recipe_input(r, s->file, &files);
    if (!p.input)
        return sl_err(err, SL_EFORMAT, "%s:%d: the sample's file %s is taken by none of the recipe's files: patterns",
                      r->path, s->line, s->file);
    if (!sl_parse_start(&p, files, s->file, NULL))
        rc = sl_err(err, SL_EFORMAT, "%s:%d: %s", r->path, s->line, p.reason);
    else if (s->rows)
        run_rows(&p, s->rows);
    else
        rc = run_lines(&p, s->text, err);
    sl_parse_finish(&p);
    return rc;
}

int sl_check_sample(struct sl_recipes *set, const struct sl_recipe *r, int i, struct sl_buf *out,
                    struct sl_buf *missing, struct sl_cover *cover, struct sl_err *err)
{
    const struct sl_sample_test *s = &r->sample[i];
    struct check c = {.set = set, .out = out, .seen = &cover->records}, naming = {.set = set, .seen = &cover->naming};
    int rc, n = 0, h = 0, m = 0;

    if (s->zone && *s->zone && sscanf(s->zone + 1, "%2d:%2d", &h, &m) >= 1)
        c.zone_s = (s->zone[0] == '-' ? -1 : 1) * (h * 3600 + m * 60);
    rc = run_sample(&c, r, s, SL_PARSE_IMPORT, err);
    if (!rc && r->nnaming)
        rc = run_sample(&naming, r, s, SL_PARSE_NAMING, err);
    for (int k = 0; k < s->ngives && !rc; k++)
        if (!has_line(out, s->gives[k])) {
            sl_buf_addf(missing, "%s\n", s->gives[k]);
            n++;
        }
    return rc ? rc : n;
}

int sl_check_log(struct sl_recipes *set, const struct sl_recipe *r, const char *path, bool *by_path,
                 void (*line)(void *to, int64_t place, const char *text, size_t n, const char *came_to, int rule_line),
                 void *to, struct sl_err *err)
{
    struct check c = {.set = set, .line = line, .to = to};
    const struct sl_pattern *files = NULL;
    struct sl_parse p = {.recipe = r, .set = set, .emit = take, .watch = watch, .to = &c};
    int rc;

    p.input = sl_recipe_input(r, path, &files);
    *by_path = p.input != NULL;
    if (!p.input)
        p.input = &r->input[0];
    if (sl_parse_start(&p, files, path, NULL))
        rc = p.input->reader->run(&p, path, err);
    else
        rc = sl_err(err, SL_EFORMAT, "%s: %s", path, p.reason);
    sl_parse_finish(&p);
    sl_buf_free(&c.text);
    return rc;
}
