/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/manual.h"
#include "base/buf.h"
#include "base/embed.h"

#include <string.h>

bool manual_show(FILE *out, const char *name)
{
    const struct sl_embedded *e;
    struct sl_buf file = {0};

    sl_buf_addf(&file, "spanloom%s%s.", *name ? "-" : "", name);
    /* behind the dot is the section, one digit */
    for (e = sl_embedded_man; e->name && (strncmp(e->name, file.s, file.n) != 0 || strlen(e->name) != file.n + 1); e++)
        ;
    if (e->name)
        fputs(e->data, out);
    sl_buf_free(&file);
    return e->name != NULL;
}
