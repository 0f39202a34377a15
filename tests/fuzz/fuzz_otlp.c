/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of OTLP: requests of any shape, ours among them. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct sl_recipes *set;
    static unsigned runs;
    const struct sl_recipe *r;
    struct fuzz_totals a, b;
    const char *path;

    if (set && ++runs % 4096 == 0) { /* names gather */
        sl_recipes_free(set);
        set = NULL;
    }
    if (!set)
        set = fuzz_recipes(NULL);
    r = sl_recipes_find(set, "trace.opentelemetry");
    path = fuzz_file(data, size);
    a = fuzz_read(set, r, "/r/a.otlp.jsonl", path, SL_PARSE_IMPORT);
    MUST(a.read == a.used + a.skipped + a.rejected);
    b = fuzz_read(set, r, "/r/a.otlp.jsonl", path, SL_PARSE_IMPORT);
    MUST(!memcmp(&a, &b, sizeof a));
    fuzz_read(set, r, "/r/a.otlp.jsonl", path, SL_PARSE_NAMING);
    return 0;
}
