/* SPDX-License-Identifier: Apache-2.0 */
#include "report/run.h"
#include "base/json_out.h"
#include "findings/failures.h"
#include "findings/plan/planning.h"
#include "findings/why.h"
#include "plot/html.h"
#include "report/html_text.h"
#include "result/spans/run_names.h"
#include "show/print_plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* ---- tables as JSON: {"rows": 2, "columns": ["a", ...], "data": {"a": [1, null], ...}} ---- */

/* A column together is packed to half of what rows are. */
static void add_cell(struct sl_buf *b, const struct sl_table *t, int c)
{
    const char *s;
    size_t n;

    switch (sl_table_type(t, c)) {
    case SQLITE_INTEGER: sl_json_exact(b, NULL, sl_table_int(t, c)); break;
    case SQLITE_FLOAT: sl_json_real(b, NULL, sl_table_real(t, c)); break;
    case SQLITE_TEXT:
        s = sl_table_text(t, c, &n);
        sl_json_bytes(b, NULL, s, n);
        break;
    default: sl_json_text(b, NULL, NULL);
    }
}

int sl_report_add_table(struct sl_buf *json, struct sl_table *t, struct sl_report_limit *limit, struct sl_err *err)
{
    struct sl_buf *column = sl_alloc(((size_t)t->columns + 1) * sizeof *column);
    int64_t rows = 0;
    size_t bytes = 0;
    int rc;

    while ((rc = sl_table_next(t, err)) > 0) {
        if (limit && (rows >= limit->rows || bytes >= limit->bytes)) {
            limit->hit = true;
            rc = 0;
            break;
        }
        bytes = 0;
        for (int c = 0; c < t->columns; c++) {
            add_cell(&column[c], t, c);
            bytes += column[c].n;
        }
        rows++;
    }
    if (!rc) {
        sl_json_int(json, "rows", rows);
        sl_json_open(json, "columns", '[');
        for (int c = 0; c < t->columns; c++)
            sl_json_text(json, NULL, t->column[c].name);
        sl_json_close(json, ']');
        sl_json_open(json, "data", '{');
        for (int c = 0; c < t->columns; c++) {
            sl_json_name(json, t->column[c].name);
            sl_json_open(json, NULL, '[');
            sl_buf_add(json, column[c].s, column[c].n);
            sl_json_close(json, ']');
        }
        sl_json_close(json, '}');
    }
    for (int c = 0; c < t->columns; c++)
        sl_buf_free(&column[c]);
    free(column);
    return rc;
}

/* ---- figures ---- */

/* One statement that reads, with :run. */
static sqlite3_stmt *prepare(const struct sl_report_run *of, const char *sql, struct sl_err *err)
{
    sqlite3_stmt *q = NULL;
    const char *rest = NULL;

    if (sqlite3_prepare_v2(of->st->db, sql, -1, &q, &rest) != SQLITE_OK || !q) {
        sl_err(err, SL_EFORMAT, "%s", q || sqlite3_errcode(of->st->db) ? sl_sqlite_words(of->st->db) : "no statement");
        return NULL;
    }
    if (rest[strspn(rest, " \t\n;")] || !sqlite3_stmt_readonly(q)) {
        sl_err(err, SL_EFORMAT, "%s", sqlite3_stmt_readonly(q) ? "one statement is wanted" : "it may only read");
        sqlite3_finalize(q);
        return NULL;
    }
    for (int i = 1; i <= sqlite3_bind_parameter_count(q); i++) {
        const char *name = sqlite3_bind_parameter_name(q, i);
        bool start = name && !strcmp(name, ":start_ns");
        if (!start && (!name || strcmp(name, ":run") != 0)) {
            sl_err(err, SL_EFORMAT, "there is no argument %.80s, only :run and :start_ns", name ? name : "?");
            sqlite3_finalize(q);
            return NULL;
        }
        if (of->workflow)
            sqlite3_bind_int64(q, i, start ? of->start_ns : of->workflow);
    }
    return q;
}

