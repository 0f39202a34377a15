/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a binding (bind/bind.h), as recipes, project files and users write it. */
#ifndef SL_RECIPE_BIND_RULE_H
#define SL_RECIPE_BIND_RULE_H

#include "store/store.h"

struct sl_bind_rule {
    bool guess;
    enum sl_link_kind kind;
    char left[SL_TYPE_BYTES], right[SL_TYPE_BYTES];
    const char *where; /* inside of the text that was parsed; "" where there is none */
};

/* Parses text, which must stay as long as *out is used. */
int sl_bind_parse(struct sl_bind_rule *out, const char *text, struct sl_err *err);

#endif
