/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is held of every span that is exported, as arrays: it is asked of spans all over the store, and a query each
 * costs ten times what it finds.  36 bytes a span and 8 a link; with identities 12 more.
 */
#ifndef SL_EXPORT_TIMELINE_OUTLINE_H
#define SL_EXPORT_TIMELINE_OUTLINE_H

#include "base/intern.h"
#include "export/stored_names.h"

/* What a span came of, or what came of it: what it is named in or lies in (SL_IN), what it waited for (SL_AFTER), what
 * handed over to it (SL_FLOW). */
struct sl_cause {
    uint32_t span : 30, kind_less_1 : 2;
};
static inline enum sl_link_kind sl_cause_kind(struct sl_cause c)
{
    return (enum sl_link_kind)(c.kind_less_1 + 1);
}

struct sl_causes { /* those of span i: of[start[i]] up to, not including, of[start[i + 1]] */
    uint32_t *start;
    struct sl_cause *of;
};

/* Where a span is known by what it is, in whatever store: from its type and key and those of what it is named in. */
struct sl_exported_identity {
    uint64_t trace[2], span; /* of OpenTelemetry; trace: of the root, its run id where it is a UUID */
};

struct sl_outline {
    struct sl_idmap id;             /* spans by their index, in order of their ids */
    uint32_t *parent;               /* index; SL_NO_INDEX: a root */
    uint32_t *type;                 /* index in words.names; SL_NO_INDEX: it has none */
    struct sl_causes cause, effect; /* of a span's causes the parent is the first */
    uint32_t *label;                /* in labels; 0: not looked for yet, or none */
    struct sl_intern labels;
    uint64_t *hash; /* NULL: no identities were asked for */
    uint32_t *root; /* in trace */
    SL_VEC(struct { uint64_t word[2]; })
    trace;
    bool any_after; /* links of that kind */
};

/* Of the spans of the table sl_exported; part: these are not all. */
int sl_outline_load(struct sl_outline *o, struct sl_words *w, bool part, struct sl_err *err);
int sl_outline_identities(struct sl_outline *o, struct sl_words *w, struct sl_err *err);
void sl_outline_free(struct sl_outline *o);

/* What people call it: its app or function, or (around) that of what it is a part of.  NULL: it has no such name. */
const char *sl_outline_label(struct sl_outline *o, uint32_t span, bool around);
struct sl_exported_identity sl_outline_identity(const struct sl_outline *o, uint32_t span);

#endif
