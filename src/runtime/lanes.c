/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes: given to threads, emptied into the file, taken back, and forgotten by the children of a fork. */
#include "runtime/runtime.h"
#include "runtime/runtime_clock.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18 /* Linux 4.14 */
#endif

enum {
    WIPED = 65536,      /* bytes of a page of lanes */
    RETRY = 8192,       /* events lost between two looks at a full disk */
    SOONEST = 1 << 17,  /* ticks until the clocks are compared again: some 50 us, then twice as long, ... */
    LATEST = INT32_MAX, /* ... and about a second */
};

void sl_guard_enter(struct sl_guard *g)
{
    sigset_t all;

    g->error = errno;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &g->mask);
}

void sl_guard_leave(const struct sl_guard *g)
{
    pthread_sigmask(SIG_SETMASK, &g->mask, NULL);
    errno = g->error;
}

static struct sl_lane *lane_memory(void)
{
    struct sl_wiped *w = sl_rt.wiped;

    if (!w || (char *)&w->lanes[w->given + 1] > (char *)w + WIPED) {
        w = mmap(NULL, WIPED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (w == MAP_FAILED)
            return NULL;
        madvise(w, WIPED, MADV_WIPEONFORK); /* an older kernel has the handlers of pthread_atfork() only */
        w->older = sl_rt.wiped;
        w->alive = 1;
        sl_rt.wiped = w;
    }
    return &w->lanes[w->given++];
}

static struct sl_lane *lane_new(void)
{
    struct sl_lane *l = sl_rt.free;
    size_t size = sl_rt.options.buffer;

