/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PerfFlowAspect's entry points: names and arguments are those of perfflow_runtime.cpp of its main branch (six
 * arguments; releases before had five, without the pointcut, which is why that one is read only where it is needed).
 *
 * Functions that are woven in before or after only are moments: spans without length.  Its B without an E, and E
 * without a B, would take in, or end, what is around them.  Where its runtime is at fault ours is not: ids of
 * asynchronous spans pair begin and end, those of flows pair out and in: the first with the first.
 */
#include "runtime/runtime.h"

#include <string.h>

static atomic_ullong outs, ins;

static bool is(const char *a, const char *b)
{
    return a && !strcmp(a, b);
}

/*
 * An "in" takes what the oldest "out" that none has taken gives.  What both are called says the id, and not the
 * process: what goes out of one may come into another.
 */
static void flow(bool out)
{
    static const char name[] = "flow";
    struct sl_site *site = sl_site_find(name, name, 0);
    uint64_t id = 0;
    uint64_t n;

    if (!site)
        return;
    n = atomic_fetch_add_explicit(out ? &outs : &ins, 1, memory_order_relaxed);
    for (const char *p = name; *p; p++)
        id = id << 8 | (unsigned char)*p; /* below 2^53 with what is counted, for JSON */
    sl_flow(site, (id << 20) + n, out ? SL_FLOW_OUT : SL_FLOW_IN);
}

/*
 * Asynchronous spans that are open: the newest first of this thread, function and scope, else the oldest of all that
 * none has ended, which is PerfFlowAspect's own order (it counts begins and ends).
 */
enum { OPEN = 1024 };
static struct {
    struct sl_site *site;
    const struct sl_site *scope; /* by its text */
    struct sl_lane *lane;
    uint64_t id;
} open_spans[OPEN];
static size_t nopen;

static const struct sl_site *scope_of(const char *scope)
{
    return scope && *scope ? sl_site_find(scope, "scope", 0) : NULL;
}

static void remember(struct sl_site *site, const struct sl_site *scope, uint64_t id)
{
    struct sl_guard g;

    sl_guard_enter(&g);
    pthread_mutex_lock(&sl_rt.lock);
    if (nopen == OPEN) /* begins without ends: the oldest will have none */
        memmove(open_spans, open_spans + 1, --nopen * sizeof *open_spans);
    open_spans[nopen].site = site;
    open_spans[nopen].scope = scope;
    open_spans[nopen].lane = sl_current;
    open_spans[nopen++].id = id;
    pthread_mutex_unlock(&sl_rt.lock);
    sl_guard_leave(&g);
}

static uint64_t recall(struct sl_site *site, const struct sl_site *scope)
{
    struct sl_guard g;
    size_t i;
    uint64_t id = 0;

    sl_guard_enter(&g);
    pthread_mutex_lock(&sl_rt.lock);
    for (i = nopen; i > 0; i--)
        if (open_spans[i - 1].site == site && open_spans[i - 1].scope == scope && open_spans[i - 1].lane == sl_current)
            break;
    i = i ? i - 1 : 0;
    if (nopen) {
        id = open_spans[i].id;
        memmove(open_spans + i, open_spans + i + 1, (--nopen - i) * sizeof *open_spans);
    }
    pthread_mutex_unlock(&sl_rt.lock);
    sl_guard_leave(&g);
    return id ? id : sl_new_id();
}

static struct sl_site *site_of(const char *module, const char *function)
{
    return SL_TRACING_ ? sl_site_find(function ? function : "", module, SL_TF_SYMBOL) : NULL;
}

/* False: only one of both is called. */
static bool goes_around(const char *pointcut)
{
    return !is(pointcut, "before") && !is(pointcut, "after");
}

void perfflow_weave_before(int async, const char *module, const char *function, const char *scope, const char *to_flow,
                           const char *pointcut)
{
    bool around = async || goes_around(pointcut);
    struct sl_site *site = site_of(module, function);

    if (!site)
        return;
    if (async) {
        uint64_t id = sl_new_id();
        sl_async_begin(site, id);
        if (scope && *scope)
            sl_async_scope(scope);
        remember(site, scope_of(scope), id);
    } else {
        sl_mark_symbol(site, 0);
    }
    if (is(to_flow, "in") || is(to_flow, "inout"))
        flow(false);
    else if (is(to_flow, "out") || is(to_flow, "outin"))
        flow(true);
    if (!around) /* nothing will follow */
        sl_mark_symbol(site, 1);
}

void perfflow_weave_after(int async, const char *module, const char *function, const char *scope, const char *to_flow,
                          const char *pointcut)
{
    bool around = async || goes_around(pointcut);
    struct sl_site *site = site_of(module, function);

    if (!site)
        return;
    if (!around)
        sl_mark_symbol(site, 0);
    if (is(to_flow, "in") || is(to_flow, "outin"))
        flow(false);
    else if (is(to_flow, "out") || is(to_flow, "inout"))
        flow(true);
    if (async) {
        sl_async_end(site, recall(site, scope_of(scope)));
        if (scope && *scope)
            sl_async_scope(scope);
    } else {
        sl_mark_symbol(site, 1);
    }
}