/* The text that a note's SQL yields, appended; nothing where it yields none. */
static int add_note(struct sl_buf *json, const struct sl_report_run *of, const char *sql, struct sl_err *err)
{
    sqlite3_stmt *q = prepare(of, sql, err);
    int rc = q ? sl_store_step(of->st, q, err) : SL_EFORMAT;

    if (rc > 0 && sqlite3_column_type(q, 0) != SQLITE_NULL)
        sl_json_text(json, "note", sl_store_text(q, 0));
    sqlite3_finalize(q);
    return rc < 0 ? rc : 0;
}

/* The plan of the run, made once.  NULL: none can be made, and why is the note. */
static const struct sl_result *plan_of(struct sl_report_run *of, struct sl_buf *note, struct sl_err *err)
{
    struct sl_plan_wish wish = SL_PLAN_NO_WISH;
    const struct plan_run *run;
    struct sl_table *steps;

    if (!of->planned && sl_why_is_open(&of->why)) {
        sl_buf_adds(note, "The run goes on: a plan is made once it has ended.");
        return NULL;
    }
    if (!of->planned && sl_plan_of_facts(&of->plan, of->st, of->facts, of->findings, &wish, err)) {
        sl_result_free(&of->plan);
        if (err->code == SL_ENOTFOUND) {
            sl_buf_adds(note, err->text);
            *err = (struct sl_err){0};
        }
        return NULL;
    }
    of->planned = true;
    run = sl_table_at(sl_result_find(&of->plan, "run"), 0);
    steps = sl_result_find(&of->plan, "steps");
    sl_show_plan_end(note, run,
                     steps->rows ? ((const struct plan_step *)sl_table_at(steps, steps->rows - 1))->makespan_s
                                 : run->makespan_s,
                     steps->rows > 0);
    return &of->plan;
}

static int add_plan(struct sl_buf *json, struct sl_report_run *of, const char *table, struct sl_err *err)
{
    struct sl_buf note = {0};
    const struct sl_result *plan = plan_of(of, &note, err);
    struct sl_table *t = plan ? sl_result_find(plan, table) : NULL;
    int rc = err->code;

    if (!rc && note.n)
        sl_json_text(json, "note", note.s);
    if (!rc && t) {
        sl_table_rewind(t);
        rc = sl_report_add_table(json, t, NULL, err);
    } else if (!rc && plan) {
        rc = sl_err(err, SL_EFORMAT, "there is no answer plan/%s", table);
    } else if (!rc) {
        sl_buf_adds(json, ",\"rows\":0,\"columns\":[],\"data\":{}");
    }
    sl_buf_free(&note);
    return rc;
}

static int add_rows(struct sl_buf *json, struct sl_report_run *of, const struct sl_figure *f, struct sl_err *err)
{
    const char *table = f->answer ? strchr(f->answer, '/') : NULL;
    struct sl_result r = {0};
    struct sl_table *t = NULL;
    sqlite3_stmt *q;
    int rc = 0;

    if (table && !strncmp(f->answer, "plan/", 5))
        return add_plan(json, of, table + 1, err);
    if (f->sql) {
        if ((q = prepare(of, f->sql, err)))
            t = sl_result_query(&r, f->name, NULL, 0, q);
    } else if (table && !strncmp(f->answer, "why/", 4)) {
        if ((t = sl_result_find(&of->why, table + 1)))
            sl_table_rewind(t);
    } else if (table && !strncmp(f->answer, "failures/", 9)) {
        rc = sl_failures_of_facts(&r, of->st, err);
        t = rc ? NULL : sl_result_find(&r, table + 1);
    }
    if (!t && !rc && f->answer)
        rc = sl_err(err, SL_EFORMAT, "there is no answer %s", f->answer);
    else if (!t && !rc)
        rc = err->code;
    if (!rc)
        rc = sl_report_add_table(json, t, NULL, err);
    sl_result_free(&r);
    return rc;
}

static void open_figure(struct sl_buf *json, const struct sl_figure *f)
{
    sl_json_open(json, NULL, '{');
    sl_json_text(json, "name", f->name);
    sl_json_text(json, "about", f->about);
}

