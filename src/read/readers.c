/* SPDX-License-Identifier: Apache-2.0 */
/* The table of readers: a new one adds its line here. */
#include "recipe/reader.h"

#include <string.h>

extern const struct sl_reader sl_reader_chrome, sl_reader_csv, sl_reader_json, sl_reader_jsonl, sl_reader_lines,
    sl_reader_otlp, sl_reader_pickle, sl_reader_sqlite, sl_reader_trace;

const struct sl_reader *const sl_readers[] = {
    &sl_reader_lines,  &sl_reader_jsonl,  &sl_reader_json,  &sl_reader_csv,  &sl_reader_sqlite,
    &sl_reader_pickle, &sl_reader_chrome, &sl_reader_trace, &sl_reader_otlp, NULL};

const struct sl_reader *sl_reader_find(const char *name)
{
    for (int i = 0; sl_readers[i]; i++)
        if (!strcmp(sl_readers[i]->name, name))
            return sl_readers[i];
    return NULL;
}
