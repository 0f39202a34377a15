/* SPDX-License-Identifier: Apache-2.0 */
/*
 * min-duration: a span that was shorter, and has nothing in it but such spans, is taken back where it ends, while its
 * begin is still the end of what its thread has written, and a count of its site grows in its place (SL_TF_SHORT).  So
 * a function that is called a million times leaves three words, below each span that it was called from.
 *
 * Only what was written here is taken back: `open` and `run_state` say by the state of the chunk, which is never the
 * same twice, where begins and counts stand; that a word looks like one would not do.  A process that is killed in the
 * midst of it loses what it was about to count.
 */
#include "runtime/runtime.h"
#include "runtime/runtime_clock.h"

enum { RECORD = 3, NEAR = 32, COUNT = SL_TF_SHORT << 2 | 2 };
#define TIME_MASK ((UINT64_C(1) << SL_TF_TIME_BITS) - 1)

static uint64_t word(uint64_t ticks, uint32_t code)
{
    return ticks << SL_TF_CODE_BITS | code;
}

static void set_state(struct sl_lane *l, uint64_t state)
{
    __atomic_store_n(&l->chunk->state, state, __ATOMIC_RELEASE);
}

/* Where the counts begin that end at the state of l, which has `top` words. */
static uint32_t run_of(const struct sl_lane *l, uint32_t top)
{
    return l->run_state == l->chunk->state ? l->run : top;
}

/* Counts within a span and those around it are looked for at once, so that they have places of their own. */
static uint32_t *slot(struct sl_lane *l, uint32_t site)
{
    return &l->counts[(site + l->depth * 37) % SL_SHORT_SLOTS];
}

/* The count of a site among those from run to top; NULL: it has none, or it is far back. */
static uint64_t *find(struct sl_lane *l, uint32_t run, uint32_t top, uint32_t site)
{
    uint64_t *words = sl_lane_words(l);
    uint32_t at = *slot(l, site);

    if (at >= run && at < top && (at - run) % RECORD == 0 && (uint32_t)words[at + 1] == site)
        return words + at;
    for (at = top; at > run && top - at < NEAR * RECORD;) {
        at -= RECORD;
        if ((uint32_t)words[at + 1] == site)
            return words + at;
    }
    return NULL;
}

/* Adds to one of the counts that end at the state of l, or makes one. */
static void add(struct sl_lane *l, uint32_t site, uint32_t n, uint64_t ticks, uint64_t now)
{
    uint64_t state = l->chunk->state;
    uint32_t top = (uint32_t)state, run = run_of(l, top);
    uint64_t *r = find(l, run, top, site);

    if (!r || (r[1] >> 32) + n > UINT32_MAX) {
        r = sl_lane_words(l) + top;
        r[0] = word(now, COUNT);
        r[1] = (uint64_t)n << 32 | site;
        r[2] = ticks;
        set_state(l, state + RECORD);
        l->run_state = state + RECORD;
        l->run = run;
    } else {
        r[1] += (uint64_t)n << 32;
        r[2] += ticks;
    }
    *slot(l, site) = (uint32_t)(r - sl_lane_words(l));
}

/* The innermost span that was begun here and has nothing but counts behind it, if it is of this site and short. */
static bool take_back(struct sl_lane *l, uint32_t code, uint64_t now)
{
    uint64_t state = l->chunk->state, inside[SL_SHORTS][2], *words = sl_lane_words(l), ticks;
    uint32_t n = ((uint32_t)state - run_of(l, (uint32_t)state)) / RECORD, at;
    struct sl_short *s;

    if (!l->depth)
        return false;
    s = &l->open[(l->depth - 1) % SL_SHORT_DEPTH];
    if (s->state + n * RECORD != state || n > SL_SHORTS)
        return false;
    at = (uint32_t)s->state - 1;
    ticks = (now - (words[at] >> SL_TF_CODE_BITS)) & TIME_MASK;
    if ((words[at] & ((1u << SL_TF_CODE_BITS) - 1)) != code || ticks >= sl_rt.min_ticks)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        inside[i][0] = words[at + 1 + i * RECORD + 1];
        inside[i][1] = words[at + 1 + i * RECORD + 2];
        ticks -= inside[i][1] < ticks ? inside[i][1] : ticks; /* times of counts are exclusive */
    }
    set_state(l, s->state - 1);
    l->run_state = s->state - 1;
    l->run = s->run;
    l->depth--;
    for (uint32_t i = 0; i < n; i++)
        add(l, (uint32_t)inside[i][0], (uint32_t)(inside[i][0] >> 32), inside[i][1], now);
    add(l, code >> 1, 1, ticks, now);
    return true;
}

bool sl_count(struct sl_site *site, uint32_t end)
{
    struct sl_lane *l = sl_current;
    uint32_t code = __atomic_load_n(&site->code, __ATOMIC_ACQUIRE);
    uint64_t now, state;
    bool done = false;

    if (UNLIKELY(code < SL_TF_SITES))
        return code == SL_SITE_OFF;
    if (!sl_rt.min_ticks)
        return false;
    l->ready = 0;
    SIGNAL_FENCE();
    now = sl_clock_ticks();
    state = l->chunk->state;
    /* of a span that is taken back there remain at most its counts and one more, where its begin and they were */
    if (LIKELY((uint32_t)state + RECORD <= l->room && now < __atomic_load_n(&l->until, __ATOMIC_RELAXED))) {
        done = true;
        if (!end) {
            struct sl_short *s = &l->open[l->depth % SL_SHORT_DEPTH];
            sl_lane_words(l)[(uint32_t)state] = word(now, code);
            s->state = state + 1;
            s->run = run_of(l, (uint32_t)state);
            l->depth++;
            l->run = (uint32_t)state + 1;
            l->run_state = state + 1;
            set_state(l, state + 1);
        } else if (!take_back(l, code, now)) {
            sl_lane_words(l)[(uint32_t)state] = word(now, code | 1);
            set_state(l, state + 1);
            l->depth -= l->depth > 0;
        }
    }
    SIGNAL_FENCE();
    l->ready = SL_CAREFUL;
    return done;
}

uint64_t sl_count_ticks(uint64_t min_ns)
{
    struct sl_tf_moment a = sl_clock_moment(), b = a;

    while (b.monotonic_ns - a.monotonic_ns < 200000)
        b = sl_clock_moment();
    return min_ns * (b.ticks - a.ticks) / (b.monotonic_ns - a.monotonic_ns);
}