static int add_figure(struct sl_buf *json, struct sl_report_run *of, const struct sl_figure *f, struct sl_err *err)
{
    size_t begin = json->n;
    int rc;

    open_figure(json, f);
    sl_json_text(json, f->sql ? "sql" : "answer", f->sql ? f->sql : f->answer);
    rc = f->note ? add_note(json, of, f->note, err) : 0;
    if (!rc)
        rc = add_rows(json, of, f, err);
    if (rc) {
        json->n = begin;
        open_figure(json, f);
        sl_json_text(json, "problem", err->text);
        sl_buf_adds(json, ",\"rows\":0,\"columns\":[],\"data\":{}");
    }
    sl_json_close(json, '}');
    return rc;
}

/* Whether a figure can be told of: without a workflow what any store has, and what is found in traced programs. */
static bool is_there(const struct sl_report_run *of, const struct sl_section *s, const struct sl_figure *f)
{
    return s->of_store || of->workflow ||
           (f->answer && !strncmp(f->answer, "why/", 4) && sl_result_find(&of->why, f->answer + 4));
}

static void add_section(struct sl_buf *json, struct sl_report_run *of, const struct sl_section *s,
                        struct sl_buf *problems)
{
    sl_json_open(json, NULL, '{');
    sl_json_text(json, "name", s->name);
    sl_json_text(json, "title", s->title);
    sl_json_text(json, "about", s->about);
    sl_json_text(json, "needs", !s->of_store && !of->workflow ? "a workflow" : s->needs);
    sl_json_open(json, "figures", '[');
    for (size_t i = 0; i < s->figure.n; i++) {
        struct sl_err err = {0};
        if (is_there(of, s, &s->figure.v[i]) && add_figure(json, of, &s->figure.v[i], &err) && problems)
            sl_buf_addf(problems, "%s: %s: %s\n", s->path, s->figure.v[i].name, err.text);
    }
    sl_buf_adds(json, "]}");
}

/* ---- runs ---- */

static void add_findings_problems(struct sl_buf *problems, const struct sl_result *why)
{
    struct sl_table *t = sl_result_find(why, "problems");

    while (t && problems && sl_table_next(t, NULL) > 0)
        sl_buf_addf(problems, "%s\n", sl_table_text_or_empty(t, 1));
}

int sl_report_add_run(struct sl_buf *json, struct sl_report_run *of, const struct sl_sections *sections,
                      const struct sl_findings *findings, struct sl_buf *problems, struct sl_err *err)
{
    struct sl_workflow w = {0};
    char name[600];
    int rc = of->workflow ? sl_facts_open(&w, of->st, of->workflow, err) : 0;

    if (rc)
        return rc;
    of->facts = &w;
    of->findings = findings;
    if (of->workflow && (rc = sl_why_of_facts(&of->why, of->st, &w, findings, err))) {
        sl_facts_close(&w, of->st);
        return rc;
    }
    if (!of->workflow && sl_why_programs_are_there(of->st, NULL, NULL) > 0 &&
        (rc = sl_why_programs(&of->why, of->st, NULL, findings, err)))
        return rc;
    if (of->workflow)
        of->start_ns = sl_store_int(of->st, "SELECT start_ns FROM temp.run", 0);
    add_findings_problems(problems, &of->why);
    sl_json_open(json, NULL, '{');
    sl_json_text(json, "store", of->st->path);
    sl_json_text(json, "run", of->workflow ? sl_run_name(of->st, of->workflow, name, sizeof name) : NULL);
    sl_json_open(json, "sections", '[');
    for (size_t i = 0; i < sections->v.n; i++)
        add_section(json, of, &sections->v.v[i], problems);
    sl_buf_adds(json, "]}");
    sl_result_free(&of->plan);
    of->planned = false;
    if (of->workflow)
        sl_facts_close(&w, of->st);
    return 0;
}

