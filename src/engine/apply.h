/* SPDX-License-Identifier: Apache-2.0 */
/* The engine's side of one file: readers push records in, batches come out. */
#ifndef SL_ENGINE_APPLY_H
#define SL_ENGINE_APPLY_H

#include "engine/batch.h"
#include "recipe/reader.h"
#include "recipe/recipe.h"

#include <stdatomic.h>

enum sl_parse_mode {
    SL_PARSE_IMPORT,
    SL_PARSE_SHARES, /* only what share: rules tell, and no further than needed */
    SL_PARSE_NAMING, /* also the naming: rules, for show --lines */
};

/* What became of a record; for recipes --test and show --lines. */
struct sl_outcome {
    int64_t place;
    const char *text; /* the whole record, or the message where the reader gives fields */
    size_t n;
    const struct sl_rule *rule; /* the (last) that matched, NULL: none */
    const char *reject;         /* why it was rejected, or NULL */
    bool skipped;
    size_t event0, link0, span0, attr0, sample0, zone0, share0, wrote0, raw0,
        reject0; /* where what it added to the batch begins */
};

struct sl_call_sums;
struct sl_record_filter;
struct sl_region;

struct sl_parse {
    const struct sl_recipe *recipe;
    const struct sl_input *input;
    struct sl_recipes *set;
    enum sl_parse_mode mode;
    /* Where the file's bytes lie (unpack/bytes.h), NULL: in the file of its path; and then those of its -wal. */
    const struct sl_region *region, *wal;
    /* Takes a full batch away; its part and counts are final. */
    void (*emit)(void *to, struct sl_batch *b);
    /* If set, called after every record. */
    void (*watch)(void *to, struct sl_parse *p, const struct sl_outcome *o);
    /* If set, told what a record came by: the input, the head, each rule that fits and its pattern and conditions. */
    void (*saw)(void *to, const void *what);
    void *to;
    /* SL_PARSE_NAMING: the records of text that are skipped; NULL: none. */
    const struct sl_record_filter *filter;
    /* Pairs of field and value that the user gives, ends with NULL; what records have themselves goes before. */
    const char *const *given;
    const char *overruled;     /* one of these that records have */
    const atomic_bool *cancel; /* may be NULL */
    atomic_ullong *progress;   /* bytes read, may be NULL */
    struct sl_call_sums *sums; /* where readers of traces add calls up instead of telling them; NULL: nowhere */
    /* What the reader saw of the file: for the source. */
    uint64_t bytes;
    char hash[33];
    bool adrift;  /* its times count from a moment that it does not say */
    bool unended; /* who wrote it meant to make another file of it, and did not */
    /* A record of the syntax was met, understood or not; something that is none.  One is enough to believe the path. */
    bool met, strange;

    struct sl_batch *batch;
    const char *part;                    /* table at hand */
    bool *other_table;                   /* by rule: it is about other tables */
    struct sl_value *context, *base, *f; /* path; the record; the record with the rule's captures */
    const char **yields;                 /* by slot: the name of the field that is given, and not by the path */
    struct sl_match *match, *head_match; /* head_match: of the head, while a rule's match is still wanted */
    int32_t *memo;                       /* mentions -> the span that was named last, -1: none yet */
    int32_t *memo_record;                /* scratch of mention() */
    SL_VEC(struct sl_extra {
        const char *name;
        size_t n;
        struct sl_value v;
    })
    extra;                   /* fields nobody names */
    struct sl_arena scratch; /* of one record */
    struct sl_buf *text;
    const char *raw; /* the record at hand, as read */
    size_t nraw;
    const char *whole; /* set by readers of JSON: the record as it stands, for raw: */
    size_t nwhole;
    const char *shown; /* set by other readers of fields: the record as it stands in the file, for people */
    size_t nshown;
    const struct sl_pattern *head; /* whose captures are still to be filled in */
    bool filled;
    int64_t place;
    SL_VEC(uint32_t) touched; /* SL_PARSE_NAMING: spans that the record names */
    struct sl_variables *variables;
    struct {
        uint64_t hash;
        uint32_t id;
    } names[64]; /* interned lately: saves the lock */
    struct {
        char text[40];
        uint32_t n;
        bool naive;
        int64_t ns;
    } times[4]; /* by the input's declarations: the last of each, as one is asked for again, or is of the same second */
    bool stop;
    char reason[300]; /* why the last record was rejected, or the first thing that is none */
};

/*
 * Prepares p (zeroed by the caller, its public fields set) for a file: context fields from the path, and from `extra`
 * (pairs of name and value, ends with NULL).  False: a context field is unusable, p->reason says why.
 */
bool sl_parse_start(struct sl_parse *p, const struct sl_pattern *files, const char *path, const char *const *extra);
/* Emits the last batch and frees what p holds. */
void sl_parse_finish(struct sl_parse *p);

/* ---- for readers ---- */

static inline bool sl_parse_stopped(const struct sl_parse *p)
{
    return p->stop || (p->cancel && atomic_load_explicit(p->cancel, memory_order_relaxed));
}

/* A record of text: head is the pattern that matched at its beginning (NULL: none), text follows at `message`. */
void sl_parse_text(struct sl_parse *p, int64_t place, const char *rec, size_t n, const struct sl_pattern *head,
                   size_t message);

/*
 * A record of fields: begin, set each, end.  Names and texts must live until end.  Slots are those of the recipe; a
 * field that no rule names (slot -1) is kept only for `attrs: "*"` and raw.  What the path says stays as it is.
 */
void sl_parse_begin(struct sl_parse *p, int64_t place);
int sl_parse_slot(const struct sl_parse *p, const char *name, size_t n);
void sl_parse_set(struct sl_parse *p, int slot, const char *name, size_t n, struct sl_value v);
void sl_parse_end(struct sl_parse *p);

/* For watchers: the time of the record at hand; false: it has none. */
bool sl_parse_time(struct sl_parse *p, int64_t *ns, bool *naive);

/* Something was claimed that is no record: counted as read and rejected. text is the beginning of it. */
void sl_parse_reject(struct sl_parse *p, int64_t place, const char *reason, const char *text, size_t n);

/* The table whose records follow; false: no rule wants it. */
bool sl_parse_part(struct sl_parse *p, const char *table);

#endif
