/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON into a buffer, without blanks.  Commas come by themselves: whatever follows a value gets one, but at the
 * beginning of the buffer or of a line.
 *
 *     sl_json_open(&b, NULL, '{');
 *     sl_json_text(&b, "name", "a");
 *     sl_json_open(&b, "times", '[');
 *     sl_json_real(&b, NULL, 0.5);
 *     sl_json_close(&b, ']');
 *     sl_json_close(&b, '}'); -> {"name":"a","times":[0.5]}
 *
 * key is NULL in lists, and behind sl_json_name(); it is one of ours, without what JSON has escapes for.
 */
#ifndef SL_BASE_JSON_OUT_H
#define SL_BASE_JSON_OUT_H

#include "base/buf.h"

#include <stdbool.h>

void sl_json_open(struct sl_buf *b, const char *key, char bracket);
void sl_json_close(struct sl_buf *b, char bracket);
void sl_json_text(struct sl_buf *b, const char *key, const char *s); /* NULL: null */
void sl_json_bytes(struct sl_buf *b, const char *key, const char *s, size_t n);
void sl_json_int(struct sl_buf *b, const char *key, int64_t i);
void sl_json_digits(struct sl_buf *b, const char *key, int64_t i); /* a text, where numbers may be doubles */
void sl_json_exact(struct sl_buf *b, const char *key, int64_t i);  /* a text where a double cannot hold it */
void sl_json_real(struct sl_buf *b, const char *key, double d);    /* null where JSON has no such number */
void sl_json_truth(struct sl_buf *b, const char *key, bool yes);
void sl_json_raw(struct sl_buf *b, const char *key, const char *json);
/* A comma where one is due, and the key; what is appended next is its value. */
void sl_json_member(struct sl_buf *b, const char *key);
void sl_json_name(struct sl_buf *b, const char *s); /* the same of any text */

#endif
