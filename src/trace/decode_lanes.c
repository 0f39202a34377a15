/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes: the segments of the file in their order, merged by time with a heap. */
#include "trace/decode_internal.h"

#include <stdlib.h>

static int by_lane(const void *a, const void *b)
{
    const struct sl_lane_segment *x = a, *y = b;

    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    if (x->seq != y->seq)
        return x->seq < y->seq ? -1 : 1;
    return x->buffer - y->buffer;
}

static bool settle(struct sl_decoded *d, struct lane *l)
{
    for (;; l->at++, l->word = 0) {
        uint32_t left;
        const uint64_t *w;
        if (l->at == l->end)
            return false;
        if (l->word == 0)
            l->epoch = l->at->seq ? l->epoch : l->at->epoch;
        left = l->at->n - l->word;
        w = l->at->words + l->word;
        while (left && (sl_record_code(*w)) >> 2 == SL_TF_EPOCH && left > 1) {
            l->epoch = w[1];
            l->word += 2;
            left -= 2;
            w += 2;
        }
        if (!left)
            continue;
        if (sl_record_size(w, left) > left) {
            d->process.damaged++;
            continue;
        }
        l->ticks = l->epoch << SL_TF_TIME_BITS | *w >> SL_TF_CODE_BITS;
        return true;
    }
}

static bool before(const struct lane *a, const struct lane *b)
{
    return a->ticks != b->ticks ? a->ticks < b->ticks : a->number < b->number;
}

static void sink(struct sl_decoded *d, size_t i)
{
    for (size_t child; (child = 2 * i + 1) < d->nheap; i = child) {
        struct lane *swap = d->heap[i];
        if (child + 1 < d->nheap && before(d->heap[child + 1], d->heap[child]))
            child++;
        if (!before(d->heap[child], swap))
            return;
        d->heap[i] = d->heap[child];
        d->heap[child] = swap;
    }
}

void sl_lane_consume(struct sl_decoded *d, struct lane *l)
{
    l->word += (uint32_t)sl_record_size(l->at->words + l->word, l->at->n - l->word);
    l->done = !settle(d, l);
}

void sl_lanes_reorder(struct sl_decoded *d)
{
    if (d->heap[0]->done)
        d->heap[0] = d->heap[--d->nheap];
    sink(d, 0);
}

/* The lanes so far are in the order of their numbers. */
static struct thread *thread_of(struct sl_decoded *d, const struct sl_lane_segment *s)
{
    for (size_t low = 0, high = s->base == s->lane ? 0 : d->nlanes; low < high;) {
        size_t middle = (low + high) / 2;
        if (d->lanes[middle].number == s->base)
            return d->lanes[middle].thread;
        if (d->lanes[middle].number < s->base)
            low = middle + 1;
        else
            high = middle;
    }
    d->threads[d->nthreads] = (struct thread){.tid = s->tid};
    return &d->threads[d->nthreads++];
}

bool sl_lanes_make(struct sl_decoded *d)
{
    size_t n = 0, kept = 0;

    if (d->nsegments > 1)
        qsort(d->segments, d->nsegments, sizeof *d->segments, by_lane);
    /* What a buffer has was not moved to the file yet. */
    for (size_t i = 0, next; i < d->nsegments; i = next) {
        uint64_t seq = UINT64_MAX;
        for (next = i; next < d->nsegments && d->segments[next].lane == d->segments[i].lane; next++)
            if (d->segments[next].buffer)
                seq = d->segments[next].seq;
        for (size_t k = i; k < next; k++) {
            bool again = kept && d->segments[kept - 1].lane == d->segments[k].lane &&
                         d->segments[kept - 1].seq == d->segments[k].seq;
            if (d->segments[k].buffer || (d->segments[k].seq < seq && !again))
                d->segments[kept++] = d->segments[k];
        }
        n++;
    }
    d->nsegments = kept;
    d->lanes = calloc(n + 1, sizeof *d->lanes);
    d->heap = calloc(n + 1, sizeof *d->heap);
    d->threads = calloc(n + 1, sizeof *d->threads);
    if (!d->lanes || !d->heap || !d->threads)
        return false;
    for (size_t i = 0, next; i < d->nsegments; i = next) {
        struct lane *l = &d->lanes[d->nlanes];
        for (next = i; next < d->nsegments && d->segments[next].lane == d->segments[i].lane; next++)
            ;
        l->at = d->segments + i;
        l->end = d->segments + next;
        l->number = l->at->lane;
        l->thread = thread_of(d, l->at);
        d->nlanes++;
        if (settle(d, l))
            d->heap[d->nheap++] = l;
    }
    for (size_t i = d->nheap; i-- > 0;)
        sink(d, i);
    return true;
}
