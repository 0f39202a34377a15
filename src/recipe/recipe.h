/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recipes: what the records of a component's log mention.  The language is described for users in docs/man/
 * spanloom-recipe.5; this is its compiled form.  Recipes are immutable after loading and shared by all threads.
 */
#ifndef SL_RECIPE_RECIPE_H
#define SL_RECIPE_RECIPE_H

#include "base/intern.h"
#include "recipe/merge_rules.h"
#include "recipe/pattern.h"
#include "recipe/time.h"
#include "recipe/yaml_keys.h"
#include "store/store.h"

#include <pthread.h>

/* "{a}/{b}" compiled.  One part with a field and nothing else keeps the field's type. */
struct sl_template {
    int n;
    struct sl_template_part {
        const char *text; /* literal, where field < 0 */
        uint32_t len;
        int field;
    } * part;
};

/* A name that is either known (id of sl_name) or made from fields. */
struct sl_named {
    uint32_t id; /* 0: evaluate the template */
    struct sl_template t;
};

/* How a recipe names spans of one alias: the declaration of names.yaml, bound to this recipe's fields. */
struct sl_mention {
    const char *alias;
    struct sl_named type;
    struct sl_template key, otherwise; /* otherwise (`or:`) is used where a field of key is missing */
    struct sl_template path; /* where it has parts: JSON, a list of types and keys from the root on; no type, no key */
    int parent;              /* index of the naming parent's mention, always smaller; -1: a root */
    bool of_context;         /* all fields come from the path: the same span for the whole file */
    bool in_writer;          /* it lies in whoever wrote the file */
};

struct sl_ref {
    int mention;
    bool weak; /* ~alias */
};

struct sl_relation {
    enum sl_link_kind kind;
    struct sl_ref left, right;
};

struct sl_pair { /* a named value */
    struct sl_named name;
    struct sl_template value;
};

struct sl_pairs {
    struct sl_pair *v;
    int n;
    bool all;       /* "*": every field of the record */
    uint32_t shape; /* id of sl_shape where all names are known; 0: they are not */
};

struct sl_rule {
    int line;      /* in the recipe */
    uint32_t name; /* id in sl_name: "recipe:line", what links say of who asserted them */
    struct sl_pattern *match;
    int nmatch;
    struct sl_when {
        int field;
        const char **is; /* one of these, or */
        int nis;
        struct sl_pattern pattern; /* this, where nis == 0 */
    } * when;
    int nwhen;
    int each_of; /* field; -1: none */
    struct sl_pattern each;
    int each_from, each_to, each_by; /* fields that it captures: also for the numbers between; -1: none */
    struct sl_ref span;              /* mention < 0: none */
    struct sl_ref *mention;
    int nmention;
    struct sl_rule_event {
        struct sl_named name;
        int time, other; /* fields, of which the later counts; -1: none, and without a first one the record's time */
    } * event;
    int nevent;
    struct sl_pairs attrs, samples;
    int *alike; /* fields: attributes that many records have in common, kept once; not in attrs, where these are all */
    int nalike;
    struct sl_relation *relation;
    int nrelation;
    struct sl_keep {
        int value, by_id; /* by_id: the same for the same text of by */
        struct sl_template by;
    } * keep, *look, *count;
    int nkeep, nlook, ncount;
    struct sl_share {
        const char *field;
        struct sl_template value, scope;
    } * share;
    int nshare;
    struct sl_wrote {
        int mention;
        struct sl_template path;
    } * wrote; /* the span, or one of its kind, wrote the file at this path */
    int nwrote;
    struct sl_template reject; /* why the record is rejected; n == 0: it is not */
    bool skip, raw, also;
    bool included; /* of `include:`, in whose line it stands */
};

struct sl_input {
    int line;
    struct sl_pattern *files;
    const char **files_text;
    int nfiles;
    const struct sl_reader *reader;
    struct sl_pattern *head, *bare; /* bare: the same without captures */
    int nhead;
    struct sl_time_of {
        int field;
        struct sl_time_format format;
    } * time;
    int ntime;
    int text; /* the field that holds the message, for readers of fields; -1: none */
    const char *comment, *rows;
    char sep; /* of csv */
    const char **empty;
    int nempty;
    const char **columns; /* of csv without a header row */
    int ncolumns;
    const char **json; /* fields that hold JSON in a text */
    int njson;
    const char *pair_name, *pair_value; /* keys of {name, value} objects that make up a row; NULL: rows are objects */
    const char **holds;                 /* only files that hold one of these texts */
    int nholds;                         /* 0: any */
    bool begins;                        /* ... in their first 4 KiB */
    bool named;                         /* only files that the user names, not those found below a folder */
    bool whole;                         /* written at once: a last line that has no end is one */
    struct sl_default {
        int field;
        const char *value;
    } * defaults;
    int ndefaults;
    struct sl_input_table {
        const char *name;
        struct sl_rename {
            int field;
            const char *column;
        } * rename;
        int nrename;
    } * table;
    int ntable;
    int32_t zone_s; /* of local times, where the recipe says it; INT32_MIN: it does not */
    bool teaches;   /* a record may hold absolute and local time */
    int phase;      /* 0: teaches zones (absolute and local time in each record); 1; 2: local times only */
};

struct sl_sample_test {
    int line;
    const char *file, *zone, *text; /* text: lines; NULL: rows */
    const struct sl_yaml *rows;
    const char **gives;
    int ngives;
};

