/* SPDX-License-Identifier: Apache-2.0 */
/* Where users keep files of their own: $XDG_CONFIG_HOME/spanloom, or ~/.config/spanloom (XDG Base Directory). */
#ifndef SL_BASE_USER_FOLDER_H
#define SL_BASE_USER_FOLDER_H

#include "base/buf.h"

/* Appends the path of the folder of this name in it, such as "recipes", without a slash behind; nothing: there is none.
 */
void sl_user_folder(struct sl_buf *b, const char *name);

#endif
