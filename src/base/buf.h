/* SPDX-License-Identifier: Apache-2.0 */
/* A growable string.  Zero-initialise, append, read .s (NUL-terminated once anything was appended), sl_buf_free(). */
#ifndef SL_BASE_BUF_H
#define SL_BASE_BUF_H

#include <stddef.h>
#include <stdint.h>

struct sl_buf {
    char *s;
    size_t n, cap;
};

void sl_buf_add(struct sl_buf *b, const void *s, size_t n);
/* The end, with room for n bytes and a NUL there, for who writes them and adds to b->n. */
char *sl_buf_room(struct sl_buf *b, size_t n);
void sl_buf_adds(struct sl_buf *b, const char *s);
void sl_buf_add_int(struct sl_buf *b, int64_t x);
void sl_buf_addc(struct sl_buf *b, char c);
void sl_buf_addf(struct sl_buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Appends s as a JSON string with its quotes.  Bytes that are not UTF-8, and NUL, become \xNN in the text. */
void sl_buf_add_json(struct sl_buf *b, const char *s, size_t n);
/* Appends s with bytes that are not UTF-8, and NUL, written as \xNN, so that SQLite and terminals can take it. */
void sl_buf_add_utf8(struct sl_buf *b, const char *s, size_t n);
/* Appends s as a shell reads it as one word: in quotes; the second only where it needs them. */
void sl_buf_add_quoted(struct sl_buf *b, const char *s);
void sl_buf_add_word(struct sl_buf *b, const char *s);
/* x in decimal, which ends with a NUL; a tenth of what snprintf() costs.  Length. */
size_t sl_int_text(int64_t x, char text[24]);
/* The fewest digits, at least 15 where needed, that are this number again: 0.9, not 0.90000000000000002.  Length. */
size_t sl_real_text(double d, char text[32]);
void sl_buf_clear(struct sl_buf *b);
void sl_buf_free(struct sl_buf *b);

/* Length of the valid UTF-8 prefix of s[0..n) that has no NUL. */
size_t sl_utf8_valid(const char *s, size_t n);

#endif
