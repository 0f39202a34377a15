/* SPDX-License-Identifier: Apache-2.0 */
/* The decoder of pickles, and the reader around it. */
#include "fuzz.h"
#include "read/pickle/pickle_decode.h"

static const char recipe[] = "recipe: fuzz\n"
                             "spans:\n"
                             "  run: {type: run, key: \"{dir}\"}\n"
                             "  item: {type: item, key: \"{_row}\", in: run}\n"
                             "inputs:\n"
                             "  - {files: \"{dir}/fuzz.pickle\", reader: pickle, times: {time: unix}}\n"
                             "contexts: [run]\n"
                             "records:\n"
                             "  - {span: item, attrs: \"*\", raw: true}\n";

static void look(const uint8_t *data, size_t size)
{
    struct sl_err err = {0};
    struct sl_pickle *p = sl_pickle_load(data, size, "fuzz", &err);
    struct sl_buf b = {0};
    struct sl_value v;

    MUST(!p == (err.code != 0));
    if (!p)
        return;
    if (sl_pickle_value(p, sl_pickle_top(p), &b, &v) && b.n)
        MUST(sl_utf8_valid(b.s, b.n) == b.n && (b.s[0] == '{' || b.s[0] == '['));
    sl_buf_free(&b);
    sl_pickle_free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct sl_recipes *set;
    static unsigned runs;
    struct fuzz_totals a, b;
    const char *path;

    if (set && ++runs % 4096 == 0) {
        sl_recipes_free(set);
        set = NULL;
    }
    if (!set)
        set = fuzz_recipes(recipe);
    look(data, size);
    path = fuzz_file(data, size);
    a = fuzz_read(set, sl_recipes_find(set, "fuzz"), "/r/fuzz.pickle", path, SL_PARSE_IMPORT);
    MUST(a.read == a.used + a.skipped + a.rejected && a.read <= 4 * size && a.raws == a.used);
    b = fuzz_read(set, sl_recipes_find(set, "fuzz"), "/r/fuzz.pickle", path, SL_PARSE_IMPORT);
    MUST(!memcmp(&a, &b, sizeof a));
    a = fuzz_read(set, sl_recipes_find(set, "parsl.tracing"), "/r/000/parsl_tracing.pickle", path, SL_PARSE_IMPORT);
    MUST(a.read == a.used + a.skipped + a.rejected);
    fuzz_read(set, sl_recipes_find(set, "parsl.tracing"), "/r/000/parsl_tracing.pickle", path, SL_PARSE_SHARES);
    return 0;
}
