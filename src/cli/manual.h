/* SPDX-License-Identifier: Apache-2.0 */
/* The manual pages, which are in the program as text (tools/embed.py): for machines without man, or without our pages.
 */
#ifndef SL_CLI_MANUAL_H
#define SL_CLI_MANUAL_H

#include <stdbool.h>
#include <stdio.h>

/* Prints the page of a command, or of another name ("recipe", "lens"); false: there is none. */
bool manual_show(FILE *out, const char *name);

#endif
