/* SPDX-License-Identifier: Apache-2.0 */
#include "base/user_folder.h"

#include <stdlib.h>

void sl_user_folder(struct sl_buf *b, const char *name)
{
    const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

    if (xdg && *xdg)
        sl_buf_addf(b, "%s/spanloom/%s", xdg, name);
    else if (home && *home)
        sl_buf_addf(b, "%s/.config/spanloom/%s", home, name);
}
