/* SPDX-License-Identifier: Apache-2.0 */
/* Runs and deltas as the study of seed data has them: CSV with semicolons, which R's read.csv2(dec = ".") reads. */
#include "cli/experiment/subcommands.h"
#include "design/hyperfine.h"
#include "result/experiment.h"

#include <string.h>

static void put_cell(const char *s)
{
    if (!s || !strpbrk(s, ";\"\r\n")) {
        fputs(s ? s : "", stdout);
        return;
    }
    putchar('"');
    for (; *s; s++) {
        if (*s == '"')
            putchar('"');
        putchar(*s);
    }
    putchar('"');
}

static int put_table(struct sl_table *t, struct sl_err *err)
{
    char text[32];
    int rc;

    for (int c = 0; c < t->columns; c++) {
        put_cell(t->column[c].name);
        putchar(c == t->columns - 1 ? '\n' : ';');
    }
    while ((rc = sl_table_next(t, err)) > 0)
        for (int c = 0; c < t->columns; c++) {
            if (sl_table_type(t, c) == SQLITE_FLOAT)
                fwrite(text, 1, sl_real_text(sl_table_real(t, c), text), stdout);
            else
                put_cell(sl_table_text(t, c, NULL));
            putchar(c == t->columns - 1 ? '\n' : ';');
        }
    return rc;
}

static int put_hyperfine(struct sl_store *st, const struct sl_question *question, struct sl_err *err)
{
    struct sl_question q = *question;
    struct sl_buf b = {0};
    struct sl_runs runs;
    int rc;

    q.verbatim = true;
    if ((rc = sl_runs_load(&runs, st->db, &q, err)))
        return rc;
    rc = sl_hyperfine_write(&b, &runs, err);
    if (!rc)
        fputs(b.s, stdout);
    sl_buf_free(&b);
    sl_runs_free(&runs);
    return rc;
}

int cli_experiment_export(const struct cli *cli, const char *what, const struct sl_question *question)
{
    struct sl_result r = {0};
    struct sl_err err = {0};
    struct sl_store *st;
    int rc;

    if (!what || (strcmp(what, "runs") != 0 && strcmp(what, "deltas") != 0 && strcmp(what, "hyperfine") != 0))
        return cli_usage(cli, "export what? runs, deltas or hyperfine");
    if (!(st = cli_open(cli)))
        return EXIT_FAILED;
    if (!strcmp(what, "hyperfine")) {
        rc = put_hyperfine(st, question, &err);
        sl_store_close(st);
        return rc < 0 ? cli_fail(cli, &err) : EXIT_DONE;
    }
    rc = !strcmp(what, "runs") ? sl_result_experiment_runs(&r, st, question, &err)
                               : sl_result_experiment_members(&r, st, question, &err);
    if (!rc)
        rc = put_table(r.table.v[0], &err);
    sl_result_free(&r);
    sl_store_close(st);
    return rc < 0 ? cli_fail(cli, &err) : EXIT_DONE;
}
