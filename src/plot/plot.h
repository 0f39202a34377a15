/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plots.  A plot is one file, plots/NAME.json: a specification of Vega-Lite or Vega whose data sets come from SQL,
 * which stands in its usermeta.spanloom:
 *
 *   answers     the question that the picture answers, one line
 *   needs       what a store must hold for it, said where there are no rows
 *   arguments   [{name, kind, about, optional}, ...]; kinds: enum sl_plot_kind
 *   data        {NAME: {sql, columns, input}, ...}: sql is a text or a list of lines
 *   title       SQL of one row: text, subtitle; what else it yields, and is not NULL, is the value of that place of the
 *               specification: encoding.y.axis.title
 *   result      "diff": the tables of this command's result are there for SQL (result/diff_tables.h): diff, diff_sides,
 * ...; its words and --type are the command's, too.  "calls": calls_a and calls_b, the call_tree() of two runs
 *
 * Every data set becomes a temporary table of its name, which the SQL behind it can read.  The first is what a query of
 * the user (--sql) stands in for, so what follows is best computed from its table.  Columns that are described are
 * checked: {name: {type, unit, about, optional}}, type: text, integer, real or any.  A set with "input": true is not in
 * the picture, only its table is there.
 *
 * SQL knows :NAME for every argument, :run (the id of a span, or NULL), :bin (seconds, or NULL), :store (its path) and
 * :calls (calls of trace files that are not in the store, for call_profile() and call_tree()).
 */
#ifndef SL_PLOT_PLOT_H
#define SL_PLOT_PLOT_H

#include "base/buf.h"
#include "base/call_sums.h"
#include "base/err.h"
#include "base/mem.h"
#include "store/store.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

/* ---- specifications (spec.c) ---- */

enum sl_plot_kind {
    SL_PLOT_TYPE,        /* "type": a type of spans; the tasks where it is not given */
    SL_PLOT_WORKER_TYPE, /* "worker type": a type of spans, or NULL */
    SL_PLOT_EVENT,       /* "event": EVENT or TYPE/EVENT */
    SL_PLOT_SPAN,        /* "span": TYPE KEY, the last argument; its id */
    SL_PLOT_WORKFLOW,    /* "workflow": the same; else --run says which, or it is the only one */
    SL_PLOT_RUN,         /* "run": as --run says it; the id of its span */
    SL_PLOT_TEXT,        /* "text" */
    SL_PLOT_NUMBER,      /* "number" */
    SL_PLOT_KINDS
};
/* "type", "worker type", ... */
extern const char *const sl_plot_kinds[SL_PLOT_KINDS];

struct sl_plot_argument {
    const char *name, *about; /* about: "" where it is not said */
    enum sl_plot_kind kind;
    bool optional;
};

struct sl_plot_column {
    const char *name, *type, *unit, *about; /* "" where it is not said */
    bool optional;
};

struct sl_plot_data {
    const char *name, *sql;
    SL_VEC(struct sl_plot_column) column;
    bool input;
};

struct sl_plot {
    const char *name;    /* "states" */
    const char *path;    /* "plots/states.json": what errors begin with */
    const char *answers; /* "" where it is not said */
    const char *needs;   /* "" where it is not said */
    const char *title;   /* SQL; NULL: none */
    const char *result;  /* "diff", "calls"; NULL: none */
    const char *spec;    /* JSON, as it was read */
    bool ours;           /* not a file of the user's */
    bool lite;           /* Vega-Lite, not Vega */
    SL_VEC(struct sl_plot_argument) argument;
    SL_VEC(struct sl_plot_data) data; /* at least one */
    struct sl_arena arena;            /* of all these texts */
};

/*
 * Reads a specification, n bytes, and checks it.  by_sql: the user's query feeds it, so it needs no usermeta.spanloom.
 * Errors begin with path, and name the line where it is no JSON.  On success *out is to be freed by sl_plot_free().
 */
