/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way of an event into the buffer of its thread.  The fast way is a dozen instructions around the reading of the
 * clock: no lock, no call, nothing that could fail.  Whatever it does not expect (a new thread, a new site, a full
 * buffer, a signal handler that interrupted it, a fork) goes the slow way, with signals blocked.
 *
 * The order of the stores is what makes a trace survive: a word is written before `state` counts it, and the mapping is
 * of a file, so the kernel has what was stored by a process that is no more.
 */
#include "runtime/runtime.h"
#include "runtime/runtime_clock.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static inline void publish(struct sl_lane *l, uint64_t state)
{
    __atomic_store_n(&l->chunk->state, state, __ATOMIC_RELEASE);
}

static inline uint64_t word(uint64_t ticks, uint64_t code)
{
    return ticks << SL_TF_CODE_BITS | code;
}

/* ---- the slow way ---- */

static bool recording(void)
{
    return __atomic_load_n(&sl_trace_on, __ATOMIC_RELAXED);
}

static bool has_code(struct sl_site *site, uint32_t flags)
{
    bool ok;

    if (LIKELY(__atomic_load_n(&site->code, __ATOMIC_ACQUIRE)))
        return true;
    pthread_mutex_lock(&sl_rt.lock);
    ok = sl_open() && sl_site_define(site, flags);
    pthread_mutex_unlock(&sl_rt.lock);
    return ok;
}

/* Read behind the time of a begin and before that of an end: so it lies within the span, and is not above 100 %. */
static void usage(uint64_t to[3])
{
    struct rusage r;

    getrusage(RUSAGE_SELF, &r);
    to[0] = SL_TF_USAGE << 2 | 2;
    to[1] = sl_clock_ns(sl_rt.options.of_thread ? CLOCK_THREAD_CPUTIME_ID : CLOCK_PROCESS_CPUTIME_ID);
    to[2] = (uint64_t)r.ru_maxrss;
}

static void write_words(struct sl_lane *l, const uint64_t *w, size_t n)
{
    uint64_t state = l->chunk->state;

    memcpy(sl_lane_words(l) + (uint32_t)state, w, n * sizeof *w);
    publish(l, state + n);
}

static __attribute__((noinline, cold)) void mark_slow(struct sl_site *site, uint32_t end, uint32_t flags)
{
    struct sl_guard g;
    uint64_t w[4] = {0};
    size_t n = 0;

    if (!recording() || __atomic_load_n(&site->code, __ATOMIC_ACQUIRE) == SL_SITE_OFF)
        return;
    sl_guard_enter(&g);
    sl_lane_notice_fork();
    if (recording() && !sl_site_switch_off(site)) {
        bool ok = has_code(site, flags), measure = sl_rt.options.usage && !(flags & SL_TF_LOOSE);
        uint64_t ticks; /* read after what was slow the first time */
        struct sl_lane *l;
        if (measure && end)
            usage(w), n = 3;
        ticks = sl_clock_ticks();
        l = ok ? sl_lane_with(4, ticks) : NULL;
        if (l) {
            w[0] |= word(ticks, 0);
            w[n++] = word(ticks, site->code | end);
            if (measure && !end) {
                usage(w + n);
                w[n] |= word(ticks, 0);
                n += 3;
            }
            write_words(l, w, n);
        } else {
            sl_lane_lose(sl_current);
        }
    }
    sl_guard_leave(&g);
}

/* ---- the fast way ---- */

static inline __attribute__((always_inline)) void mark(struct sl_site *site, uint32_t end, uint32_t flags,
                                                       uint32_t ready)
{
    struct sl_lane *l = sl_current;
    uint64_t state, ticks;
    struct sl_tf_chunk *c;
    uint32_t code;

    l->ready = 0;
    SIGNAL_FENCE();
    ticks = ready == SL_COUNTER ? sl_clock_counter() : sl_clock_ticks();
    code = __atomic_load_n(&site->code, __ATOMIC_ACQUIRE);
    c = l->chunk;
    state = c->state;
    if (UNLIKELY((uint32_t)state >= l->room || ticks >= __atomic_load_n(&l->until, __ATOMIC_RELAXED) ||
                 code < SL_TF_SITES)) {
        l->ready = ready;
        mark_slow(site, end, flags);
        return;
    }
    ((uint64_t *)(c + 1))[(uint32_t)state] = word(ticks, code | end);
    __atomic_store_n(&c->state, state + 1, __ATOMIC_RELEASE);
    SIGNAL_FENCE();
    l->ready = ready;
}

