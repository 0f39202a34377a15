/* SPDX-License-Identifier: Apache-2.0 */
#include "base/files/user_folder.h"

#include <stdlib.h>

void sl_user_folder(struct sl_buf *b, const char *name)
{
    const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

    if (xdg && *xdg)
        sl_buf_addf(b, "%s/spanloom/%s", xdg, name);
    else if (home && *home)
        sl_buf_addf(b, "%s/.config/spanloom/%s", home, name);
}

int sl_user_folder_read(struct sl_folder_names *in, struct sl_buf *b, const char *name, struct sl_err *err)
{
    int rc;

    sl_user_folder(b, name);
    rc = b->n ? sl_folder_read(in, b->s, err) : 0;
    return rc == SL_ENOTFOUND ? 0 : rc;
}
