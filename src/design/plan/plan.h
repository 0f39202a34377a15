/* SPDX-License-Identifier: Apache-2.0 */
/*
 * experiment.yaml: what an experiment varies, how, and what it measures.  spanloom-experiment.yaml(5) describes it for
 * users.  The words are those of the design of experiments: a factor has levels, of which the first is its base; a
 * setting is one level of each factor (a treatment combination); a run is the command under one setting.
 */
#ifndef SL_DESIGN_PLAN_PLAN_H
#define SL_DESIGN_PLAN_PLAN_H

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>

enum { SL_PLAN_LEVELS = 64 }; /* at most, of one factor: a set of levels is the bits of a word */

struct sl_plan_pair {
    const char *name, *value;
};

typedef SL_VEC(const char *) sl_plan_words;

/* A text of a file that becomes another one while the command runs. */
struct sl_plan_edit {
    const char *file, *find,
        *put; /* file: as it is to be opened; every occurrence of `find`, of which there must be one */
    int line; /* of experiment.yaml */
};

/* What is done for a run: of the plan as a whole (all runs), or of one level. */
struct sl_effects {
    SL_VEC(struct sl_plan_pair) environment;
    sl_plan_words argument; /* words, behind those of the command or where it says {args} */
    sl_plan_words wrapper;  /* words before the command; those of later factors are nearer to it */
    SL_VEC(struct sl_plan_edit) edit;
    sl_plan_words patch;           /* unified diffs, as they are to be opened, for patch -p1 in the plan's folder */
    sl_plan_words setup, teardown; /* for the shell, before and after, in this order and in reverse */
    sl_plan_words command;         /* in place of the plan's; as in sl_plan; none: n is 0 */
};

struct sl_plan_level {
    const char *name;
    struct sl_effects effects; /* {level} is replaced in all of its texts */
    double ideal;              /* the best score that is possible with it; NaN: nothing says */
    int line;
};

struct sl_plan_factor {
    const char *name;
    SL_VEC(struct sl_plan_level) level; /* two at least; the first is the base */
    int line;
};

struct sl_plan_group {
    const char *name;
    SL_VEC(uint32_t) factor;
};

/* Some levels of some factors that may never come together: a run is not allowed where all of these hold. */
struct sl_plan_literal {
    uint32_t factor;
    uint64_t levels; /* a bit a level */
};
typedef SL_VEC(struct sl_plan_literal) sl_plan_literals;

struct sl_plan_constraint {
    sl_plan_literals all;
    const char *text; /* as people write it: "not both a and b" */
    int line;
};

enum sl_score_from {
    SL_SCORE_WALL,  /* seconds from its begin to its end */
    SL_SCORE_REGEX, /* the first group of the last match in the output */
    SL_SCORE_JSON,  /* a path of SQLite's json_extract() in the output */
    SL_SCORE_SQL    /* the first column of the first row, asked of the traces of the run alone */
};

struct sl_plan_score {
    const char *name; /* of the column */
    const char *unit; /* "us/task"; "": none */
    enum sl_score_from from;
    const char *text; /* the pattern, the path or the SQL */
    const char *file; /* read there instead of in standard output and error; as it is to be opened; NULL */
    bool more;        /* more is better: a rate */
    /* The score is what a run takes beyond the ideal, or, as a ratio, so many times the ideal; none: it is as it was
     * measured. */
    enum { SL_OVERHEAD_NONE, SL_OVERHEAD_DIFFERENCE, SL_OVERHEAD_RATIO } overhead;
    double ideal; /* where no level says another one; NaN: none */
    int line;
};

struct sl_plan {
    const char *path;   /* as it was given */
    const char *folder; /* of it, absolute: where commands run, and what relative paths are relative to */
    const char *name;
    /* For exec, where it was a list.  A text is for the shell: then these are /bin/sh, -c and the text. */
    sl_plan_words command;
    bool shell;
    struct sl_effects effects; /* of all runs, before those of levels */
    SL_VEC(struct sl_plan_factor) factor;
    SL_VEC(struct sl_plan_group) group;
    SL_VEC(struct sl_plan_constraint) constraint;
    SL_VEC(struct sl_plan_program {
        const char *text; /* what is run: of a shell, all of it, else the first word */
        bool shell;
        const char *key; /* "command", "wrapper", "setup" or "teardown" */
        int line;
    })
    program;                             /* all of them, those of levels, too */
    SL_VEC(struct sl_plan_pair) version; /* name, and a command for the shell whose first line says it */
    struct sl_plan_score score;
    double timeout_s;     /* of a run; infinite: none */
    double budget_s;      /* of all runs together; infinite: none */
    uint64_t budget_runs; /* UINT64_MAX: no such limit */
    uint64_t repeats;     /* replicates of each setting, 1 or more; each is a block */
    uint64_t warmup;      /* runs that are not measured, before each that is */
    uint64_t seed;
    bool trace; /* runs are traced */
    struct sl_arena arena;
};

/*
 * Reads a plan from n bytes of text, or from the file at path.  *out is to be freed in any case.  SL_EFORMAT: path:line
 * and what to do; also for keys that there are none of, factors that constraints do not know, and what names nothing.
 */
int sl_plan_parse(struct sl_plan *out, const char *path, const char *text, size_t n, struct sl_err *err);
int sl_plan_load(struct sl_plan *out, const char *path, struct sl_err *err);
void sl_plan_free(struct sl_plan *p);

/* Settings: setting[f] is an index into p->factor.v[f].level. */

/* The constraint that a setting breaks; NULL: it is allowed. */
const struct sl_plan_constraint *sl_plan_broken(const struct sl_plan *p, const int32_t *setting);
/*
 * Do the constraints leave no setting, of these levels (a bit each; NULL: all) of each factor?  Then b gets those that
 * conflict, of which none can be left out, and *line is that of the first.  False also where a search takes too long.
 */
bool sl_plan_conflict(struct sl_buf *b, const struct sl_plan *p, const uint64_t *levels, int *line);
/* The indices of a factor, and of a level of it, by name; -1: there is none. */
int32_t sl_plan_factor(const struct sl_plan *p, const char *name);
int32_t sl_plan_level(const struct sl_plan *p, uint32_t factor, const char *name);
/* The ideal of a setting, of the first factor whose level has one, else the score's; NaN: none. */
double sl_plan_ideal(const struct sl_plan *p, const int32_t *setting);

/* "90", "90s", "15 min", "8h", "3 days" in seconds; NaN: it is none of these, or not above 0. */
double sl_plan_seconds(const char *text);

/* Names of columns that no factor may have: facts of a run that are kept beside its levels.  One text, blanks between
 * them and at both ends. */
extern const char sl_plan_reserved[];

#endif
