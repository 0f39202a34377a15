/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Taking out what sources said: before they are read again, when their file was replaced, and for forget.  The sources
 * are named in temp.sl_retracted (id, since: from which place on); temp.sl_named (id) names spans that are known to be
 * named by others.  What they said lies below the roots that they name (sl_root), so that the cost is that of these;
 * temp.sl_touched has the roots; it stays for bindings, and has those of new rows by then.
 */
#ifndef SL_STORE_RETRACT_H
#define SL_STORE_RETRACT_H

#include "store/store.h"

int sl_retract_begin(struct sl_store *st, struct sl_err *err); /* makes the tables, empty */
/*
 * The source is retracted; since: from the record at this place on, whose spans (a JSON array of ids) are all that its
 * last records spoke of; INT64_MIN and NULL: all of it.
 */
int sl_retract_source(struct sl_store *st, int64_t source, int64_t since, const char *spans, struct sl_err *err);
/* Removes the rows of these sources; links that others assert, too, stay.  *back: events that waited because another
 * form of their log told them (dedup.h), and are back for sl_dedup_part() to judge. */
int sl_retract_rows(struct sl_store *st, int64_t *back, struct sl_err *err);
/* Spans whose source is retracted, one by one: column 0 is their id. */
int sl_retract_each(struct sl_store *st, sl_row_fn *fn, void *of, struct sl_err *err);
/*
 * Then, once all that is new is written: spans that nothing names any more become ghosts, with the weak links to them;
 * the others get a source that names them.
 */
int sl_retract_spans(struct sl_store *st, struct sl_err *err);
int sl_retract_end(struct sl_store *st, struct sl_err *err);

/* Takes away what rules linked; before new records come, so that what these assert is not in doubt. */
int sl_retract_bindings(struct sl_store *st, struct sl_err *err);

#endif