    if (l) {
        sl_rt.free = l->next;
        return l;
    }
    l = lane_memory();
    if (!l)
        return NULL;
    l->chunk = sl_file_chunk(size);
    if (!l->chunk) {
        sl_rt.wiped->given--;
        memset(l, 0, sizeof *l);
        return NULL;
    }
    l->chunk->kind = SL_TF_BUFFER;
    l->room = (uint32_t)((size - sizeof *l->chunk) / sizeof(uint64_t));
    return l;
}

/* Makes l the lane of this thread, empty.  What others see of it becomes true with its tid, last. */
static void lane_take(struct sl_lane *l, const struct sl_lane *base, uint64_t ticks)
{
    struct sl_tf_chunk *c = l->chunk;

    c->tid = 0;
    c->state = 0;
    c->lost = 0;
    c->lane = sl_rt.lane_count++;
    c->base = base ? base->chunk->lane : c->lane;
    c->depth = base != NULL;
    c->epoch = l->epoch = ticks >> SL_TF_TIME_BITS;
    c->magic = SL_TF_CHUNK_MAGIC;
    __atomic_store_n(&c->tid, (uint32_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
    l->until = 0;
    l->retry = 0;
    l->deeper = NULL;
    l->used = true;
    l->run_state = l->depth = l->run = 0;
    l->ready = sl_rt.min_ticks || *sl_rt.options.only || *sl_rt.options.skip ? SL_CAREFUL
               : sl_clock == SL_TF_CLOCK_NS                                  ? SL_SYSTEM_CLOCK
                                                                             : SL_COUNTER;
}

static struct sl_lane *lane_get(const struct sl_lane *base, uint64_t ticks)
{
    struct sl_lane *l = NULL;

    pthread_mutex_lock(&sl_rt.lock);
    if (sl_open() && (l = lane_new()))
        lane_take(l, base, ticks);
    pthread_mutex_unlock(&sl_rt.lock);
    return l;
}

static void write_epoch(struct sl_lane *l, uint64_t ticks)
{
    uint64_t state = l->chunk->state, *to = sl_lane_words(l) + (uint32_t)state;

    l->epoch = ticks >> SL_TF_TIME_BITS;
    to[0] = ticks << SL_TF_CODE_BITS | SL_TF_EPOCH << 2 | 1;
    to[1] = l->epoch;
    __atomic_store_n(&l->chunk->state, state + 2, __ATOMIC_RELEASE);
}

/* Moves the words of a lane into the file; it is empty then, but for the epoch. */
static bool lane_empty(struct sl_lane *l, uint64_t ticks)
{
    uint64_t state = l->chunk->state;

    if (!(uint32_t)state)
        return true;
    if (!sl_file_write(*l->chunk, sl_lane_words(l), (uint32_t)state))
        return false;
    __atomic_store_n(&l->chunk->state, ((state >> 32) + 1) << 32, __ATOMIC_RELEASE);
    write_epoch(l, ticks);
    return true;
}

static void look_at_clock(struct sl_lane *l, uint64_t ticks)
{
    uint64_t gone = ticks - sl_rt.start.ticks, boundary = ((ticks >> SL_TF_TIME_BITS) + 1) << SL_TF_TIME_BITS;
    uint64_t until = ticks + (gone < SOONEST ? SOONEST : gone > LATEST ? LATEST : gone);

    if (ticks >> SL_TF_TIME_BITS != l->epoch && (uint32_t)l->chunk->state + 2 <= l->room)
        write_epoch(l, ticks);
    if (until > boundary)
        until = boundary;
    pthread_mutex_lock(&sl_rt.lock);
    sl_file_moment();
    if (sl_rt.options.usage || !SL_TRACING_) /* every event goes the slow way */
        until = 0;
    __atomic_store_n(&l->until, until, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&sl_rt.lock);
}

void sl_lanes_stop(void)
{
    for (struct sl_wiped *w = sl_rt.wiped; w && w->alive; w = w->older)
        for (size_t i = 0; i < w->given; i++)
            __atomic_store_n(&w->lanes[i].until, 0, __ATOMIC_RELAXED);
}

struct sl_lane *sl_lane_with(size_t n, uint64_t ticks)
{
    struct sl_lane *l = sl_current;

    if (l == &sl_no_lane) {
        l = lane_get(NULL, ticks);
        if (!l)
            return NULL;
        sl_current = l;
        if (sl_rt.keyed)
            pthread_setspecific(sl_rt.key, l);
    } else if (!l->ready) {
        if (!l->deeper)
            l->deeper = lane_get(l, ticks);
        l = l->deeper;
    }
    if (!l)
        return NULL;
    if ((uint32_t)l->chunk->state + n + 2 > l->room) {
        if (l->retry > 0 && --l->retry > 0)
            return NULL;
        if (!lane_empty(l, ticks)) {
            l->retry = RETRY;
            return NULL;
        }
    }
    if (ticks >= __atomic_load_n(&l->until, __ATOMIC_RELAXED))
        look_at_clock(l, ticks);
    return l;
}

static bool others(void)
{
    for (struct sl_wiped *w = sl_rt.wiped; w && w->alive; w = w->older)
        for (size_t i = 0; i < w->given; i++)
            if (w->lanes[i].used && &w->lanes[i] != sl_current && &w->lanes[i] != sl_current->deeper)
                return true;
    return false;
}

void sl_lanes_end(void)
{
    struct sl_wiped *w = sl_rt.wiped, *older;

    if (!sl_rt.writers)
        sl_file_close();
    if (others())
        return;
    sl_current = &sl_no_lane;
    for (sl_rt.wiped = NULL; w && w->alive; w = older) {
        older = w->older;
        for (size_t i = 0; i < w->given; i++)
            if (w->lanes[i].chunk)
                munmap(w->lanes[i].chunk, sl_rt.options.buffer);
        munmap(w, WIPED);
    }
    for (struct sl_defs *d = sl_rt.defs, *next; d; d = next) {
        next = d->older;
        munmap(d->chunk, d->chunk->size);
        munmap(d, sizeof *d);
    }
    sl_rt.defs = NULL;
    if (sl_rt.header)
        munmap(sl_rt.header, SL_TF_HEADER);
    sl_rt.header = NULL;
}

void sl_lane_lose(struct sl_lane *l)
{
    if (sl_rt.header && !sl_rt.header->error) /* the file has noted its own */
        sl_rt.header->error = ENOMEM;
    if (l->chunk)
        __atomic_fetch_add(&l->chunk->lost, 1, __ATOMIC_RELAXED);
    else if (sl_rt.header)
        __atomic_fetch_add(&sl_rt.header->lost, 1, __ATOMIC_RELAXED);
}

uint64_t sl_lanes_lost(void)
{
    uint64_t n = sl_rt.header->lost;

    for (struct sl_wiped *w = sl_rt.wiped; w && w->alive; w = w->older)
        for (size_t i = 0; i < w->given; i++)
            if (w->lanes[i].chunk)
                n += __atomic_load_n(&w->lanes[i].chunk->lost, __ATOMIC_RELAXED);
    return n;
}

static void lane_give_back(struct sl_lane *l, uint64_t ticks)
{
    uint64_t lost = l->chunk->lost;

    if (lost && sl_rt.header)
        __atomic_fetch_add(&sl_rt.header->lost, lost, __ATOMIC_RELAXED);
    l->chunk->lost = 0;
    if (!lane_empty(l, ticks)) /* no room in the file: what it has stays where it is, and it is nobody's */
        return;
    pthread_mutex_lock(&sl_rt.lock); /* from here on, sl_lanes_end() may unmap it */
    l->chunk->tid = 0;
    l->chunk->state = 0;
    l->used = false;
    l->next = sl_rt.free;
    sl_rt.free = l;
    pthread_mutex_unlock(&sl_rt.lock);
}

void sl_lane_leave(void *lane)
{
    struct sl_lane *l = lane;
    struct sl_guard g;

    sl_guard_enter(&g);
    if (l->chunk && sl_current == l && sl_rt.state == SL_OPEN) {
        uint64_t ticks = sl_clock_ticks(), state;
        if (l->ready && sl_lane_with(1, ticks)) {
            state = l->chunk->state;
            sl_lane_words(l)[(uint32_t)state] = ticks << SL_TF_CODE_BITS | SL_TF_THREAD_END << 2;
            __atomic_store_n(&l->chunk->state, state + 1, __ATOMIC_RELEASE);
        }
        sl_current = &sl_no_lane;
        if (l->deeper)
            lane_give_back(l->deeper, ticks);
        lane_give_back(l, ticks);
    }
    sl_guard_leave(&g);
}

/* ---- fork ---- */

/* The child has its parent's memory but no lane: it makes a file of its own when it records something. */
static void forget_parent(void)
{
    sl_rt.lock = sl_rt.flushing = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    sl_rt.free = NULL;
    sl_rt.wiped = NULL;
    sl_rt.lane_count = 0;
    sl_rt.writers = 0;
    sl_rt.forks = false;
    sl_rt.header = NULL; /* not mapped here */
    sl_current = &sl_no_lane;
    if (sl_rt.state == SL_OPEN)
        sl_rt.state = SL_READY;
    if (!sl_rt.span_id)
        return;
    sl_rt.forked = true;
    sl_rt.parent_process = sl_rt.span_id;
    sl_rt.parent_id = sl_rt.fork_context ? sl_rt.fork_context : sl_rt.span_id;
    sl_rt.fork_context = 0;
    sl_rt.span_id = sl_random() | 1;
    sl_names_new_ids();
    sl_names_export();
}

void sl_lane_notice_fork(void)
{
    const struct sl_wiped *w = sl_rt.wiped;

    if (UNLIKELY(w && !w->alive)) /* by a call that glibc knows nothing of */
        forget_parent();
}

void sl_before_fork(void)
{
    struct sl_guard g;
    uint64_t context = 0;

    if (sl_current->chunk && sl_rt.state == SL_OPEN && SL_TRACING_)
        context = sl_context();
    sl_guard_enter(&g);
    pthread_mutex_lock(&sl_rt.lock);
    sl_rt.forking = g;
    sl_rt.fork_context = context;
    sl_rt.torn = sl_current;
    sl_rt.torn_chunk = sl_current->chunk;
}

void sl_after_fork_parent(void)
{
    struct sl_guard g = sl_rt.forking;

    sl_rt.forks = true;
    sl_rt.fork_context = 0;
    pthread_mutex_unlock(&sl_rt.lock);
    sl_guard_leave(&g);
}

void sl_after_fork_child(void)
{
    struct sl_guard g = sl_rt.forking;
    struct sl_lane *torn = sl_rt.torn;
    size_t size = sl_rt.options.buffer;

    pthread_mutex_unlock(&sl_rt.lock); /* of sl_before_fork() */
    forget_parent();
    if (sl_rt.torn_chunk) { /* whoever comes back to an event writes where nobody reads */
        mmap(sl_rt.torn_chunk, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        torn->chunk = sl_rt.torn_chunk;
        torn->room = (uint32_t)((size - sizeof *torn->chunk) / sizeof(uint64_t));
        torn->until = UINT64_MAX;
    }
    sl_guard_leave(&g);
}
