/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory.  Running out of it ends the process with a message: with overcommit there is no useful way on, and the store
 * is safe, because what was not committed is rolled back.
 */
#ifndef SL_BASE_MEM_H
#define SL_BASE_MEM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Whether AddressSanitizer looks on, as clang and gcc say it.  What was freed is not used again then. */
#if defined __has_feature
#if __has_feature(address_sanitizer)
#define SL_ASAN 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define SL_ASAN 1
#endif

_Noreturn void sl_no_memory(size_t bytes); /* 0: of how many is not known */
void *sl_must(void *p);                    /* p, where another library may have had no memory for it */
void *sl_alloc(size_t bytes);              /* zeroed; never NULL; the caller frees with free() */
void *sl_realloc(void *p, size_t bytes);   /* new bytes are not zeroed; never NULL */
char *sl_strdup(const char *s);
char *sl_strndup(const char *s, size_t n);

/*
 * A growable array of T:  SL_VEC(int) v = {0};  *sl_vec_add(&v) = 7;  v.v[0], v.n;  sl_vec_free(&v).
 * sl_vec_add returns the address of a new, zeroed element; it moves when the array grows, so keep indices, not
 * addresses.
 */
#define SL_VEC(...)                                                                                                    \
    struct {                                                                                                           \
        __VA_ARGS__ *v;                                                                                                \
        size_t n, cap;                                                                                                 \
    }
#define sl_vec_add(a)                                                                                                  \
    ((a)->n == (a)->cap ? (void)((a)->v = sl_vec_grow((a)->v, &(a)->cap, sizeof *(a)->v)) : (void)0,                   \
     memset(&(a)->v[(a)->n], 0, sizeof *(a)->v), &(a)->v[(a)->n++])
#define sl_vec_clear(a) ((a)->n = 0)
#define sl_vec_free(a) (free((a)->v), (a)->v = NULL, (a)->n = (a)->cap = 0)
void *sl_vec_grow(void *v, size_t *cap, size_t size);

/* Strings that live and die together.  Zero-initialise; copies are NUL-terminated and stay where they are. */
struct sl_arena {
    struct sl_arena_block *head;
    size_t bytes; /* handed out since the last reset */
};
void *sl_arena_alloc(struct sl_arena *a, size_t bytes); /* aligned to 8, not zeroed */
char *sl_arena_copy(struct sl_arena *a, const void *s, size_t n);
void sl_arena_reset(struct sl_arena *a); /* forgets everything, keeps one block */
void sl_arena_free(struct sl_arena *a);

#endif
