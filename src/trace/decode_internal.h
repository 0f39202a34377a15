/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the decoder share: decode_file.c reads the chunks, decode_lanes.c merges the lanes, decode.c makes
 * events. */
#ifndef SL_TRACE_DECODE_INTERNAL_H
#define SL_TRACE_DECODE_INTERNAL_H

#include "trace/decode.h"
#include "trace/format.h"

struct sl_lane_segment { /* words that lie together */
    const uint64_t *words;
    uint64_t epoch;
    uint32_t n, lane, seq, tid, base;
    bool buffer;
};

struct shorts { /* spans that were counted */
    const struct sl_trace_site *site;
    uint64_t n, ns;
};

struct frame { /* a span that is open */
    const struct sl_trace_site *site;
    int64_t begin_ns, cpu_ns;
    uint64_t context;
    struct sl_trace_arg *args, *begin_args; /* given since, and with the begin */
    size_t nargs, nbegin;
    bool measured;
    struct shorts *shorts; /* below it */
    size_t nshorts;
};

struct thread {
    uint32_t tid;
    struct frame *frames;
    size_t n, room;
};

struct lane {
    struct sl_lane_segment *at, *end; /* segments left */
    uint32_t word;                    /* in at */
    uint64_t epoch, ticks;            /* of the record at hand */
    struct thread *thread;
    uint32_t number;
    bool done;
};

struct sl_decoded {
    const uint8_t *bytes;
    size_t n;
    const struct sl_tf_header *header;
    struct sl_trace_process process;
    void *mapped;
    bool failed; /* no memory */
    char *owned; /* names that were demangled, copies of buffers: each begins with the next one's address */
    /* Clock: a straight line. */
    uint64_t ticks0, ns0;
    double ns_per_tick;
    struct sl_trace_site *sites;
    size_t nsites;
    struct sl_lane_segment *segments;
    size_t nsegments, room;
    struct lane *lanes, **heap;
    size_t nlanes, nheap;
    struct thread *threads;
    size_t nthreads;
    struct sl_trace_arg *args; /* of the event at hand */
    size_t nargs, args_room;
    struct sl_trace_arg short_args[2];
    /* Ends that one record made. */
    struct thread *closing;
    size_t keep; /* of its frames */
    int64_t closing_ns;
    size_t left_open;                         /* thread whose open spans come next, at the end */
    struct sl_trace_arg *given, *given_begin; /* args of the last E, to be freed */
    int64_t usage_cpu, usage_rss;
    const struct thread *usage_of;
};

extern const struct sl_trace_site sl_unknown_site;

static inline uint32_t sl_record_code(uint64_t word)
{
    return word & ((1u << SL_TF_CODE_BITS) - 1);
}

/* Words of the record at w, of which `left` are there; more than that where it was cut off. */
static inline uint64_t sl_record_size(const uint64_t *w, uint32_t left)
{
    uint32_t code = sl_record_code(*w);
    uint64_t n;

    if (code >= SL_TF_SITES)
        return 1;
    n = code & 3;
    if (n == 3)
        n = left > 1 ? 1 + ((w[1] & UINT32_MAX) + 7) / 8 : 1;
    return 1 + n;
}

/* To the next record that is whole; false: the lane has no more. */

static inline int64_t sl_time_of(const struct sl_decoded *d, uint64_t ticks)
{
    double gone = (double)(int64_t)(ticks - d->ticks0) * d->ns_per_tick;
    int64_t ns = gone > -9e18 && gone < 9e18 ? (int64_t)gone : 0; /* a damaged header */

    return (int64_t)(d->ns0 + (uint64_t)ns + (uint64_t)d->header->realtime_ns);
}

/* Sorts the segments into lanes, and each lane to its first record.  False: out of memory. */
bool sl_lanes_make(struct sl_decoded *d);
/* Past the record at hand of l, which is the first of the heap; its order is restored by sl_lanes_reorder(), once. */
void sl_lane_consume(struct sl_decoded *d, struct lane *l);
void sl_lanes_reorder(struct sl_decoded *d);

#endif
