/* SPDX-License-Identifier: Apache-2.0 */
#include "experiment/answered.h"
#include "base/buf.h"

#include <stdlib.h>

struct sl_loaded {
    struct sl_runs runs;
    char *key; /* what was asked of them */
    size_t refs;
    struct sl_loaded *next;
};

static struct {
    sqlite3 *db; /* NULL: nothing is remembered */
    struct sl_answered *first;
    struct sl_loaded *runs;
} memory;

static void add_text(struct sl_buf *b, const char *s)
{
    sl_buf_addf(b, "|%zu:%s", s ? strlen(s) : 0, s ? s : "");
}

/* What the runs of a question depend on. */
static void add_runs_key(struct sl_buf *b, const struct sl_question *q)
{
    sl_buf_addf(b, "%d%d%d%d%d%d", q->rate, q->coarse, q->verbatim, q->failed, q->log, q->limit > 0);
    add_text(b, q->experiment);
    add_text(b, q->where);
    add_text(b, q->split);
}

static char *key_of(enum sl_answer_of which, const struct sl_asked *a)
{
    const struct sl_question *q = &a->q;
    const char *const texts[] = {q->groups, q->order, a->of, a->by};
    struct sl_buf b = {0};

    sl_buf_addf(&b, "%d %d%d%d%d %a %a %a ", (int)which, q->interactions, q->no_time, q->every_event, q->elastic_net,
                q->alpha, q->lambda, q->limit);
    add_runs_key(&b, q);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        add_text(&b, texts[i]);
    return b.s;
}

static void unload(struct sl_loaded *l)
{
    if (--l->refs)
        return;
    sl_runs_free(&l->runs);
    free(l->key);
    free(l);
}

/* On success *out is to be given back with unload(). */
static int load(struct sl_loaded **out, sqlite3 *db, const struct sl_question *q, bool remember, struct sl_err *err)
{
    struct sl_buf key = {0};
    struct sl_loaded *l;
    int rc;

    add_runs_key(&key, q);
    for (l = remember ? memory.runs : NULL; l && strcmp(l->key, key.s) != 0;)
        l = l->next;
    if (l) {
        sl_buf_free(&key);
        l->refs++;
        *out = l;
        return 0;
    }
    l = sl_alloc(sizeof *l);
    *l = (struct sl_loaded){.key = key.s, .refs = 1};
    if ((rc = sl_runs_load(&l->runs, db, q, err))) {
        free(l->key);
        free(l);
        return rc;
    }
    if (remember) {
        l->refs++;
        l->next = memory.runs;
        memory.runs = l;
    }
    *out = l;
    return 0;
}

static struct sl_answered *find(const char *key)
{
    struct sl_answered *x = memory.first;

    while (x && strcmp(x->key, key) != 0)
        x = x->next;
    return x;
}

int sl_answered_get(struct sl_answered **out, sqlite3 *db, enum sl_answer_of which, const struct sl_asked *asked,
                    struct sl_err *err)
{
    bool remember = memory.db && memory.db == db;
    struct sl_asked a = *asked;
    struct sl_answered *x;
    char *key;
    int rc;

    a.db = db;
    a.q.failed |= sl_answers[which].failed;
    a.q.coarse |= sl_answers[which].coarse;
    key = key_of(which, &a);
    if (remember && (x = find(key))) {
        free(key);
        x->refs++;
        *out = x;
        return 0;
    }
    x = sl_alloc(sizeof *x);
    x->key = key;
    x->refs = 1;
    rc = load(&x->loaded, db, &a.q, remember, err);
    if (!rc) {
        x->runs = &x->loaded->runs;
        if ((rc = sl_answer(&x->rows, x->runs, &sl_answers[which], &a, err)))
            unload(x->loaded);
    }
    if (rc) {
        free(x->key);
        free(x);
        return rc;
    }
    if (remember) {
        x->refs++;
        x->next = memory.first;
        memory.first = x;
    }
    *out = x;
    return 0;
}

void sl_answered_release(struct sl_answered *x)
{
    if (!x || --x->refs)
        return;
    sl_answer_free(&x->rows);
    unload(x->loaded);
    free(x->key);
    free(x);
}

void sl_answered_remember(sqlite3 *db)
{
    sl_answered_forget();
    memory.db = db;
}

void sl_answered_forget(void)
{
    memory.db = NULL;
    while (memory.first) {
        struct sl_answered *next = memory.first->next;
        sl_answered_release(memory.first);
        memory.first = next;
    }
    while (memory.runs) {
        struct sl_loaded *next = memory.runs->next;
        unload(memory.runs);
        memory.runs = next;
    }
}
