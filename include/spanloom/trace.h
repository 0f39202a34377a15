/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spanloom's tracing runtime: what a program links to say when its pieces of work begin and end.
 *
 *   #include <spanloom/trace.h>
 *
 *   void solve(void)
 *   {
 *       SPANLOOM_SPAN("solve");          // from here to the end of the block, however it is left
 *       sl_arg_int("unknowns", n);
 *       ...
 *   }
 *
 *   cc -o prog prog.c $(spanloom flags c)
 *   spanloom run -- ./prog               // or ./prog, and then: spanloom import perfflow.*.pfw
 *
 * All functions but sl_trace_flush() and sl_trace_finish() may be called from any thread, from signal handlers, before
 * main() and after exit() began.  None fails, blocks on another thread's work, allocates with malloc, changes errno or
 * prints (but for one line about an ill-formed option, at the start): what cannot be recorded is counted, and the count
 * is in the trace.  Texts are borrowed for the call unless it says otherwise.
 *
 * A finished event is in the trace even if the process is killed in the next instruction.  Options are those of
 * PERFFLOW_OPTIONS and SPANLOOM_OPTIONS; the formats, the options and what happens after a crash are in
 * spanloom-trace(7).
 */
#ifndef SPANLOOM_TRACE_H
#define SPANLOOM_TRACE_H

#include <stdint.h>

#if defined(__GNUC__)
#define SL_EXPORT __attribute__((visibility("default")))
#define SL_INLINE static __inline__ __attribute__((always_inline, unused))
#else
#define SL_EXPORT
#define SL_INLINE static inline
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A place in the program that is traced.  Static, one for each; the texts must live as long as it does.  `code` is the
 * runtime's: 0 until the first event.
 */
struct sl_site {
    uint32_t code;
    uint32_t line;        /* 0: unknown; the highest bit: a compiler has woven it */
    const char *name;     /* of the span, event, counter or flow; UTF-8, or any bytes; cut after 1 MiB */
    const char *category; /* NULL: the file */
    const char *file;     /* NULL: unknown */
};

#define SL_SITE(name_, category_)                                                                                      \
    {                                                                                                                  \
        0, __LINE__, (name_), (category_), __FILE__                                                                    \
    }

/* Whether events are recorded now; read it, but set it by sl_trace_enable(). */
extern SL_EXPORT int sl_trace_on;

#define SL_TRACING_ __builtin_expect(__atomic_load_n(&sl_trace_on, __ATOMIC_RELAXED), 1)

/* On (1) or off (0) from now on, in the whole process.  Returns what it was.  Where log-enable=False, it stays off. */
SL_EXPORT int sl_trace_enable(int on);

/* ---- spans: on the thread that calls, the last begun is the first to end ---- */

SL_EXPORT void sl_span_begin(struct sl_site *site);
SL_EXPORT void sl_span_end(struct sl_site *site);

SL_INLINE void sl_begin(struct sl_site *site)
{
    if (SL_TRACING_)
        sl_span_begin(site);
}
/* Ends the innermost span of this site; those begun inside it and not ended (by longjmp, say) end with it. */
SL_INLINE void sl_end(struct sl_site *site)
{
    if (SL_TRACING_)
        sl_span_end(site);
}

/* For names that are known only at run time: their site, found by content (never freed; the same texts, the same site).
 */
SL_EXPORT struct sl_site *sl_site_of(const char *name, const char *category);
/* The same for single begins and ends that nothing ties together: an end without a begin is a moment, and not an error
 * of the program. */
SL_EXPORT struct sl_site *sl_loose_site_of(const char *name, const char *category);

/* ---- arguments: of the event recorded last on this thread if it was no end, else of the innermost open span ---- */

SL_EXPORT void sl_arg_int(const char *key, int64_t value);
SL_EXPORT void sl_arg_double(const char *key, double value);
SL_EXPORT void sl_arg_string(const char *key, const char *value); /* cut after 4096 bytes */
/* Those that follow, until the next event, are of the innermost open span, whatever was recorded last. */
SL_EXPORT void sl_args_of_span(void);

/* ---- spans that may begin and end on different threads, and overlap: told apart by name, category and id ---- */

SL_EXPORT void sl_async_begin(struct sl_site *site, uint64_t id);
SL_EXPORT void sl_async_instant(struct sl_site *site, uint64_t id);
SL_EXPORT void sl_async_end(struct sl_site *site, uint64_t id);
/* The scope of the asynchronous event that this thread recorded last: a text that is told with it, cut after 4096
 * bytes. */
SL_EXPORT void sl_async_scope(const char *scope);

/* ---- events without length, and values over time ---- */

SL_EXPORT void sl_instant(struct sl_site *site);
SL_EXPORT void sl_counter(struct sl_site *site, double value);

/* ---- flows: an arrow from the span open at the out to the span open at the in, of the same name and id ---- */

enum sl_flow_end { SL_FLOW_OUT, SL_FLOW_STEP, SL_FLOW_IN };
SL_EXPORT void sl_flow(struct sl_site *site, uint64_t id, enum sl_flow_end end);

/* An id that no other event of this process has: for async spans and flows.  Never 0. */
SL_EXPORT uint64_t sl_new_id(void);