int sl_plot_parse(struct sl_plot **out, const char *path, const char *text, size_t n, bool by_sql, struct sl_err *err);
int sl_plot_read(struct sl_plot **out, const char *path, bool by_sql, struct sl_err *err);
/* The plot of this name: the user's, $XDG_CONFIG_HOME/spanloom/plots/NAME.json, or else one of ours. */
int sl_plot_find(struct sl_plot **out, const char *name, struct sl_err *err);
void sl_plot_free(struct sl_plot *p);

/* All names, ascending, ours and, where these can be read, the user's; path: of the user's file, NULL: it is ours. */
struct sl_plot_name {
    char *name, *path;
    bool shadows; /* a user's that stands in for one of ours */
};
typedef SL_VEC(struct sl_plot_name) sl_plot_names;
int sl_plot_list(sl_plot_names *names, struct sl_err *err);
void sl_plot_list_free(sl_plot_names *names);

/* ---- data (data.c) ---- */

struct sl_plot_value {
    int type; /* SQLITE_NULL, SQLITE_INTEGER, SQLITE_FLOAT or SQLITE_TEXT */
    int64_t i;
    double d;
    const char *s;
};

struct sl_plot_question {
    struct sl_store *st;
    const struct sl_plot_value *argument; /* as many as the plot has; NULL: none is given */
    int64_t run;                          /* 0: NULL */
    double bin_s;                         /* 0: NULL */
    const char *sql;                      /* the user's, instead of the first data set's; NULL: none */
    const struct sl_call_sums *calls;     /* NULL: none */
    const char *title;                    /* instead of the plot's; NULL: none */
};

/* Rows above which a picture should have been reduced in SQL. */
enum { SL_PLOT_MANY_ROWS = 100000 };

/*
 * Appends the complete specification: with its data, its title, and the look of plots/look.json where it has no other.
 * No rows at all are SL_ENOTFOUND.  *rows: how many are in it.  Its tables are gone afterwards.
 *
 * In data, integers beyond 2^53 are texts, numbers that are not finite are null, bytes are told by their number, what
 * is no UTF-8 or a control character is \xNN in a text, and texts end after SL_PLOT_TEXT_BYTES with an ellipsis.
 */
enum { SL_PLOT_TEXT_BYTES = 1000 };
int sl_plot_fill(struct sl_buf *out, const struct sl_plot *p, const struct sl_plot_question *q, uint64_t *rows,
                 struct sl_err *err);
/* Is :name in the SQL that is run for the plot?  sql: the user's, or NULL. */
bool sl_plot_asks(const struct sl_plot *p, const char *sql, const char *name);

/* ---- pictures (render.c) ---- */

enum sl_plot_form { SL_PLOT_HTML, SL_PLOT_SVG, SL_PLOT_PNG, SL_PLOT_PDF, SL_PLOT_JSON, SL_PLOT_FORMS };
/* "html", "svg", ... */
extern const char *const sl_plot_forms[SL_PLOT_FORMS];

/* What draws: paths, "" where a form does not need it. */
struct sl_plot_parts {
    char page[PATH_MAX];                     /* page.html, of html */
    char helper[PATH_MAX], bundle[PATH_MAX]; /* spanloom-render and headless.js, of svg, png and pdf */
    char schemas[PATH_MAX];                  /* schemas.json, by which the specification is checked; "": it is not */
};

/* What the program argv[0] makes of in, which it reads from its standard input.  SL_ENOTFOUND: there is none. */
int sl_plot_filter(FILE *out, char *const *argv, const char *in, size_t n, struct sl_err *err);

/*
 * Writes a picture of spec (a complete specification with its data, n bytes of JSON) to out.  0 with a text in err
 * (lines): there is a picture, but something in the specification does not do what it seems to.
 */
int sl_plot_render(FILE *out, const char *spec, size_t n, enum sl_plot_form form, const struct sl_plot_parts *parts,
                   struct sl_err *err);

#endif
