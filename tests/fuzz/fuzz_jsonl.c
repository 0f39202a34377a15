/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of JSON lines.  The first byte says by which recipe the rest is read. */
#include "fuzz.h"

static const char recipe[] = "recipe: fuzz\n"
                             "spans:\n"
                             "  run: {type: run, key: \"{dir}\"}\n"
                             "  job: {type: job, key: \"{job}\", or: \"{args.job}\", in: run}\n"
                             "fields: {job: int}\n"
                             "inputs:\n"
                             "  - files: \"{dir}/fuzz.jsonl\"\n"
                             "    reader: jsonl\n"
                             "    text: msg\n"
                             "    times: {ts: unix_us, time: iso, ns: unix_ns, ms: unix_ms}\n"
                             "    defaults: {kind: none}\n"
                             "contexts: [run]\n"
                             "records:\n"
                             "  - when: {kind: [all, \"1\", \"1.5\"]}\n"
                             "    span: job\n"
                             "    event: \"{name}\"\n"
                             "    attrs: \"*\"\n"
                             "    also: true\n"
                             "  - when: {kind: all}\n"
                             "    each: {of: msg, find: '(?<load>[-+.\\w]+)'}\n"
                             "    span: job\n"
                             "    samples: {\"{name}\": \"{load}\", load: \"{load}\", deep: \"{args.a.0}\"}\n"
                             "    after: {job: ~run}\n"
                             "  - match: '^(?<job>\\d+) (?<state>\\w+)'\n"
                             "    span: job\n"
                             "    event: \"{state}\"\n"
                             "    attrs: [args.a.0, args.a.1.b, pid]\n"
                             "    raw: true\n"
                             "else: raw\n";

static const struct {
    const char *recipe, *as;
} ways[] = {
    {"fuzz", "/r/fuzz.jsonl"},
    {"parsl.log", "/r/000/parsl.jsonlog"},
    {"parsl.htex.interchange", "/r/000/htex/interchange.jsonlog"},
    {"parsl.htex.manager", "/r/000/htex/block-0/abc123/manager.jsonlog"},
    {"parsl.htex.worker", "/r/000/htex/block-0/abc123/worker_0.jsonlog"},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct sl_recipes *set;
    static unsigned runs;
    size_t way = size ? *data % (sizeof ways / sizeof *ways) : 0;
    const struct sl_recipe *r;
    struct fuzz_totals a, b;
    const char *path;

    if (set && ++runs % 4096 == 0) {
        sl_recipes_free(set);
        set = NULL;
    }
    if (!set)
        set = fuzz_recipes(recipe);
    r = sl_recipes_find(set, ways[way].recipe);
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