/* Every table of a result as a figure, by its name. */
static int add_result(struct sl_buf *json, const struct sl_result *r, struct sl_err *err)
{
    int rc = 0;

    sl_json_open(json, NULL, '{');
    for (size_t i = 0; i < r->table.n && !rc; i++) {
        sl_json_open(json, r->table.v[i]->name, '{');
        sl_table_rewind(r->table.v[i]);
        rc = sl_report_add_table(json, r->table.v[i], NULL, err);
        sl_json_close(json, '}');
    }
    sl_json_close(json, '}');
    return rc;
}

int sl_report_json(struct sl_buf *json, struct sl_report_run *run, int runs, const struct sl_sections *sections,
                   const struct sl_findings *findings, struct sl_buf *problems, struct sl_err *err)
{
    int rc = 0;

    sl_json_open(json, NULL, '{');
    sl_json_int(json, "spanloom", 1);
    sl_json_open(json, "runs", '[');
    for (int i = 0; i < runs && !rc; i++)
        rc = sl_report_add_run(json, &run[i], sections, findings, problems, err);
    sl_json_close(json, ']');
    if (!rc && runs == 2 && run[0].workflow && run[1].workflow) {
        struct sl_result both = {0}, of[2] = {run[0].why, run[1].why};
        for (int i = 0; i < 2; i++)
            for (size_t k = 0; k < of[i].table.n; k++)
                sl_table_rewind(of[i].table.v[k]);
        rc = sl_why_compared(&both, of, err);
        if (!rc) {
            sl_json_member(json, "compared");
            rc = add_result(json, &both, err);
        }
        sl_result_free(&both);
    }
    sl_buf_adds(json, "}\n");
    return rc;
}

/* ---- the page ---- */

static void pack(struct sl_buf *out, const struct sl_buf *in)
{
    enum { GZIP = 15 + 16 };
    z_stream z = {.next_in = (Bytef *)(uintptr_t)in->s, .avail_in = (uInt)in->n};
    unsigned char *packed;
    size_t most;

    if (deflateInit2(&z, 9, Z_DEFLATED, GZIP, 9, Z_DEFAULT_STRATEGY) != Z_OK)
        sl_no_memory(0);
    most = deflateBound(&z, (uLong)in->n);
    packed = sl_alloc(most);
    z.next_out = packed;
    z.avail_out = (uInt)most;
    deflate(&z, Z_FINISH);
    sl_buf_add(out, packed, z.total_out);
    deflateEnd(&z);
    free(packed);
}

static void add_base64(struct sl_buf *out, const struct sl_buf *in)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t i = 0; i < in->n; i += 3) {
        size_t n = in->n - i;
        uint32_t x = (uint32_t)(unsigned char)in->s[i] << 16;
        char four[4];
        x |= n > 1 ? (uint32_t)(unsigned char)in->s[i + 1] << 8 : 0;
        x |= n > 2 ? (unsigned char)in->s[i + 2] : 0;
        for (int k = 0; k < 4; k++)
            four[k] = digit[x >> (18 - 6 * k) & 63];
        if (n < 3)
            four[3] = '=';
        if (n < 2)
            four[2] = '=';
        sl_buf_add(out, four, 4);
    }
}

void sl_report_title(struct sl_buf *title, const struct sl_report_run *run, int runs)
{
    char name[600];

    for (int i = 0; i < runs; i++)
        sl_buf_addf(title, "%s%s", i ? ", " : "Spanloom: ",
                    run[i].workflow ? sl_run_name(run[i].st, run[i].workflow, name, sizeof name) : run[i].st->path);
}

int sl_report_page(FILE *out, const char *path, const char *title, const struct sl_buf *json, struct sl_err *err)
{
    struct sl_buf packed = {0}, text = {0}, name = {0};
    int rc;

    pack(&packed, json);
    add_base64(&text, &packed);
    sl_html_text(&name, title);
    rc = sl_plot_page(out, path,
                      (struct sl_page_part[]){{"@TITLE@", name.s ? name.s : "", name.n}, {"@DATA@", text.s, text.n}}, 2,
                      err);
    sl_buf_free(&packed);
    sl_buf_free(&text);
    sl_buf_free(&name);
    return rc;
}