static __attribute__((noinline)) void mark_otherwise(struct sl_site *site, uint32_t end, uint32_t flags)
{
    uint32_t ready = sl_current->ready;

    if (ready == SL_CAREFUL && sl_count(site, end))
        return;
    if (ready)
        mark(site, end, flags, ready);
    else
        mark_slow(site, end, flags);
}

/* Every way out is a jump, so that no register needs to be saved. */
void sl_span_begin(struct sl_site *site)
{
    if (LIKELY(sl_current->ready == SL_COUNTER))
        mark(site, 0, 0, SL_COUNTER);
    else
        mark_otherwise(site, 0, 0);
}

void sl_span_end(struct sl_site *site)
{
    if (LIKELY(sl_current->ready == SL_COUNTER))
        mark(site, 1, 0, SL_COUNTER);
    else
        mark_otherwise(site, 1, 0);
}

void sl_mark_symbol(struct sl_site *site, uint32_t end)
{
    mark_otherwise(site, end, SL_TF_SYMBOL);
}

/* ---- events of more than one word ---- */

static void put_slow(struct sl_site *site, uint32_t code, const uint64_t *w, size_t n, const char *text, size_t length)
{
    size_t texts = (length + 7) / 8;
    struct sl_guard g;

    sl_guard_enter(&g);
    sl_lane_notice_fork();
    if (recording()) {
        bool ok = !site || has_code(site, 0);
        uint64_t ticks = sl_clock_ticks();
        struct sl_lane *l = ok ? sl_lane_with(1 + n + texts, ticks) : NULL;
        if (l) {
            uint64_t state = l->chunk->state, *to = sl_lane_words(l) + (uint32_t)state;
            *to++ = word(ticks, code);
            memcpy(to, w, n * sizeof *w);
            if (site && text)
                to[0] |= (uint64_t)(site->code >> 1) << 32;
            else if (site)
                to[0] = site->code >> 1;
            to += n;
            if (texts) {
                to[texts - 1] = 0;
                memcpy(to, text, length);
            }
            publish(l, state + 1 + n + texts);
        } else {
            sl_lane_lose(sl_current);
        }
    }
    sl_guard_leave(&g);
}

/* The same without a guard, where nothing is in the way of it. */
static inline __attribute__((always_inline)) bool put_fast(struct sl_site *site, uint32_t code, const uint64_t *w,
                                                           size_t n, const char *text, size_t length)
{
    struct sl_lane *l = sl_current;
    uint32_t number = site ? __atomic_load_n(&site->code, __ATOMIC_ACQUIRE) : 1, ready = l->ready;
    size_t words = 1 + n + (length + 7) / 8;
    bool fits;

    if (UNLIKELY(!ready || !number))
        return false;
    l->ready = 0;
    SIGNAL_FENCE();
    uint64_t ticks = sl_clock_ticks(), state = l->chunk->state;
    uint64_t *to = sl_lane_words(l) + (uint32_t)state;
    fits = (uint32_t)state + words <= l->room && ticks < __atomic_load_n(&l->until, __ATOMIC_RELAXED);
    if (LIKELY(fits)) {
        to[0] = word(ticks, code);
        for (size_t i = 0; i < n; i++)
            to[i + 1] = w[i];
        if (site)
            to[1] |= (uint64_t)(number >> 1) << (text ? 32 : 0);
        if (length) {
            to[words - 1] = 0;
            memcpy(to + 1 + n, text, length);
        }
        publish(l, state + words);
    }
    SIGNAL_FENCE();
    l->ready = ready;
    return fits;
}

