/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A linear model of the scores: least squares on what was applied, on the time since the first run, and on the time of
 * day.  Terms are called as R calls them; a numeric factor is one term, a categorical one has a term for each level but
 * the first.
 */
#ifndef SL_EXPERIMENT_MODEL_LINEAR_MODEL_H
#define SL_EXPERIMENT_MODEL_LINEAR_MODEL_H

#include "experiment/runs.h"

struct sl_term {
    const char *name;
    int32_t part[2]; /* treatments (of a numeric factor its first); -1: none, as of the intercept and of times */
    double estimate; /* NaN: it follows from other terms, see `follows` */
    double error, lower, upper, t, p; /* NaN where no run is left to tell */
    double p_holm, p_bh; /* p, where all terms but the intercept are looked at: see kernels/regression/adjust.h */
    double mean;         /* of its column */
    double kept;         /* by an elastic net: share of SL_MODEL_DRAWINGS drawings of the runs in which it is not 0 */
    const char *follows; /* "1 - a - b"; NULL: from none */
};

enum sl_model_method { SL_MODEL_LEAST_SQUARES, SL_MODEL_ELASTIC_NET, SL_MODEL_TOBIT };
extern const char *const sl_model_methods[]; /* "least squares", ... */
enum { SL_MODEL_DRAWINGS = 100 };

struct sl_linear_model {
    enum sl_model_method method;
    bool log, interactions; /* of log(score) */
    size_t n;               /* runs that went in */
    uint32_t *run;
    struct sl_term *term; /* the intercept first */
    size_t terms;
    double *fitted; /* of each run that went in, in the unit of the score (also where log) */
    size_t df;
    double r_squared, adj_r_squared, residual_stddev, f, f_p; /* residual_stddev of log(score) where log */
    bool timed, daily; /* are the time, and the time of day, among the terms?  The latter needs runs of a day or more */
    double *column;    /* the matrix, columns of n, without the intercept's, then log(score) or score */
    double alpha, lambda; /* of an elastic net; otherwise NaN */
    double lambda_1se;    /* a larger one, which is not clearly worse; NaN: lambda was given */
    double cv_r_squared;  /* of runs that were left out; NaN: likewise */
    double limit;         /* of a Tobit model: what failed runs scored, or worse; otherwise NaN */
    size_t censored;      /* of so many runs */
    struct sl_arena arena;
};

/*
 * Fits what q asks for: by least squares; by an elastic net (kernels/regression/elastic_net.h) where q says so, or
 * where there are not more runs than terms.  An elastic net has estimates, shrunk towards 0, without errors: what a
 * bootstrap would say of them does not cover the truth (Chatterjee & Lahiri, Proc. AMS 138 (2010) 4497), so it says how
 * often each is kept. Where q has a limit, by a Tobit model (kernels/regression/tobit.h): failed runs scored that or
 * worse; intervals and p are those of a normal distribution. Runs with a level that is not known are left out.  On
 * success *out is to be freed with sl_model_free().  SL_EUSAGE: too few runs for either, or nothing varies.
 */
int sl_model_fit(struct sl_linear_model *out, const struct sl_runs *r, const struct sl_question *q, struct sl_err *err);
void sl_model_free(struct sl_linear_model *m);

/* The term of a treatment by itself; of a numeric factor that of all its levels.  NULL: there is none. */
const struct sl_term *sl_model_term(const struct sl_linear_model *m, const struct sl_runs *r, int32_t treatment);

/* What it says of a run with these levels (one of each factor), at the mean time; in the unit of the score. */
double sl_model_predict(const struct sl_linear_model *m, const struct sl_runs *r, const int32_t *level);

#endif
