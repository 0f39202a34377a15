/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page of an experiment: experiment_page.c has its first screen and its order, experiment_effects.c what each
 * treatment does, experiment_sections.c and experiment_models.c what follows.
 */
#ifndef SL_REPORT_EXPERIMENT_PAGE_INTERNAL_H
#define SL_REPORT_EXPERIMENT_PAGE_INTERNAL_H

#include "base/mem.h"
#include "report/experiment_page.h"
#include "show/show.h"

#include <math.h>

/* Among all that were compared; by a weaker rule; had it been the only one; it may be chance; nothing can be said. */
enum sure { SURE, PROBABLE, ALONE, CHANCE, UNKNOWN };

/* What a treatment does, by a model. */
struct effect {
    const char *name, *term;                    /* as treatments and as terms of a model are called: f=b, fb */
    const char *follows;                        /* of others, so nothing can be told; NULL: it does not */
    double estimate, lower, upper, p, holm, bh; /* of the logarithm where report.log */
    double kept;                                /* by an elastic net: in this share of drawings; otherwise NaN */
    enum sure sure;
    bool better, numeric;             /* numeric: of one more */
    size_t pairs, improved, worsened; /* of runs that are alike in all else */
    const char *factor, *base;        /* its factor, and the level of that in which it is not applied */
};

struct report {
    struct sl_buf *out;
    struct sl_store *st;
    const struct sl_question *question;
    struct sl_result about; /* the tables about and factors */
    const struct sl_about_row *run;
    const struct sl_table *factors;
    const char *unit;
    bool model, log, least_squares; /* there is one; of the logarithm; it has intervals */
    SL_VEC(struct effect) effect;   /* the surest first */
    size_t terms;                   /* of the model */
    size_t pairs, figures;          /* of runs that are alike in all but one factor */
    struct sl_arena text;
};

/* What a section is of: 0 where there is something to say, else it is left out. */
typedef bool section_fn(struct report *r);
struct section {
    const char *id, *title;
    section_fn *has, *put; /* has NULL: always */
};
extern const struct section experiment_sections[]; /* ends with a NULL id */

/* ---- sections (experiment_models.c) ---- */

section_fn experiment_scales, experiment_orders, experiment_models, experiment_pairs_of_treatments,
    experiment_components, experiment_variance;

/* ---- effects (experiment_effects.c) ---- */

/*
 * Takes the effects, of the logarithm, since effects on a score multiply more than they add; where a score is not above
 * 0, of the score.  An error: there is no model.
 */
int experiment_model(struct report *r, struct sl_err *err);
/* Pairs of runs that are alike in all else, by effect; after the model. */
void experiment_pairs(struct report *r);

/* ---- of all of them (experiment_page.c) ---- */

/* The first table of a question, in *of, which is to be freed; NULL: err says why there is none. */
struct sl_table *experiment_ask(struct report *r, struct sl_result *of, const struct sl_experiment_fn *fn, bool log,
                                bool interactions, struct sl_err *err);
/* The same of a question of one's own. */
struct sl_table *experiment_ask_of(struct report *r, struct sl_result *of, const struct sl_experiment_fn *fn,
                                   const struct sl_question *q, struct sl_err *err);
/* A paragraph. */
void experiment_put(struct report *r, const char *text);
/* "What is asked for cannot be said: ..." */
void experiment_cannot(struct report *r, const char *why);
/* An argument of a plot beside runs, how and experiment; a list of these ends with a NULL name. */
struct value {
    const char *name, *value;
};
/* A plot, and the command that draws it: "model --log"; NULL: `spanloom plot` does. */
void experiment_figure(struct report *r, const char *plot, const char *how, const struct value *more,
                       const char *command);
/* Which parts of the runs which treatments make longer for sure, by their logs, so many of them; how many it put. */
size_t experiment_parts(struct report *r, size_t most);
/* "16 runs cannot tell 107 terms apart, so ..." of an elastic net with so many terms. */
void experiment_shrunk(struct report *r, size_t terms, const char *so);
/* In words, with which treatments more runs fail, or fewer, where that is sure; false: with none. */
bool experiment_fails(struct report *r);
/* In words, what changed with time beside treatments, where that is sure; false: nothing. */
bool experiment_changes(struct report *r);
/* Appends a blank and s as a word for a shell. */
void experiment_word(struct sl_buf *b, const char *s);
/* "+205 %", or in the unit of the score. */
const char *experiment_change(const struct report *r, double estimate, char buf[2 * SL_SHOW_NUMBER]);
const char *experiment_change_interval(const struct report *r, double low, double high, char buf[4 * SL_SHOW_NUMBER]);
static inline const char *count_text(size_t n, char buf[SL_SHOW_NUMBER])
{
    return sl_show_count((unsigned long long)n, buf);
}

#endif
