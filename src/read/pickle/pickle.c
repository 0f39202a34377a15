/* SPDX-License-Identifier: Apache-2.0 */
/* Pickles of plain data: the lists of a dict are tables, their tuples, lists or dicts are rows.  See decode.h. */
#include "base/mem.h"
#include "read/pickle/pickle_decode.h"
#include "read/text/text.h"

#include <stdio.h>
#include <stdlib.h>

enum { FILE_MAX = 1 << 30 }; /* it must be in memory as a whole */

struct state {
    struct sl_parse *p;
    const struct sl_pickle *k;
    int64_t budget; /* items looked at and bytes written: rows may share what is large */
};

static void set(struct state *s, int slot, const char *name, size_t n, uint32_t o, bool *ok)
{
    struct sl_parse *p = s->p;
    struct sl_buf b = {0};
    struct sl_value v;

    if (slot < 0 && !p->recipe->wants_all)
        return;
    if (s->budget < 0 || !sl_pickle_value(s->k, o, &b, &v))
        *ok = false;
    else if (b.n)
        v.s = sl_arena_copy(&p->scratch, v.s, v.n);
    s->budget -= (int64_t)b.n + 1;
    if (*ok)
        sl_parse_set(p, slot, slot < 0 ? sl_arena_copy(&p->scratch, name, n) : NULL, n, v);
    sl_buf_free(&b);
}

/* The column of a name: an index into a tuple, a key of a dict. */
static bool column(const struct sl_pickle *k, uint32_t row, const char *name, uint32_t *o)
{
    char *end;
    unsigned long i;

    if (sl_pickle_kind(k, row) == SL_PY_DICT)
        return sl_pickle_get(k, row, name, strlen(name), o);
    i = strtoul(name, &end, 10);
    if (*end || end == name || i >= sl_pickle_len(k, row))
        return false;
    *o = sl_pickle_item(k, row, i);
    return true;
}

/* All that the row names by itself. */
static bool own_names(struct state *s, uint32_t row)
{
    const struct sl_pickle *k = s->k;
    bool dict = sl_pickle_kind(k, row) == SL_PY_DICT, ok = true;

    for (size_t i = 0; i + dict < sl_pickle_len(k, row) && ok; i += 1 + dict) {
        char index[24];
        const char *name = index;
        size_t n = dict ? 0 : (size_t)snprintf(index, sizeof index, "%zu", i);
        ok = --s->budget >= 0;
        if (dict) {
            uint32_t key = sl_pickle_item(k, row, i);
            if (sl_pickle_kind(k, key) != SL_PY_TEXT)
                continue;
            name = sl_pickle_text(k, key);
            n = sl_pickle_len(k, key);
        }
        set(s, sl_parse_slot(s->p, name, n), name, n, sl_pickle_item(k, row, i + dict), &ok);
    }
    return ok;
}

static void one_row(struct state *s, uint32_t row, const struct sl_input_table *t, int64_t place)
{
    enum sl_py_kind kind = sl_pickle_kind(s->k, row);
    bool ok;
    uint32_t o;

    if (kind != SL_PY_DICT && kind != SL_PY_TUPLE && kind != SL_PY_LIST) {
        sl_parse_reject(s->p, place, "the row is no tuple, list or dict", "", 0);
        return;
    }
    sl_parse_begin(s->p, place);
    ok = own_names(s, row);
    for (int i = 0; t && i < t->nrename && ok; i++) {
        if (kind == SL_PY_DICT)
            s->budget -= (int64_t)sl_pickle_len(s->k, row);
        if (column(s->k, row, t->rename[i].column, &o))
            set(s, t->rename[i].field, NULL, 0, o, &ok);
    }
    if (ok) {
        sl_parse_end(s->p);
        return;
    }
    sl_parse_reject(s->p, place,
                    s->budget < 0 ? "the rows hold far more than the file, by holding the same things again and again"
                                  : "a value is nested too deeply, or into itself, or is too long",
                    "", 0);
    sl_arena_reset(&s->p->scratch);
}

static void rows(struct state *s, uint32_t list, const struct sl_input_table *t)
{
    for (size_t i = 0; i < sl_pickle_len(s->k, list) && !sl_parse_stopped(s->p); i++)
        one_row(s, sl_pickle_item(s->k, list, i), t, (int64_t)i + 1);
}

static bool is_list(const struct sl_pickle *k, uint32_t o)
{
    return sl_pickle_kind(k, o) == SL_PY_LIST || sl_pickle_kind(k, o) == SL_PY_TUPLE;
}

static int tables(struct state *s, const char *path, struct sl_err *err)
{
    struct sl_parse *p = s->p;
    const struct sl_pickle *k = s->k;
    uint32_t top = sl_pickle_top(k), list;

    if (!p->input->ntable) {
        if (is_list(k, top))
            rows(s, top, NULL);
        else
            one_row(s, top, NULL, 1);
        return 0;
    }
    if (sl_pickle_kind(k, top) != SL_PY_DICT)
        return sl_err(err, SL_EFORMAT, "%s: the pickle holds no dict of tables; another program may have written it",
                      path);
    for (int i = 0; i < p->input->ntable && !sl_parse_stopped(p); i++) {
        const struct sl_input_table *t = &p->input->table[i];
        if (!sl_pickle_get(k, top, t->name, strlen(t->name), &list))
            continue;
        if (!is_list(k, list))
            return sl_err(err, SL_EFORMAT, "%s: %s is no list; another program may have written it", path, t->name);
        if (sl_parse_part(p, t->name))
            rows(s, list, t);
    }
    return 0;
}

static int run(struct sl_parse *p, const char *path, struct sl_err *err)
{
    struct sl_pickle *k = NULL;
    struct sl_text t;
    struct sl_err own = {0};
    int rc = sl_text_open(&t, p, path, err);

    if (rc)
        return rc;
    while ((rc = sl_text_more(&t, err)) > 0 && t.end <= FILE_MAX && !(p->cancel && atomic_load(p->cancel)))
        ;
    p->stop = false; /* what is shared may stand at the end of a large file */
    if (rc > 0 && t.end > FILE_MAX)
        rc = sl_err(err, SL_EFORMAT, "%s: larger than %d bytes, which is the most that is read of a pickle", path,
                    FILE_MAX);
    else if (rc == 0 && !t.end)
        rc = sl_err(err, SL_EFORMAT, "%s: empty; no pickle was written here", path);
    else if (rc == 0) {
        k = sl_pickle_load((const unsigned char *)t.buf, t.end, path, &own);
        rc = k ? tables(&(struct state){p, k, 64 * (int64_t)t.end + (1 << 24)}, path, &own) : SL_EFORMAT;
        if (rc && err)
            *err = own;
    }
    if (k)
        sl_pickle_free(k);
    return sl_text_close(&t, rc, err);
}

const struct sl_reader sl_reader_pickle = {
    .name = "pickle",
    .keys = " text tables empty defaults ",
    .run = run,
    .tables = true,
};
