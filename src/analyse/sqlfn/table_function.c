/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/sqlfn/table_function.h"
#include "analyse/ext.h"
#include "base/buf.h"
#include "base/mem.h"

#include <stdlib.h>

struct cursor {
    sqlite3_vtab_cursor base;
    struct cursor *next;               /* of those that are kept */
    sqlite3_value *arg[SL_TABLE_ARGS]; /* a query may ask for the hidden columns too */
    sqlite3_int64 row;
    const void *got; /* by get(); NULL: not asked for yet */
    _Alignas(16) char state[];
};

struct table {
    sqlite3_vtab base;
    sqlite3 *db;
    const struct sl_table_fn *fn;
    int columns;         /* that are visible */
    struct cursor *kept; /* of queries that have ended */
};

static int fail(struct table *t, const struct sl_err *err)
{
    int interrupted = sqlite3_errcode(t->db) == SQLITE_INTERRUPT;

    sqlite3_free(t->base.zErrMsg);
    t->base.zErrMsg = sqlite3_mprintf("%s: %s", t->fn->name, err->text);
    return interrupted ? SQLITE_INTERRUPT : SQLITE_ERROR;
}

/* What fill() made. */
struct filled {
    struct sl_table_rows of;
    struct sl_rows rows;
};

/* What .sql yields. */
struct queried {
    sqlite3_stmt *rows;
    bool done;
};

static size_t state_bytes(const struct sl_table_fn *fn)
{
    return fn->sql ? sizeof(struct queried) : fn->fill ? sizeof(struct filled) : fn->state_bytes;
}

static void add_column(struct sl_buf *b, const struct sl_column *c, bool hidden)
{
    static const char *const types[] = {"", " TEXT", " INTEGER", " REAL"};

    sl_buf_addf(b, "%s\"%s\"%s%s", b->n ? ", " : "CREATE TABLE x(", c->name, types[c->type], hidden ? " HIDDEN" : "");
}

/* The table that SQLite sees: visible columns, arguments, hidden columns. */
static int declare(sqlite3 *db, const struct sl_table_fn *fn)
{
    struct sl_buf b = {0};
    int rc, visible = fn->row->n - fn->hidden;

    for (int i = 0; i < visible; i++)
        add_column(&b, &fn->row->v[i], false);
    for (int i = 0; i < fn->args; i++)
        add_column(&b, &fn->arg[i], true);
    for (int i = visible; i < fn->row->n; i++)
        add_column(&b, &fn->row->v[i], true);
    sl_buf_addc(&b, ')');
    rc = sqlite3_declare_vtab(db, b.s);
    sl_buf_free(&b);
    return rc;
}

static int connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **out, char **why)
{
    const struct sl_table_fn *fn = aux;
    struct table *t;
    int rc = declare(db, fn);

    (void)argc, (void)argv, (void)why;
    if (rc != SQLITE_OK)
        return rc;
    t = sl_alloc(sizeof *t);
    t->db = db;
    t->fn = fn;
    t->columns = fn->row->n - fn->hidden;
    *out = &t->base;
    return SQLITE_OK;
}

static void free_cursor(const struct sl_table_fn *fn, struct cursor *c)
{
    if (fn->sql)
        sqlite3_finalize(((struct queried *)(void *)c->state)->rows);
    else if (fn->fill)
        sl_rows_free(&((struct filled *)(void *)c->state)->rows);
    else
        fn->end(c->state);
    free(c);
}

static int disconnect(sqlite3_vtab *vtab)
{
    struct table *t = (struct table *)vtab;

    for (struct cursor *c; (c = t->kept);) {
        t->kept = c->next;
        free_cursor(t->fn, c);
    }
    free(t);
    return SQLITE_OK;
}

/* The letter under which a bound of the column goes to filter(), in idxStr; 0: none of ours. */
static char bound_letter(unsigned char op)
{
    switch (op) {
    case SQLITE_INDEX_CONSTRAINT_EQ: return '=';
    case SQLITE_INDEX_CONSTRAINT_GE: return 'G';
    case SQLITE_INDEX_CONSTRAINT_GT: return 'g';
    case SQLITE_INDEX_CONSTRAINT_LE: return 'L';
    case SQLITE_INDEX_CONSTRAINT_LT: return 'l';
    default: return 0;
    }
}

int sl_table_args(const struct sl_table_fn *fn)
{
    return fn->args - (fn->pointer != NULL);
}

