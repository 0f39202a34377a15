/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of CSV.  The first byte says by which input the rest is read. */
#include "fuzz.h"

static const char recipe[] = "recipe: fuzz\n"
                             "spans:\n"
                             "  run: {type: run, key: \"{dir}\"}\n"
                             "  job: {type: job, key: \"{JobID}\", or: \"{_row}\", in: run}\n"
                             "inputs:\n"
                             "  - {files: \"{dir}/a.csv\", reader: csv, times: {Start: iso, End: iso, t: unix}}\n"
                             "  - {files: \"{dir}/b.csv\", reader: csv, sep: \"|\", empty: [Unknown, \"\"],\n"
                             "     defaults: {State: none}, text: JobID, times: {Start: iso, End: iso, t: unix}}\n"
                             "  - {files: \"{dir}/c.csv\", reader: csv, sep: \"\\t\", columns: [JobID, State, t],\n"
                             "     comment: \"#\", times: {Start: iso, End: iso, t: unix}}\n"
                             "contexts: [run]\n"
                             "records:\n"
                             "  - match: '^(?<JobID>\\d+)\\.batch'\n"
                             "    skip: true\n"
                             "  - when: {State: /./}\n"
                             "    span: job\n"
                             "    event: {start: Start, end: End}\n"
                             "    attrs: \"*\"\n"
                             "    raw: true\n"
                             "else: raw\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const as[] = {"/r/a.csv", "/r/b.csv", "/r/c.csv"};
    static struct sl_recipes *set;
    static unsigned runs;
    const struct sl_recipe *r;
    struct fuzz_totals a, b;
    const char *path;

    if (set && ++runs % 4096 == 0) {
        sl_recipes_free(set);
        set = NULL;
    }
    if (!set)
        set = fuzz_recipes(recipe);
    r = sl_recipes_find(set, "fuzz");
    path = fuzz_file(size ? data + 1 : data, size ? size - 1 : 0);
    a = fuzz_read(set, r, as[size ? *data % 3 : 0], path, SL_PARSE_IMPORT);
    MUST(a.read == a.used + a.skipped + a.rejected && a.read <= size);
    b = fuzz_read(set, r, as[size ? *data % 3 : 0], path, SL_PARSE_IMPORT);
    MUST(!memcmp(&a, &b, sizeof a));
    fuzz_read(set, r, as[size ? *data % 3 : 0], path, SL_PARSE_NAMING);
    return 0;
}
