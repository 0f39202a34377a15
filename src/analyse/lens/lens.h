/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What analyses look through: events that are ignored, appear under another name, or are merged into one.  The rules
 * are the rows of main.sl_lens (the store's own) and, behind them, of temp.sl_lens (those of this session), where
 * there are such tables; each by id.  docs/man/spanloom-lens.7 says what each kind of rule does.
 *
 * A lens first learns the kinds of events there are, (span type, event type), each by sl_lens_kind().  sl_lens_close()
 * then works out what becomes of each, so that an event costs one look into an array.
 */
#ifndef SL_ANALYSE_LENS_LENS_H
#define SL_ANALYSE_LENS_LENS_H

#include "analyse/load/events.h"

struct sl_lens;

enum { SL_LENS_WITHIN_NS = 100000000 }; /* merge, where within_ns is NULL */

/* Reads the rules of db.  On success *out is to be freed.  A rule that makes no sense is an error that names its id. */
int sl_lens_load(struct sl_lens **out, sqlite3 *db, struct sl_err *err);
void sl_lens_free(struct sl_lens *l);
/* There are no rules: all is as it is. */
bool sl_lens_clear(const struct sl_lens *l);

/* Before sl_lens_close(): numbers a kind of event, 0 upwards, each once. */
uint32_t sl_lens_kind(struct sl_lens *l, const char *type, const char *event);
void sl_lens_close(struct sl_lens *l);

/*
 * After it: the code of what a kind appears as, before any merging; SL_NO_INDEX: it is ignored.  Codes are in the order
 * of the names (span type, event type) and smaller than sl_lens_codes().
 */
uint32_t sl_lens_see(const struct sl_lens *l, uint32_t kind);
uint32_t sl_lens_codes(const struct sl_lens *l);
const char *sl_lens_span_type(const struct sl_lens *l, uint32_t code);
const char *sl_lens_event_type(const struct sl_lens *l, uint32_t code);

/*
 * Merges the events of one root, sorted, in place, and applies the rules that stand behind a merge; returns how many
 * are left, sorted.  What events are merged into has the time and the `of` of the first of them.  events, NULL or
 * zeroed: events[of] becomes how many they are; that of an event that no merge took stays 0.
 */
size_t sl_lens_merge(struct sl_lens *l, struct sl_timed_event *v, size_t n, uint32_t *events);

/* All of it at once, but for the merging: the types of e become codes, what is ignored is taken out.  Closes l. */
void sl_lens_events(struct sl_lens *l, const struct sl_graph *g, struct sl_events *e);

/* After closing: the first pattern of rule `id`, from the *at-th, that no kind matched; NULL: none.  temp: of
 * temp.sl_lens. */
const char *sl_lens_idle(const struct sl_lens *l, bool temp, int64_t id, size_t *at);

/* Does text match pattern, in which * is any run of characters? */
bool sl_lens_glob(const char *pattern, const char *text);

#endif