/* ---- threads and processes ---- */

/* What people call this thread.  Copied; cut after 4096 bytes. */
SL_EXPORT void sl_thread_name(const char *name);

/*
 * A W3C trace context ("00-...-...-01", 55 characters and a NUL) for the TRACEPARENT of a process that this one starts
 * or asks: its spans will lie in the innermost open span of this thread; where none is open, in the process.  The id is
 * new each time, and the trace tells whose it is.  Without it they lie in the process, whose own context is in the
 * environment. Empty where nothing is recorded.
 */
SL_EXPORT void sl_traceparent(char to[56]);

/* Says in which span this process lies, as TRACEPARENT did when it began: for those that are told later, such as
 * workers that a server forked.  What is no trace context changes nothing. */
SL_EXPORT void sl_trace_parent(const char *traceparent);

/* Writes the trace file now as at exit (not to be called in a signal handler); what is recorded afterwards replaces it,
 * with all, at exit.  0, or an errno (ENOENT: nothing was recorded yet, or log-format=binary makes no such file). */
SL_EXPORT int sl_trace_flush(void);

/* What exit() does, for processes that leave by _exit(): the trace is complete, and nothing is recorded from now on. */
SL_EXPORT void sl_trace_finish(void);

/* ---- what PerfFlowAspect's compiler plugins put into annotated functions ---- */

/*
 * pointcut: before, after, around, and their _async forms, as annotated; flow: in, out, inout, outin or NA.  Where
 * async is not 0, the span is asynchronous, of this scope.  Any may be NULL.
 */
SL_EXPORT void perfflow_weave_before(int async, const char *module, const char *function, const char *scope,
                                     const char *flow, const char *pointcut);
SL_EXPORT void perfflow_weave_after(int async, const char *module, const char *function, const char *scope,
                                    const char *flow, const char *pointcut);

#ifdef __cplusplus
}
#endif

/* ---- for a block: the span ends where the block is left, by an exception or pthread_exit() too (C: -fexceptions) ----
 */

#if defined(__GNUC__)
SL_INLINE void sl_span_leave_(struct sl_site *const *site)
{
    if (*site)
        sl_end(*site);
}
#define SL_JOIN2_(a, b) a##b
#define SL_JOIN_(a, b) SL_JOIN2_(a, b)
#define SL_SPAN_AT_(name_, category_)                                                                                  \
    static struct sl_site SL_JOIN_(sl_site_, __LINE__) = SL_SITE(name_, category_);                                    \
    struct sl_site *const SL_JOIN_(sl_open_, __LINE__) __attribute__((cleanup(sl_span_leave_), unused)) =              \
        &SL_JOIN_(sl_site_, __LINE__);                                                                                 \
    sl_begin(SL_JOIN_(sl_open_, __LINE__))
/* Names are literals, as each place has one: "" makes sure of it. */
#define SPANLOOM_SPAN(name_) SL_SPAN_AT_("" name_, 0)
#define SPANLOOM_SPAN_IN(name_, category_) SL_SPAN_AT_("" name_, "" category_)
/* The function that it stands in. */
#define SPANLOOM_FUNCTION() SL_SPAN_AT_(__func__, 0)
/* A name that is known at run time only; it is looked up each time. */
#define SPANLOOM_SPAN_NAMED(name_)                                                                                     \
    struct sl_site *const SL_JOIN_(sl_open_, __LINE__) __attribute__((cleanup(sl_span_leave_), unused)) =              \
        SL_TRACING_ ? sl_site_of((name_), __FILE__) : (struct sl_site *)0;                                             \
    if (SL_JOIN_(sl_open_, __LINE__))                                                                                  \
    sl_begin(SL_JOIN_(sl_open_, __LINE__))

/* A statement for each of the rest, with a site of its own. */
#define SL_AT_(name_, call_)                                                                                           \
    do {                                                                                                               \
        static struct sl_site sl_here_ = SL_SITE("" name_, 0);                                                         \
        if (SL_TRACING_)                                                                                               \
            call_;                                                                                                     \
    } while (0)
#define SPANLOOM_INSTANT(name_) SL_AT_(name_, sl_instant(&sl_here_))
#define SPANLOOM_COUNTER(name_, value_) SL_AT_(name_, sl_counter(&sl_here_, (value_)))
#define SPANLOOM_ASYNC_BEGIN(name_, id_) SL_AT_(name_, sl_async_begin(&sl_here_, (id_)))
#define SPANLOOM_ASYNC_INSTANT(name_, id_) SL_AT_(name_, sl_async_instant(&sl_here_, (id_)))
#define SPANLOOM_ASYNC_END(name_, id_) SL_AT_(name_, sl_async_end(&sl_here_, (id_)))
#define SPANLOOM_FLOW_OUT(name_, id_) SL_AT_(name_, sl_flow(&sl_here_, (id_), SL_FLOW_OUT))
#define SPANLOOM_FLOW_STEP(name_, id_) SL_AT_(name_, sl_flow(&sl_here_, (id_), SL_FLOW_STEP))
#define SPANLOOM_FLOW_IN(name_, id_) SL_AT_(name_, sl_flow(&sl_here_, (id_), SL_FLOW_IN))
#endif

#endif
