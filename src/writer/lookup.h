/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the writer: spans that the store knows, looked up as an import names them. */
#ifndef SL_WRITER_LOOKUP_H
#define SL_WRITER_LOOKUP_H

#include "writer/writer_internal.h"

int sl_lookup_open(struct sl_writer *w, struct sl_err *err); /* once the names are loaded */
void sl_lookup_close(struct sl_writer *w);

/* The identity in memory, else in the store; UINT32_MAX: in neither.  Pointers into w->ids.v are void behind each of
 * these.  Where the store cannot be read they find nothing, and sl_lookup_failed() tells. */
uint32_t sl_lookup_find(struct sl_writer *w, uint32_t parent, uint32_t type, struct sl_key key);
uint32_t sl_lookup_add(struct sl_writer *w, uint32_t parent, uint32_t type, struct sl_key key); /* finds or makes */
uint32_t sl_lookup_id(struct sl_writer *w, int64_t id);                                         /* by the store's id */
uint32_t sl_lookup_loaded(const struct sl_writer *w, uint32_t store);      /* the same, of what was looked up so far */
void sl_lookup_below(struct sl_writer *w, uint32_t i);                     /* loads all that lies in i */
void sl_lookup_roots(struct sl_writer *w, uint32_t type, const char *key); /* loads roots: key, or key/... */
/* Loads the spans of a type with a key at any depth in i. */
void sl_lookup_inside(struct sl_writer *w, uint32_t i, uint32_t type, struct sl_key key);

/* Loads the spans of the last records of files that are read on, so that it is seen who still mentions them. */
int sl_lookup_tails(struct sl_writer *w, struct sl_err *err);

/* Takes the weak links of these (indices), which are ghosts no more, out of the store and before those of w->weak. */
int sl_lookup_weak(struct sl_writer *w, const uint32_t *risen, size_t n, struct sl_err *err);

int sl_lookup_failed(struct sl_writer *w, struct sl_err *err); /* 0, or the first error */

#endif
