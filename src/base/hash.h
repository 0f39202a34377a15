/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes: XXH3 of libxxhash, 64 bits for tables, 128 bits for the contents of files. */
#ifndef SL_BASE_HASH_H
#define SL_BASE_HASH_H

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <stdint.h>

static inline uint64_t sl_hash(const void *s, size_t n)
{
    return XXH3_64bits(s, n);
}

/* A good mix of two words (the finaliser of MurmurHash3, public domain, Austin Appleby). */
static inline uint64_t sl_hash_mix(uint64_t a, uint64_t b)
{
    a ^= b * 0x9E3779B97F4A7C15u;
    a ^= a >> 33;
    a *= 0xFF51AFD7ED558CCDu;
    a ^= a >> 33;
    a *= 0xC4CEB9FE1A85EC53u;
    return a ^ (a >> 33);
}

#endif
