/* SPDX-License-Identifier: Apache-2.0 */
/* Results for people (aligned) and for programs (tsv, csv, json). */
#ifndef SL_SHOW_SHOW_H
#define SL_SHOW_SHOW_H

#include "base/buf.h"
#include "base/err.h"
#include "result/table.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum sl_format { SL_FORMAT_TABLE, SL_FORMAT_TSV, SL_FORMAT_CSV, SL_FORMAT_JSON };

/* "table", "tsv", "csv", "json"; negative: none of these. */
int sl_format_find(const char *name);

/*
 * Prints every row that t still has, with the column names as heading.  Numbers are aligned to the right.  JSON is an
 * array of objects; integers of columns named *_ns are strings there (a double breaks above 2^53).
 * Returns the number of rows, or negative (err filled; the message begins with the table's name).
 */
long sl_show_table(FILE *out, struct sl_table *t, enum sl_format format, struct sl_err *err);

/* The same for what q yields.  Takes q, and finalizes it. */
long sl_show_query(FILE *out, sqlite3_stmt *q, enum sl_format format, const char *what, struct sl_err *err);

/* The result for programs, or aligned, a table below the other: csv and tsv have the first, json as result says. */
int sl_show_result(FILE *out, const struct sl_result *r, enum sl_format format, struct sl_err *err);

/* Tables of the same columns as one (not aligned): one heading, one JSON array over all of them. */
struct sl_show_part {
    bool begun, last;
    long rows;
};
long sl_show_part(FILE *out, struct sl_table *t, enum sl_format format, struct sl_show_part *part, struct sl_err *err);

/* Appends s so that a terminal can show it: one line, UTF-8, no controls (\n, \t and \xNN in their place). */
void sl_show_clean(struct sl_buf *b, const char *s, size_t n);

/* Columns that a terminal needs for s, which is UTF-8: two for East Asian ones and emoji, none for marks on others. */
int sl_show_width(const char *s);
/* So many bytes of s that take no more than `columns` columns. */
size_t sl_show_fitting(const char *s, int columns);
/*
 * From here on aligned tables are no wider than this, where their texts can be cut for it (words at their end, paths
 * and types at their beginning); 0, as at first: they are as wide as they are.
 */
void sl_show_columns(int columns);
int sl_show_room(void); /* what sl_show_columns() said */
/*
 * Whether what is printed from here on has colour where it carries meaning; at first it has none.  sl_show_colour()
 * begins one of these, and SL_COLOUR_NONE ends it: an escape sequence, which takes no column, or "".
 */
enum sl_colour { SL_COLOUR_NONE, SL_COLOUR_FAILED, SL_COLOUR_COST };
void sl_show_colours(bool on);
const char *sl_show_colour(enum sl_colour colour);
/* Appends s, or its end behind "…" where it is wider than `columns`; 0: always s. */
void sl_show_end(struct sl_buf *b, const char *s, int columns);
/* The last column of a line that has `used` columns so far, on a terminal the beginning that fits; and a newline. */
void sl_show_last(FILE *out, const char *text, int used);
/* s, clean, in so many columns; a longer one on a line of its own, and the columns below it. */
void sl_show_name(FILE *out, int width, const char *s);

/*
 * Words over as many lines as they need, each from column `indent` on; the first stands where the cursor is, there.
 * Words that are longer than a line are parted on a terminal (sl_show_columns) alone.
 */
void sl_show_wrapped(FILE *out, const char *text, int indent, int columns);
/* The same on a terminal, elsewhere one line, of a text that may be of a log, by sl_show_clean(). */
void sl_show_words(FILE *out, const char *text, int indent);

/*
 * A message, ended by a newline: what is longer than `columns` (0: nothing is) goes on in the next line, indented by
 * two more.  Not parted are words and commands (spanloom ...), which people copy.
 */
void sl_show_message(FILE *out, const char *text, int columns);

/* A bar of share * width columns, at least a sliver where share > 0.  buf holds 4 * width + 4 bytes. */
char *sl_show_bar(double share, int width, char *buf);
/* One column of a row of bars, a blank to a full block; the lowest stands for all that is little. */
const char *sl_show_level(double share);
/* The most in a column, at least 0: what a full bar stands for.  The table begins again. */
double sl_show_most(struct sl_table *t, const char *name);
/* 2026-11-20T08:11:30Z, with as many digits as steps of step_s need; 0: none.  buf holds SL_TIME_TEXT bytes. */
char *sl_show_time(int64_t ns, double step_s, char *buf);
/* "2026-11-20 08:11:30 to 08:12:01 UTC", each day once.  buf holds SL_SHOW_PERIOD bytes. */
enum { SL_SHOW_PERIOD = 160 };
char *sl_show_period(int64_t from_ns, int64_t to_ns, double step_s, char *buf);
/* Are all times in a column of one day?  Then it is put into date[SL_TIME_TEXT], "2026-11-20".  The table begins again.
 */
bool sl_show_one_day(struct sl_table *t, const char *name, char *date);
/* As sl_show_time(), or without the date and the zone: 08:11:30. */
char *sl_show_moment(int64_t ns, double step_s, bool date, char *buf);
/* Three significant digits, whole where there are more before the point: 0.0123, 1.23, 1230; NaN: -.  buf holds 32
 * bytes. */
char *sl_show_digits(double v, char *buf);
/* 1234567 -> "1,234,567".  buf holds 32 bytes. */
char *sl_show_count(unsigned long long n, char *buf);

/* ---- numbers (numbers.c) ---- */

enum { SL_SHOW_NUMBER = 32 };
/* Three digits, no exponent: 4,270, -65.6, 0.0123; with sign: +4,270.  NaN: nothing.  buf holds SL_SHOW_NUMBER bytes.
 */
char *sl_show_number(double v, bool sign, char *buf);
/* "-66.0 to +400"; nothing where either is NaN.  buf holds twice as many. */
char *sl_show_interval(double low, double high, char *buf);

/*
 * A row for each of the groups of --by: names to the left, numbers by what the names of their columns end in (_s,
 * _percent), which is no part of the heading; a last column over_time are bars.
 */
int sl_show_groups(FILE *out, struct sl_table *t, struct sl_err *err);

/* ---- what people see of results (result/NAME.h), one file each ---- */

void sl_show_durations(FILE *out, const struct sl_result *r);
void sl_show_task_durations(FILE *out, const struct sl_result *r);
void sl_show_rate(FILE *out, const struct sl_result *r);
void sl_show_states(FILE *out, const struct sl_result *r);
void sl_show_workers(FILE *out, const struct sl_result *r); /* utilisation_tables.h */

#endif