/* A record of kind, with the number of the site in w[0], which is 0, and w[1..n). */
static void put(struct sl_site *site, enum sl_tf_code kind, const uint64_t *w, size_t n)
{
    uint32_t code = (uint32_t)kind << 2 | (uint32_t)n;

    if (recording() && UNLIKELY(!put_fast(site, code, w, n, NULL, 0)))
        put_slow(site, code, w, n, NULL, 0);
}

static void put_text(struct sl_site *site, enum sl_tf_code kind, const char *text)
{
    size_t n = strnlen(text, SL_TF_TEXT_MAX);
    uint32_t code = (uint32_t)kind << 2 | 3;
    uint64_t w = n;

    if (recording() && UNLIKELY(!put_fast(site, code, &w, 1, text, n)))
        put_slow(site, code, &w, 1, text, n);
}

static uint64_t bits(double x)
{
    uint64_t u;

    memcpy(&u, &x, sizeof u);
    return u;
}

void sl_async_begin(struct sl_site *site, uint64_t id)
{
    put(site, SL_TF_ASYNC_BEGIN, (uint64_t[]){0, id}, 2);
}

void sl_async_instant(struct sl_site *site, uint64_t id)
{
    put(site, SL_TF_ASYNC_INSTANT, (uint64_t[]){0, id}, 2);
}

void sl_async_end(struct sl_site *site, uint64_t id)
{
    put(site, SL_TF_ASYNC_END, (uint64_t[]){0, id}, 2);
}

void sl_instant(struct sl_site *site)
{
    put(site, SL_TF_INSTANT, (uint64_t[]){0}, 1);
}

void sl_counter(struct sl_site *site, double value)
{
    put(site, SL_TF_COUNTER, (uint64_t[]){0, bits(value)}, 2);
}

void sl_flow(struct sl_site *site, uint64_t id, enum sl_flow_end end)
{
    enum sl_tf_code kind = end == SL_FLOW_OUT ? SL_TF_FLOW_OUT : end == SL_FLOW_IN ? SL_TF_FLOW_IN : SL_TF_FLOW_STEP;

    put(site, kind, (uint64_t[]){0, id}, 2);
}

static struct sl_site *key_site(const char *key)
{
    return recording() ? sl_site_find(key ? key : "", NULL, 0) : NULL;
}

void sl_arg_int(const char *key, int64_t value)
{
    struct sl_site *site = key_site(key);

    if (site)
        put(site, SL_TF_ARG_INT, (uint64_t[]){0, (uint64_t)value}, 2);
}

void sl_arg_double(const char *key, double value)
{
    struct sl_site *site = key_site(key);

    if (site)
        put(site, SL_TF_ARG_DOUBLE, (uint64_t[]){0, bits(value)}, 2);
}

void sl_arg_string(const char *key, const char *value)
{
    struct sl_site *site = key_site(key);

    if (site)
        put_text(site, SL_TF_ARG_TEXT, value ? value : "");
}

void sl_args_of_span(void)
{
    put(NULL, SL_TF_ARGS_OF_SPAN, NULL, 0);
}

void sl_thread_name(const char *name)
{
    put_text(NULL, SL_TF_THREAD_NAME, name ? name : "");
}

void sl_async_scope(const char *scope)
{
    put_text(NULL, SL_TF_SCOPE, scope ? scope : "");
}

uint64_t sl_new_id(void)
{
    return atomic_fetch_add_explicit(&sl_rt.ids, 1, memory_order_relaxed) + 1;
}

uint64_t sl_context(void)
{
    uint64_t id = sl_random() | 1;

    put(NULL, SL_TF_CONTEXT, &id, 1);
    return id;
}

static char *hex(char *to, uint64_t x)
{
    for (int i = 60; i >= 0; i -= 4)
        *to++ = "0123456789abcdef"[x >> i & 15];
    return to;
}

void sl_traceparent_write(char to[56], uint64_t id)
{
    char *p = to;

    *p++ = '0', *p++ = '0', *p++ = '-';
    p = hex(hex(p, sl_rt.trace_id[0]), sl_rt.trace_id[1]);
    *p++ = '-';
    p = hex(p, id);
    memcpy(p, "-01", 4);
}

void sl_traceparent(char to[56])
{
    *to = 0;
    if (recording())
        sl_traceparent_write(to, sl_context());
}
