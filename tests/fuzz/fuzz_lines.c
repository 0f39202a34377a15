/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of text logs.  The first byte says by which recipe the rest is read. */
#include "fuzz.h"

static const char recipe[] =
    "recipe: fuzz\n"
    "spans:\n"
    "  run: {type: run, key: \"{dir}\"}\n"
    "  job: {type: job, key: \"{job}\", in: run}\n"
    "  other: {type: \"other.{kind}\", key: \"{other}\", in: run}\n"
    "fields: {job: int}\n"
    "inputs:\n"
    "  - files: \"{dir}/fuzz.log\"\n"
    "    reader: lines\n"
    "    head: ['^(?<epoch>-?\\d+(?:\\.\\d+)?) (?<local>\\d{4}-\\d\\d-\\d\\d \\S+) (?<who>\\S+): ', "
    "'^\\[(?<day>[^\\]]*)\\] ', '^(?<local>\\d{4}-\\d\\d-\\d\\dT\\S+) ']\n"
    "    comment: '#'\n"
    "    times: {epoch: unix, local: iso, day: '%d/%b/%Y:%H:%M:%S %z'}\n"
    "  - files: \"{dir}/plain.log\"\n"
    "    reader: lines\n"
    "contexts: [run]\n"
    "records:\n"
    "  - match: '^all (?<job>\\S+) (?<x>.*)'\n"
    "    span: job\n"
    "    event: all\n"
    "    attrs: \"*\"\n"
    "    raw: true\n"
    "  - match: '^share (?<id>\\S+)'\n"
    "    span: run\n"
    "    share: {run_id: [\"{id}\", \"{dir}\"]}\n"
    "  - match: '^list (?<list>.*)'\n"
    "    each: {of: list, find: '(?<job>\\d+)(?:=(?<load>\\S+))?'}\n"
    "    span: job\n"
    "    samples: [load]\n"
    "    keep: {load: job}\n"
    "    also: true\n"
    "  - match: ['^list .*', '(?s)^pair (?<kind>\\w*) (?<other>[^ ]+) (?<job>\\d+)']\n"
    "    look: {load: job}\n"
    "    when: {load: '/^(?<first>.)/'}\n"
    "    span: other\n"
    "    event: {\"{kind}\": epoch}\n"
    "    attrs: {\"{other}\": \"{load}/{first}\", load: \"{load}\"}\n"
    "    in: {job: other}\n"
    "    facet: {~job: run}\n"
    "    after: {job: ~other}\n"
    "    flow: {other: job}\n"
    "  - match: '^pair'\n"
    "    skip: true\n"
    "naming:\n"
    "  - match: '(?<job>\\d+)'\n"
    "    mention: ~job\n"
    "else: raw\n";

static const struct {
    const char *recipe, *as;
} ways[] = {
    {"fuzz", "/r/fuzz.log"},
    {"fuzz", "/r/plain.log"},
    {"parsl.log", "/r/000/parsl.log"},
    {"parsl.htex.interchange", "/r/000/htex/interchange.log"},
    {"parsl.htex.manager", "/r/000/htex/block-0/abc123/manager.log"},
    {"parsl.htex.worker", "/r/000/htex/block-0/abc123/worker_0.log"},
    {"workqueue.debug", "/r/000/WorkQueueExecutor/debug"},
    {"workqueue.transactions", "/r/000/WorkQueueExecutor/transaction_log"},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct sl_recipes *set;
    static unsigned runs;
    size_t way = size ? *data % (sizeof ways / sizeof *ways) : 0;
    const struct sl_recipe *r;
    struct fuzz_totals a, b;
    const char *path;

    if (set && ++runs % 4096 == 0) { /* names that were seen pile up */
        sl_recipes_free(set);
        set = NULL;
    }
    if (!set)
        set = fuzz_recipes(recipe);
    r = sl_recipes_find(set, ways[way].recipe);
    if (!r)
        return 0;
    path = fuzz_file(size ? data + 1 : data, size ? size - 1 : 0);
    a = fuzz_read(set, r, ways[way].as, path, SL_PARSE_IMPORT);
    MUST(a.read == a.used + a.skipped + a.rejected);
    b = fuzz_read(set, r, ways[way].as, path, SL_PARSE_IMPORT);
    MUST(!memcmp(&a, &b, sizeof a));
    fuzz_read(set, r, ways[way].as, path, SL_PARSE_SHARES);
    b = fuzz_read(set, r, ways[way].as, path, SL_PARSE_NAMING);
    MUST(b.read == a.read);
    return 0;
}
