/* SPDX-License-Identifier: Apache-2.0 */
/* Where users keep files of their own: $XDG_CONFIG_HOME/spanloom, or ~/.config/spanloom (XDG Base Directory). */
#ifndef SL_BASE_FILES_USER_FOLDER_H
#define SL_BASE_FILES_USER_FOLDER_H

#include "base/buf.h"
#include "base/files/folder.h"

/* Appends the path of the folder of this name in it, such as "recipes", without a slash behind; nothing: there is none.
 */
void sl_user_folder(struct sl_buf *b, const char *name);
/* The same, and what lies in it.  Most users have none, which is no error. */
int sl_user_folder_read(struct sl_folder_names *in, struct sl_buf *b, const char *name, struct sl_err *err);

#endif