struct sl_recipe {
    const char *name, *about, *component;
    const char *path; /* where it came from, for messages */
    const char *text; /* its YAML */
    char hash[17];    /* XXH3-64 of it, hexadecimal */
    const struct sl_recipes *set;
    bool tried;                /* one of ours: its patterns are known to be right */
    struct sl_intern fields;   /* slot = id - 1 */
    bool *is_int, *is_context; /* by slot */
    int *own, nown;            /* slots of what a record itself may have: what "*" is */
    int nfields;
    int field_text, field_file, field_line, field_row, field_table;
    struct sl_input *input;
    int ninput;
    struct sl_mention *mention;
    int nmention;
    int *about_mention; /* contexts: */
    int nabout;
    struct sl_rule *rule, *naming; /* naming: asserts nothing, only `show --lines` runs it */
    int nrule, nnaming;
    uint16_t *first[257]; /* rules that a message beginning with that byte may match, ends with UINT16_MAX; 256: an
                             empty one */
    bool shares;          /* some rule has share: */
    bool else_raw;
    bool wants_all; /* attrs: "*" or raw: fields that no rule names matter too */
    struct sl_sample_test *sample;
    int nsample;
    struct sl_yaml *yaml;                 /* whose texts it borrows */
    const struct sl_yaml *records;        /* what rule[] is made of, with what is included */
    struct sl_arena arena;                /* all of the above but the fields */
    SL_VEC(struct sl_pattern *) patterns; /* all: what of them PCRE2 made is not in the arena */
};

/* Children of faceted spans that are facets too. */
struct sl_facet_rule {
    uint32_t left, right;             /* span types, ids in sl_name */
    uint32_t under_left, under_right; /* 0: directly below two facets; else at any depth below facets of these types */
    uint32_t rule;                    /* name of the rule in links */
};

enum { SL_PROCESS_VARIABLES = 4 }; /* of a process's environment that one declaration may name */

/*
 * Aliases of root spans: what a rule links lies in those of one run, of which it knows by the first field of their
 * keys, and nothing else decides what it links (bind/roots.c).  None: it may look anywhere.
 */
struct sl_bind_roots {
    const char *alias[4];
    size_t n;
};

struct sl_recipes {
    bool samples; /* those of the built-in recipes are wanted, which are most of their text */
    struct sl_recipe **v;
    size_t n;
    SL_VEC(struct sl_facet_rule) facets;
    SL_VEC(struct sl_shared_field { const char *field, *by; }) shared; /* run_id is the same within a rundir */
    SL_VEC(struct sl_table_decl { /* a view of one row a span: the first alias leads, the others are joined to it */
                                  const char *name, *alias[8];
                                  int n;
    })
    tables;
    SL_VEC(struct sl_rules_decl {
        const char *name;
        const struct sl_yaml *list;
    })
    rules; /* for `include:` */
    SL_VEC(struct sl_bind_decl {
        const char *name, *rule; /* bind_rule.h */
        struct sl_bind_roots roots;
    })
    binds;
    SL_VEC(struct sl_sequence_decl {
        const char *name, *rule, *left, *right; /* two SELECTs */
        struct sl_bind_roots roots;
    })
    orders;
    SL_VEC(struct sl_process_decl { /* spans that the environments of traced processes name: bind/environment.c */
                                    const char *bind, *says, *variable[SL_PROCESS_VARIABLES], *spans;
                                    const char *pids; /* they are tasks of a worker, bind/worker.c; else NULL */
                                    size_t n;         /* variables */
    })
    processes;
    SL_VEC(struct sl_role_decl { const char *type, *role; }) roles; /* states.h */
    SL_VEC(struct sl_phase_decl {
        const char *state, *component, *kind; /* component NULL: as before */
        const char *span_type, *event_type;
        int rank;
        bool again;
    })
    phases;
    int phase_rank;
    SL_VEC(struct sl_handover_decl { const char *type[2], *event[2]; }) handovers;
    SL_VEC(struct sl_merge) lens; /* what the stories of tasks are compared through, where nothing else is said */
    struct sl_intern names;       /* types, events, attributes, metrics, rules; guarded by lock once threads run */
    struct sl_intern shapes;      /* lists of names, NUL-separated */
    pthread_mutex_t lock;
    struct sl_arena arena;
    SL_VEC(struct sl_yaml *) docs;
    SL_VEC(struct sl_alias_decl {
        const char *alias, *type, *key, *otherwise, *in;
        const char *path;             /* a template of all types and keys; type and key are "" */
        const struct sl_recipe *only; /* declared by this recipe; NULL: by a names file, for all */
        const char *where;
    })
    aliases;
    SL_VEC(struct sl_int_decl {
        const char *field;
        const struct sl_recipe *only;
    })
    ints;
};

struct sl_recipes *sl_recipes_new(void);
void sl_recipes_free(struct sl_recipes *set);

/* Adds one file: a recipe, or names (spans, fields, facets, roles, phases, ...).  A recipe of the same name replaces
 * the older one.
 */
int sl_recipes_add(struct sl_recipes *set, const char *path, const char *text, size_t n, struct sl_err *err);
int sl_recipes_add_file(struct sl_recipes *set, const char *path, struct sl_err *err);
/* The built-in recipes, then the user's: $XDG_CONFIG_HOME/spanloom/recipes (or ~/.config/...), by name. */
int sl_recipes_add_default(struct sl_recipes *set, struct sl_err *err);
/* Binds aliases to recipes once all are there; after it, recipes can be used. */
int sl_recipes_compile(struct sl_recipes *set, struct sl_err *err);

const struct sl_recipe *sl_recipes_find(const struct sl_recipes *set, const char *name);

/* The recipe's input that takes path, and by which pattern; NULL: none does. */
const struct sl_input *sl_recipe_input(const struct sl_recipe *r, const char *path, const struct sl_pattern **files);

/* Thread-safe interning after compile. */
uint32_t sl_recipes_name(struct sl_recipes *set, const char *s, size_t n);
uint32_t sl_recipes_shape(struct sl_recipes *set, const char *names, size_t n);

#endif
