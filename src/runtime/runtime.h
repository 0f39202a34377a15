/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime's own: what its files share.  Everything here is hidden from the program that it lives in. */
#ifndef SL_RUNTIME_RUNTIME_H
#define SL_RUNTIME_RUNTIME_H

#include "spanloom/trace.h"
#include "trace/format.h"
#include "trace/options.h"

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* Around everything slow: no signal handler of this thread comes between, and errno stays. */
struct sl_guard {
    sigset_t mask;
    int error;
};
void sl_guard_enter(struct sl_guard *g);
void sl_guard_leave(const struct sl_guard *g);

/* Of the thread only: the compiler keeps the order, and a signal handler sees it.  No other thread looks. */
#define SIGNAL_FENCE() atomic_signal_fence(memory_order_seq_cst)

enum sl_ready { SL_COUNTER = 1, SL_SYSTEM_CLOCK, SL_CAREFUL /* spans may be counted or left out; either clock */ };

enum { SL_SHORTS = 64, SL_SHORT_DEPTH = 32, SL_SHORT_SLOTS = 256 };

/* A span that was begun, and may yet become a count: its begin is the last word before `state`, but for the counts of
 * what it had in it. */
struct sl_short {
    uint64_t state; /* of the chunk, behind the begin */
    uint32_t run;   /* where the counts begin that stand right before the begin */
};

/*
 * What a thread writes with, in memory that a fork leaves zero in the child (rt.wiped), so that the child notices
 * whichever call made it.
 */
struct sl_lane {
    uint32_t ready; /* enum sl_ready; 0: a write is under way, and whoever comes now is a signal handler; or a fork
                       wiped it */
    uint32_t room;  /* words of a buffer */
    uint64_t until; /* clock at which the slow way has something to do */
    struct sl_tf_chunk *chunk; /* NULL: wiped */
    struct sl_lane *deeper;    /* for signal handlers */
    struct sl_lane *next;      /* in sl_rt.free */
    uint64_t epoch;
    uint32_t retry;                  /* events to lose until the full disk is asked again */
    bool used;                       /* by a thread, now */
    uint64_t run_state;              /* of the chunk, behind the counts in a row that it ends with */
    uint32_t run;                    /* where they begin, in words */
    uint32_t depth;                  /* of open[] */
    uint32_t counts[SL_SHORT_SLOTS]; /* where that of a site may be, by its number and the depth */
    struct sl_short open[SL_SHORT_DEPTH];
};

enum sl_state { SL_UNSET, SL_OFF, SL_READY, SL_OPEN, SL_FAILED, SL_DONE };

struct sl_runtime {
    pthread_mutex_t lock;     /* held with all signals blocked */
    pthread_mutex_t flushing; /* taken before it: writing takes time that others need not wait for */
    _Atomic enum sl_state state;
    struct sl_options options;
    /* The file. */
    char path[PATH_MAX], pfw[PATH_MAX]; /* absolute: programs change directories */
    int fd;
    dev_t dev;
    ino_t ino;
    uint32_t writers;       /* threads that write to fd, outside the lock: the last of them closes it in SL_DONE */
    uint64_t end, reserved; /* where the next chunk goes; how far blocks were asked for */
    struct sl_tf_header *header;
    struct sl_defs *defs; /* the newest first; in a child at first its parent's */
    uint32_t sites;       /* numbers given so far */
    /* Lanes. */
    struct sl_lane *free;
    uint32_t lane_count;
    struct sl_wiped *_Atomic wiped;
    pthread_key_t key;
    bool keyed;
    /* The process. */
    pid_t pid;
    uint64_t trace_id[2], span_id, parent_id, parent_process;
    uint64_t fork_context; /* of a fork that is under way */
    uint64_t min_ticks;    /* min-duration; 0: none */
    bool forked, forks;    /* is a child; has children */
    struct sl_guard forking;
    struct sl_lane
        *torn; /* of the thread that forks, perhaps in a signal handler within an event: the child comes back to it */
    struct sl_tf_chunk *torn_chunk;
    uint32_t define_retry; /* sites not to define until it is tried again */
    char instance_path[1024];
    struct sl_tf_moment start;
    dev_t stderr_dev; /* which file descriptor 2 was of as this began; stderr_ino 0: none to be written to */
    ino_t stderr_ino;
    int64_t realtime_ns;
    atomic_ullong ids; /* from a random one on, so that those of several processes are not taken for the same; below
                          2^53, for JSON */
};

struct sl_wiped { /* a page of lanes */
    struct sl_wiped *older;
    uint64_t alive;
    size_t given;
    struct sl_lane lanes[];
};

struct sl_defs {
    struct sl_tf_chunk *chunk;
    struct sl_defs *older;
};

