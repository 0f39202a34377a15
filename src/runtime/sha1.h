/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-1 (FIPS 180-4): PerfFlowAspect names instances by it.  Not for secrets. */
#ifndef SL_RUNTIME_SHA1_H
#define SL_RUNTIME_SHA1_H

#include <stddef.h>
#include <stdint.h>

void sl_sha1(const void *bytes, size_t n, uint8_t digest[20]);

#endif
