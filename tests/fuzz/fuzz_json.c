/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of JSON documents, with JSON inside of texts.  The first byte says by which input the rest is read. */
#include "fuzz.h"

static const char recipe[] =
    "recipe: fuzz\n"
    "spans:\n"
    "  run: {type: run, key: \"{dir}\"}\n"
    "  request: {type: request, key: \"{message.requestId}\", or: \"{_row}\", in: run}\n"
    "inputs:\n"
    "  - {files: \"{dir}/a.json\", reader: json, json: [message, message.detail],\n"
    "     text: message, times: {timestamp: unix_ms}}\n"
    "  - {files: \"{dir}/b.json\", reader: json, rows: events, json: [message], empty: [\"-\"],\n"
    "     text: message, times: {timestamp: unix_ms}}\n"
    "  - {files: \"{dir}/c.json\", reader: json, rows: a/results, json: [message],\n"
    "     pairs: {name: field, value: value}, times: {timestamp: unix_ms}}\n"
    "contexts: [run]\n"
    "records:\n"
    "  - match: '^(?<what>START|END) (?<request>\\S+)'\n"
    "    span: request\n"
    "    event: \"{what}\"\n"
    "  - when: {message.requestId: /./}\n"
    "    span: request\n"
    "    attrs: \"*\"\n"
    "    raw: true\n"
    "else: raw\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const as[] = {"/r/a.json", "/r/b.json", "/r/c.json"};
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
    fuzz_read(set, r, as[size ? *data % 3 : 0], path, SL_PARSE_SHARES);
    return 0;
}