extern struct sl_runtime sl_rt;
extern __thread struct sl_lane *sl_current; /* never NULL: &sl_no_lane, which is never ready, before the first event */
extern struct sl_lane sl_no_lane;

static inline uint64_t *sl_lane_words(const struct sl_lane *l)
{
    return (uint64_t *)(l->chunk + 1);
}

/* ---- start.c ---- */

/* Opens the file if need be.  Under the lock. */
bool sl_open(void);
/* One line on standard error about a file.  Guarded. */
void sl_complain(const char *path, const char *why);

/* ---- names.c: at the start ---- */

/* Below dir, without the ending; pid: append it, though it was not asked for. */
void sl_names_make(const struct sl_options *o, bool pid, char *base, size_t n);
/* "name=value" texts about the process, each with its NUL; returns bytes. */
size_t sl_names_facts(char *to, size_t n);
void sl_names_instance_path(char *to, size_t n);
/* This process lies in the span of this context; false: it is none. */
bool sl_names_lie_in(const char *traceparent);
/* Reads TRACEPARENT, or makes a new trace. */
void sl_names_read_parent(void);
/* Makes the environment say who this process is, for its children; for those of a fork that has no trace so far, such
 * as one that will exec, where it lies. */
void sl_names_export(void);
void sl_names_unexport(void);
void sl_names_new_ids(void);
uint64_t sl_random(void);

/* ---- trace_file.c ---- */

/* Makes the trace file, with its header and the definitions so far.  False: it could not. */
bool sl_file_make(void);
/* A chunk of so many bytes (a multiple of SL_TF_PAGE), zero, mapped, its blocks allocated; NULL: no room.  Under the
 * lock. */
struct sl_tf_chunk *sl_file_chunk(size_t size);
void sl_file_close(void);
/* Writes a chunk of n words that is not mapped. */
bool sl_file_write(struct sl_tf_chunk head, const uint64_t *words, size_t n);
/* Reads the clocks again, for the header.  Under the lock. */
void sl_file_moment(void);
/* A descriptor of the file that is the caller's; -1: it could not.  Under the lock. */
int sl_file_dup(void);
/* Makes the .pfw of what fd has now.  0, or an errno. */
int sl_file_export(int fd);
/* The process ends in order: the .pfw is made, and the file goes; what could not be kept is said.  Under the lock. */
void sl_file_finish(void);

/* ---- leftover.c ---- */

/* Which namespace pids are of here; 0: unknown. */
uint32_t sl_leftover_pids(void);
/* Makes the .pfw of processes that are dead, and of this log-dir. */
void sl_leftover_end(void);

/* ---- record.c ---- */

/* A begin (0) or end (1) of a function whose name is a symbol. */
void sl_mark_symbol(struct sl_site *site, uint32_t end);
/* A new id by which the innermost open span of this thread is known to other processes. */
uint64_t sl_context(void);
void sl_traceparent_write(char to[56], uint64_t id);

/* ---- counts.c ---- */

/* A begin or end where spans below min-duration become counts; false: nothing was recorded, and it goes the slow way.
 */
bool sl_count(struct sl_site *site, uint32_t end);
/* What min-duration comes to, on this clock. */
uint64_t sl_count_ticks(uint64_t min_ns);

/* ---- sites.c ---- */

enum { SL_SITE_OFF = 1 }; /* as the code of a site: nothing of it is recorded */
#define SL_SITE_WOVEN (UINT32_C(1) << 31)
/* Of a woven function that options `only` and `skip` leave out: switches it off, and says so.  Guarded. */
bool sl_site_switch_off(struct sl_site *site);

/* Gives the site its number.  Under the lock; false: it could not. */
bool sl_site_define(struct sl_site *site, uint32_t flags);
/* NULL: no memory. */
struct sl_site *sl_site_find(const char *name, const char *category, uint32_t flags);
/* Takes over the definitions of a parent process.  Under the lock. */
bool sl_sites_inherit(struct sl_defs *from);

/* ---- lanes.c ---- */

/* A lane of this thread with room for n words, its clock right; NULL: what was to be written is lost.  Guarded. */
struct sl_lane *sl_lane_with(size_t n, uint64_t ticks);
void sl_lane_lose(struct sl_lane *l);
/* How many events were lost so far.  Under the lock. */
uint64_t sl_lanes_lost(void);
/* The process ends, or the library is unloaded: gives back what no other thread may be using.  Under the lock. */
void sl_lanes_end(void);
/* Recording was turned off: nobody is to go the fast way.  Under the lock. */
void sl_lanes_stop(void);
/* Of a thread that ends: what pthread calls with its lane. */
void sl_lane_leave(void *lane);
/* Forgets what was the parent's, if this process was forked and has not noticed yet.  Guarded. */
void sl_lane_notice_fork(void);
void sl_before_fork(void);
void sl_after_fork_parent(void);
void sl_after_fork_child(void);

#endif
