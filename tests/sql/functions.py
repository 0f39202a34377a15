#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Table functions are listed once: their columns and arguments in SQL, on the command line, in Python and in docs/sql.md."""
import csv
import io
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import *  # noqa

# A new one: its own file, its name in the list, its file in the build.
TALL = """/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/ext.h"
#include "analyse/sqlfn/sqlfn.h"

#define TALL(COLUMN, row) COLUMN(row, INTEGER, number, NULL, "from 1 on") COLUMN(row, REAL, half_s, "s", "half of it") \\
    COLUMN(row, TEXT, word, NULL, NULL) COLUMN(row, ANY, twice, NULL, "its double, hidden")
SL_ROW(tall, TALL);
static const struct sl_column args[] = {{"many", SL_COLUMN_INTEGER, NULL, "how many", 0}, {"word_of", SL_COLUMN_TEXT, NULL, "a word", 0}};

static int fill_tall(struct sl_rows *out, const struct sl_call *call, struct sl_err *err)
{
    (void)err;
    for (int64_t i = 1; i <= sqlite3_value_int64(call->arg[0]); i++) {
        struct tall *x = sl_rows_add(out);
        x->number = i;
        x->half_s = (double)i / 2;
        x->word = call->arg[1] ? sl_rows_text(out, (const char *)sqlite3_value_text(call->arg[1])) : NULL;
        x->twice = (struct sl_cell){SL_CELL_INTEGER, 0, {.i = 2 * i}};
    }
    return 0;
}

const struct sl_table_fn sl_fn_tall = {.name = "tall", .about = "numbers, to see that it works", .row = &tall_columns, .hidden = 1, .arg = args, .args = 2,
                                       .needed = 1, .usage = "tall(3)", .fill = fill_tall};
"""


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def sql(store, query):
    return rows(spanloom("sql", query, "-d", store, "--format", "csv").out)


@test
def a_new_one_touches_three_files():
    if SANITIZED:
        skip("a tree is built once")
    tree = path("tree")
    files = subprocess.run(["git", "ls-files", "-coz", "--exclude-standard", "--", ":!examples", ":!docs/pictures", ":!tests/data", ":!tests/peers"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, files.split("\0")):
        if os.path.isfile(f"{ROOT}/{name}"):
            os.makedirs(os.path.dirname(f"{tree}/{name}"), exist_ok=True)
            shutil.copy2(f"{ROOT}/{name}", f"{tree}/{name}")
    write(f"{tree}/src/analyse/sqlfn/tall.c", TALL)
    for file, before, line in (("src/analyse/sqlfn/sqlfn.h", "    FN(task_flow)", "    FN(tall) \\\n"), ("meson.build", "    'src/analyse/sqlfn/tasks/task_flow.c',", "    'src/analyse/sqlfn/tall.c',\n")):
        with open(f"{tree}/{file}") as f:
            text = f.read()
        equal(text.count(before), 1, file)
        write(f"{tree}/{file}", text.replace(before, line + before))
    for command in (["meson", "setup", "build", "--buildtype=plain", *(f"-D{x}=disabled" for x in "tests python plots weave".split())], ["ninja", "-C", "build", "spanloom", "spanloom.so"]):
        done = subprocess.run(command, cwd=tree, capture_output=True, text=True)
        check(not done.returncode, done.stdout[-2000:], done.stderr[-2000:])
    program, store = f"{tree}/build/spanloom", imported(EXAMPLE).store
    ask = lambda *words: subprocess.run([program, *words, "-d", store, "--format", "csv"], capture_output=True, text=True, check=True).stdout
    want = [{"number": "1", "half_s": "0.5", "word": "w"}, {"number": "2", "half_s": "1.0", "word": "w"}]
    equal(rows(ask("tall", "2", "--word-of", "w")), want, "the command")
    equal(rows(ask("sql", "SELECT number, half_s, word FROM tall(2, 'w') WHERE twice > 0")), want, "SQL")
    equal([r["name"] for r in rows(ask("sql", "SELECT name FROM functions() WHERE function = 'tall' ORDER BY kind, position"))], ["many", "word_of", "number", "half_s", "word", "twice"], "what it is")
    check("--word-of VALUE" in ask("tall", "--help") and "numbers, to see that it works" in ask("tall", "--help"), "its help")


@test
def commands_of_functions():
    """A run is found as everywhere; what is needed are arguments, the rest options; units are there."""
    store = imported(EXAMPLE).store
    flow = sql(store, "SELECT id FROM spans WHERE type = 'parsl.rundir.workflow'")[0]["id"]
    for name, words, call in (("slack", [], f"slack({flow})"), ("task-times", ["--run", "000"], f"task_times({flow})"), ("two_events", ["invoked", "returned"], "two_events('invoked', 'returned')"),
                              ("event-rate", ["returned", "60"], "event_rate('returned', 60)"), ("descendants", [str(flow)], f"descendants({flow})")):
        got, want = (rows(spanloom(*c, "-d", store, "--format", "csv").out) for c in ((name, *words), ("sql", f"SELECT * FROM {call}")))
        check(want and got == want, f"{name}: {len(got)} rows, {got[:1]}, where SQL has {len(want)}, {want[:1]}")
    by = rows(spanloom("event-rate", "returned", "60", "--by", "app", "-d", store, "--format", "csv").out)
    check({"cpu", "sleeper"} <= {r["name"] for r in by}, by)
    check("takes no arguments" in spanloom("slack", "7", "-d", store, code=2).err, "an argument too many")
    check("takes EVENT BIN_S" in spanloom("event-rate", "returned", "-d", store, code=2).err, "one that is missing")
    check("unknown option --nothing" in spanloom("slack", "--nothing", "-d", store, code=2).err, "an option that is none")
    check("there is no command 'slac'" in spanloom("slac", "-d", store, code=2).err, "a name that is none")
    check("how much later" in spanloom("help", "slack").out, "help")


@test
def the_page_has_what_they_say():
    r = subprocess.run([f"{ROOT}/tools/function-reference", imported(EXAMPLE).store, "--check"], env=environment(), capture_output=True, text=True)
    check(not r.returncode, r.stderr)


@test
def every_column_is_explained():
    """Each has a meaning, or a unit that says what it counts."""
    bare = sql(imported(EXAMPLE).store, "SELECT function, name FROM functions() WHERE meaning IS NULL AND unit IS NULL AND name NOT IN ('span')")
    equal(bare, [], "columns without a word")


main()
