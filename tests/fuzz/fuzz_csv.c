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

    return fuzz_inputs(recipe, as, SL_PARSE_NAMING, data, size);
}