static double rows_of(const struct sl_table_fn *fn)
{
    return fn->rows > 0 ? fn->rows : 1000;
}

/* A bit for each column of `row`, or for each that is not an argument. */
static uint64_t used(const struct table *t, uint64_t bits)
{
    uint64_t visible = t->columns < 64 ? (UINT64_C(1) << t->columns) - 1 : UINT64_MAX, all_beyond = bits >> 63;
    int hidden_at = t->columns + t->fn->args;

    return (bits & visible) | (hidden_at < 63 ? bits >> hidden_at << t->columns : 0) | (all_beyond ? ~visible : 0);
}

/* What is read, as hexadecimal digits, then bounds, which follow the arguments.  SQLite checks them again, so that
 * nothing depends on them but the work. */
static int pass_bounds(const struct table *t, sqlite3_index_info *info, int n)
{
    const struct sl_table_fn *fn = t->fn;
    char letters[SL_TABLE_BOUNDS + 1];
    int k = 0;

    for (int i = 0; i < info->nConstraint && k < SL_TABLE_BOUNDS; i++) {
        char letter = bound_letter(info->aConstraint[i].op);
        if (!letter || !fn->bounded || info->aConstraint[i].iColumn != fn->bounded - 1 || !info->aConstraint[i].usable)
            continue;
        info->aConstraintUsage[i].argvIndex = ++n;
        letters[k++] = letter;
        if (letter == '=') {
            info->estimatedCost = rows_of(fn);
            info->estimatedRows = 1;
        }
    }
    letters[k] = 0;
    info->idxStr = sqlite3_mprintf("%016llx%s", (unsigned long long)used(t, info->colUsed), letters);
    info->needToFreeIdxStr = info->idxStr != NULL;
    return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

static int too_many(sqlite3_vtab *vtab, const struct sl_table_fn *fn)
{
    sqlite3_free(vtab->zErrMsg);
    vtab->zErrMsg = sqlite3_mprintf("%s takes at most %d argument%s, such as %s (and hidden columns of its result are "
                                    "not compared by =)",
                                    fn->name, sl_table_args(fn), sl_table_args(fn) == 1 ? "" : "s", fn->usage);
    return SQLITE_ERROR;
}

/* idxNum tells which arguments are given, one bit each; they come in ascending order. */
static int best_index(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
    const struct table *t = (const struct table *)vtab;
    const struct sl_table_fn *fn = t->fn;
    int given[SL_TABLE_ARGS], n = 0;

    memset(given, -1, sizeof given);
    for (int i = 0; i < info->nConstraint; i++) {
        int a = info->aConstraint[i].iColumn - t->columns;
        if (a >= fn->args && info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_EQ) /* an argument more ends up there */
            return too_many(vtab, fn);
        if (a < 0 || a >= fn->args || info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
            continue;
        if (!info->aConstraint[i].usable)
            return SQLITE_CONSTRAINT; /* comes from a table that must be read before: not this plan */
        given[a] = i;
    }
    for (int a = 0; a < fn->args; a++)
        if (given[a] >= 0) {
            info->aConstraintUsage[given[a]].argvIndex = ++n;
            info->aConstraintUsage[given[a]].omit = 1;
            info->idxNum |= 1 << a;
        }
    info->estimatedCost = rows_of(fn) * 10;
    info->estimatedRows = (sqlite3_int64)rows_of(fn);
    return pass_bounds(t, info, n);
}

static int open_cursor(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out)
{
    struct table *t = (struct table *)vtab;
    struct cursor *c = t->kept;

    if (c)
        t->kept = c->next;
    else
        c = sl_alloc(sizeof *c + state_bytes(t->fn));
    *out = &c->base;
    return SQLITE_OK;
}

static void free_args(struct cursor *c)
{
    for (int i = 0; i < SL_TABLE_ARGS; i++) {
        sqlite3_value_free(c->arg[i]);
        c->arg[i] = NULL;
    }
}

static int close_cursor(sqlite3_vtab_cursor *cursor)
{
    struct cursor *c = (struct cursor *)cursor;
    struct table *t = (struct table *)cursor->pVtab;

    free_args(c);
    if (t->fn->keep && t->fn->keep(c->state)) {
        c->next = t->kept;
        t->kept = c;
    } else {
        free_cursor(t->fn, c);
    }
    return SQLITE_OK;
}

/* Bounds by what is no integer (a real, a text) are left to SQLite. */
static void narrow(struct sl_call *call, char letter, sqlite3_value *v)
{
    int64_t x = sqlite3_value_int64(v);

    if (sqlite3_value_type(v) != SQLITE_INTEGER)
        return;
    if (letter == 'g' && x < INT64_MAX)
        x++;
    if (letter == 'l' && x > INT64_MIN)
        x--;
    if (letter != 'L' && letter != 'l' && x > call->min)
        call->min = x;
    if (letter != 'G' && letter != 'g' && x < call->max)
        call->max = x;
}

static int step(struct queried *s, sqlite3 *db, struct sl_err *err)
{
    int rc = sqlite3_step(s->rows);

    s->done = rc != SQLITE_ROW;
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? 0 : sl_err(err, SL_ESTORE, "%s", sl_sqlite_words(db));
}

static int ask(struct queried *s, const struct sl_table_fn *fn, const struct sl_call *call, struct sl_err *err)
{
    if (!s->rows && sqlite3_prepare_v2(call->db, fn->sql, -1, &s->rows, NULL) != SQLITE_OK)
        return sl_err(err, SL_ESTORE, "%s", sl_sqlite_words(call->db));
    sqlite3_reset(s->rows);
    for (int i = 0; i < fn->args; i++)
        sqlite3_bind_value(s->rows, i + 1, call->arg[i]);
    return step(s, call->db, err);
}

static int fill(void *state, const struct sl_table_fn *fn, const struct sl_call *call, struct sl_err *err)
{
    struct filled *f = state;
    int rc;

    f->rows.columns = fn->row;
    sl_rows_clear(&f->rows);
    rc = fn->fill(&f->rows, call, err);
    f->of = (struct sl_table_rows){.n = rc ? 0 : f->rows.n};
    return rc;
}

static int filter(sqlite3_vtab_cursor *cursor, int given, const char *str, int argc, sqlite3_value **argv)
{
    struct cursor *c = (struct cursor *)cursor;
    struct table *t = (struct table *)cursor->pVtab;
    struct sl_err err = {0};

    struct sl_call call = {.db = t->db, .arg = c->arg, .min = INT64_MIN, .max = INT64_MAX, .what = t->fn->what};
    int k = 0, rc;

    free_args(c);
    c->row = 1;
    c->got = NULL;
    if (str) {
        call.used = strtoull(str, NULL, 16); /* ends at the first letter: G, L, g, l, = are no digits */
        str += 16;
    }
    for (int i = 0; i < t->fn->args; i++)
        if (given & 1 << i) {
            if (t->fn->pointer && i == t->fn->args - 1) /* no copy would have it */
                call.pointer = sqlite3_value_pointer(argv[k], t->fn->pointer);
            if (t->fn->pointer && i == t->fn->args - 1 && sqlite3_value_type(argv[k]) != SQLITE_NULL)
                return too_many(&t->base, t->fn);
            c->arg[i] = sqlite3_value_dup(argv[k++]);
        }
    for (; str && *str && k < argc; str++)
        narrow(&call, *str, argv[k++]);
    for (int i = 0; i < t->fn->needed; i++)
        if (!c->arg[i]) {
            sl_err(&err, SL_EUSAGE, "arguments are missing; call it like %s", t->fn->usage);
            return fail(t, &err);
        }
    rc = t->fn->sql    ? ask((struct queried *)(void *)c->state, t->fn, &call, &err)
         : t->fn->fill ? fill(c->state, t->fn, &call, &err)
                       : t->fn->start(c->state, &call, &err);
    return rc ? fail(t, &err) : SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *cursor)
{
    struct cursor *c = (struct cursor *)cursor;
    struct table *t = (struct table *)cursor->pVtab;
    struct sl_err err = {0};

    c->row++;
    c->got = NULL;
    if (t->fn->sql)
        return step((struct queried *)(void *)c->state, t->db, &err) ? fail(t, &err) : SQLITE_OK;
    if (!t->fn->next) {
        ((struct sl_table_rows *)(void *)c->state)->at++;
        return SQLITE_OK;
    }
    return t->fn->next(c->state, &err) ? fail(t, &err) : SQLITE_OK;
}

static int at_end(sqlite3_vtab_cursor *cursor)
{
    const struct sl_table_fn *fn = ((struct table *)cursor->pVtab)->fn;
    const void *state = ((struct cursor *)cursor)->state;
    const struct sl_table_rows *rows = state;

    if (fn->sql)
        return ((const struct queried *)state)->done;
    return fn->at_end ? fn->at_end(state) : rows->at >= rows->n;
}

bool sl_call_uses_at(const struct sl_call *call, const struct sl_columns *columns, size_t offset)
{
    for (int i = 0; i < columns->n; i++)
        if (columns->v[i].offset == offset)
            return i > 63 || call->used >> i & 1;
    return false;
}

void sl_column_result(const struct sl_column *column, const void *row, sqlite3_context *out)
{
    const void *at = (const char *)row + column->offset;
    const struct sl_cell *cell = at;

    switch (column->type) {
    case SL_COLUMN_INTEGER:
        if (*(const int64_t *)at != SL_NULL_INTEGER)
            sqlite3_result_int64(out, *(const int64_t *)at);
        return;
    case SL_COLUMN_REAL: sqlite3_result_double(out, *(const double *)at); return; /* NaN becomes NULL */
    case SL_COLUMN_TEXT: sqlite3_result_text(out, *(const char *const *)at, -1, SQLITE_TRANSIENT); return;
    default: break;
    }
    if (cell->type == SQLITE_INTEGER)
        sqlite3_result_int64(out, cell->i);
    else if (cell->type == SQLITE_FLOAT)
        sqlite3_result_double(out, cell->d);
    else if (cell->type == SQLITE_TEXT)
        sqlite3_result_text(out, cell->s, (int)cell->n, SQLITE_TRANSIENT);
}

void sl_row_of_query(const struct sl_columns *columns, void *row, sqlite3_stmt *q)
{
    sl_row_clear(columns, row);
    for (int i = 0; i < columns->n; i++) {
        void *to = (char *)row + columns->v[i].offset;
        int type = sqlite3_column_type(q, i);
        struct sl_cell *cell = to;
        if (type == SQLITE_NULL)
            continue;
        switch (columns->v[i].type) {
        case SL_COLUMN_INTEGER: *(int64_t *)to = sqlite3_column_int64(q, i); continue;
        case SL_COLUMN_REAL: *(double *)to = sqlite3_column_double(q, i); continue;
        case SL_COLUMN_TEXT: *(const char **)to = (const char *)sqlite3_column_text(q, i); continue;
        default: break;
        }
        cell->type = type == SQLITE_BLOB ? SL_CELL_TEXT : type;
        if (type == SQLITE_INTEGER) {
            cell->i = sqlite3_column_int64(q, i);
        } else if (type == SQLITE_FLOAT) {
            cell->d = sqlite3_column_double(q, i);
        } else {
            cell->s = (const char *)sqlite3_column_text(q, i);
            cell->n = (uint32_t)sqlite3_column_bytes(q, i);
        }
    }
}

static int column(sqlite3_vtab_cursor *cursor, sqlite3_context *out, int col)
{
    struct cursor *c = (struct cursor *)cursor;
    const struct table *t = (const struct table *)cursor->pVtab;
    const struct sl_table_fn *fn = t->fn;

    if (col >= t->columns && col < t->columns + fn->args) {
        if (c->arg[col - t->columns])
            sqlite3_result_value(out, c->arg[col - t->columns]);
        return SQLITE_OK;
    }
    col -= col < t->columns ? 0 : fn->args;
    if (fn->sql) {
        sqlite3_result_value(out, sqlite3_column_value(((struct queried *)(void *)c->state)->rows, col));
    } else if (fn->fill) {
        const struct filled *f = (const struct filled *)(const void *)c->state;
        sl_column_result(&fn->row->v[col], sl_rows_at(&f->rows, f->of.at), out);
    } else {
        c->got = c->got ? c->got : fn->get(c->state);
        sl_column_result(&fn->row->v[col], c->got, out);
    }
    return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *out)
{
    struct cursor *c = (struct cursor *)cursor;
    const struct sl_table_fn *fn = ((struct table *)cursor->pVtab)->fn;

    *out = fn->rowid ? fn->rowid(c->state) : c->row;
    return SQLITE_OK;
}

static const sqlite3_module module = {
    .xConnect = connect, /* no xCreate: there is one table of the name, and nobody has to create it */
    .xBestIndex = best_index,
    .xDisconnect = disconnect,
    .xOpen = open_cursor,
    .xClose = close_cursor,
    .xFilter = filter,
    .xNext = next,
    .xEof = at_end,
    .xColumn = column,
    .xRowid = rowid,
};

int sl_table_register(sqlite3 *db, const struct sl_table_fn *fn)
{
    return sqlite3_create_module(db, fn->name, &module, (void *)fn);
}
