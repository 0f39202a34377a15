/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spark(histogram_json [, log]): one character a bin, as high as its count; a blank is 0, and what is not is at least
 * the lowest block.  log: as high as the logarithm of 1 + count.  Takes what histogram() and kde() give (`count`, else
 * `density`), or an array of numbers.
 *
 *     SELECT spark(histogram(value)) FROM samples WHERE metric = 'psutil_process_memory_resident';
 */
#include "analyse/ext.h"
#include "analyse/sqlfn/number.h"
#include "analyse/sqlfn/sqlfn.h"
#include "base/buf.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

enum { LEVELS = 8 };

struct heights {
    SL_VEC(double) h;
};

/* The JSON functions of the host program's SQLite, which knows JSON better than we would. */
static const char bins[] = "SELECT CASE type WHEN 'object' THEN coalesce(json_extract(value, '$.count'), "
                           "json_extract(value, '$.density')) ELSE value END FROM json_each(?1)";

/* false: the result is an error. */
static bool read_heights(sqlite3_context *ctx, sqlite3_value *json, struct heights *to)
{
    sqlite3 *db = sqlite3_context_db_handle(ctx);
    sqlite3_stmt *q = NULL;
    int rc = sqlite3_prepare_v2(db, bins, -1, &q, NULL);
    bool good = true;

    if (rc == SQLITE_OK)
        sqlite3_bind_value(q, 1, json);
    while (good && rc == SQLITE_OK && (rc = sqlite3_step(q)) == SQLITE_ROW) {
        int type = sqlite3_column_type(q, 0);
        double h = sqlite3_column_double(q, 0);
        if (type == SQLITE_INTEGER || type == SQLITE_FLOAT || type == SQLITE_NULL)
            *sl_vec_add(&to->h) = h;
        if ((type != SQLITE_INTEGER && type != SQLITE_FLOAT && type != SQLITE_NULL) || h < 0 || isinf(h)) {
            sl_number_error(ctx, "a bin has neither a count nor a density, or a negative one");
            good = false;
        }
        rc = SQLITE_OK;
    }
    if (good && rc != SQLITE_DONE) {
        sl_number_error(ctx, "%s", sl_sqlite_words(db));
        good = false;
    }
    sqlite3_finalize(q);
    return good;
}

static void draw(struct sl_buf *out, const double *h, size_t n, bool logarithm)
{
    double most = 0;

    for (size_t i = 0; i < n; i++)
        most = h[i] > most ? h[i] : most;
    for (size_t i = 0; i < n; i++) {
        double share = logarithm ? log1p(h[i]) / log1p(most) : h[i] / most;
        int level = (int)ceil(share * LEVELS);
        if (h[i] > 0) {
            level = level < 1 ? 1 : level > LEVELS ? LEVELS : level;
            sl_buf_adds(out, (char[]){(char)0xe2, (char)0x96, (char)(0x80 + level), 0}); /* U+2581 to U+2588 */
        } else {
            sl_buf_addc(out, ' ');
        }
    }
}

static void spark(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct heights to = {0};
    struct sl_buf out = {0};
    struct sl_number logarithm = {0};

    if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
        return;
    if (argc > 1 && sqlite3_value_type(argv[1]) != SQLITE_NULL && !sl_number_get(ctx, argv[1], &logarithm))
        return;
    if (read_heights(ctx, argv[0], &to)) {
        draw(&out, to.h.v, to.h.n, logarithm.d != 0);
        sqlite3_result_text64(ctx, out.s ? out.s : "", out.n, SQLITE_TRANSIENT, SQLITE_UTF8);
    }
    sl_vec_free(&to.h);
    sl_buf_free(&out);
}

int sl_fn_spark(sqlite3 *db)
{
    int rc = sl_number_register(db, "spark", 1, false, spark, NULL);

    return rc ? rc : sl_number_register(db, "spark", 2, false, spark, NULL);
}
