/* SPDX-License-Identifier: Apache-2.0 */
#include "experiment/answered.h"
#include "base/buf.h"

#include <stdlib.h>

static struct {
    sqlite3 *db; /* NULL: nothing is remembered */
    struct sl_answered *first;
} memory;

static void add_text(struct sl_buf *b, const char *s)
{
    sl_buf_addf(b, "|%zu:%s", s ? strlen(s) : 0, s ? s : "");
}

static char *key_of(enum sl_answer_of which, const struct sl_asked *a)
{
    const struct sl_question *q = &a->q;
    const char *const texts[] = {q->experiment, q->where, q->split, q->groups, q->order, a->of, a->by};
    struct sl_buf b = {0};

    sl_buf_addf(&b, "%d %d%d%d%d%d%d%d%d%d %a %a %a", (int)which, q->rate, q->coarse, q->verbatim, q->failed, q->log,
                q->interactions, q->no_time, q->every_event, q->elastic_net, q->alpha, q->lambda, q->limit);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        add_text(&b, texts[i]);
    return b.s;
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
    rc = sl_runs_load(&x->runs, db, &a.q, err);
    if (!rc && (rc = sl_answer(&x->rows, &x->runs, &sl_answers[which], &a, err)))
        sl_runs_free(&x->runs);
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
    sl_runs_free(&x->runs);
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
}
