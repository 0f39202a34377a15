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

    return fuzz_inputs(recipe, as, SL_PARSE_SHARES, data, size);
}
