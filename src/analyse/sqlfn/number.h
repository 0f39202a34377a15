/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers as functions take and give them.  A text that is a plain number (-12, 0.5, 1e5, 007) is one, as keys are
 * text.  Errors name the function, which must be registered with sl_number_register().
 */
#ifndef SL_ANALYSE_SQLFN_NUMBER_H
#define SL_ANALYSE_SQLFN_NUMBER_H

#include "base/json_out.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#ifndef SQLITE_RESULT_SUBTYPE
#define SQLITE_RESULT_SUBTYPE 0x001000000 /* of SQLite 3.45; older ones ignore it */
#endif

typedef void sl_number_step(sqlite3_context *ctx, int argc, sqlite3_value **argv);

/*
 * A scalar function, or with `final` an aggregate of args arguments (-1: any number).  json: it gives JSON.  An SQLite
 * result code.  Where the host program has a function of that name and runs a statement (SELECT load_extension(...),
 * the only way in R), SQLite lets nobody replace it: that one stays, and that is no failure.
 */
int sl_number_register(sqlite3 *db, const char *name, int args, bool json, sl_number_step *step,
                       void (*final)(sqlite3_context *ctx));

struct sl_number {
    bool whole; /* i is exact */
    int64_t i;
    double d;
};

/* The result is the error "FUNCTION(): ...". */
void sl_number_error(sqlite3_context *ctx, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* false: no number (NULL is none); the result is an error. */
bool sl_number_get(sqlite3_context *ctx, sqlite3_value *v, struct sl_number *out);
bool sl_number_finite(sqlite3_context *ctx, sqlite3_value *v, struct sl_number *out); /* infinity is an error too */
bool sl_number_any_null(int argc, sqlite3_value **argv);

/* x less origin, exactly where both are whole: times of today have more digits than double. */
double sl_number_less(const struct sl_number *x, const struct sl_number *origin);

/* NaN: NULL.  Infinity: an error, since finite values gave it. */
void sl_number_result(sqlite3_context *ctx, double d);

void sl_json_result(sqlite3_context *ctx, struct sl_buf *b); /* and frees b */

#endif
