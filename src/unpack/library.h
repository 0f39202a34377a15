/* SPDX-License-Identifier: Apache-2.0 */
/* libarchive, loaded when it is first needed: it brings a dozen libraries along, which no other start should wait for.
 */
#ifndef SL_UNPACK_LIBRARY_H
#define SL_UNPACK_LIBRARY_H

#ifdef SL_ARCHIVE

#include <archive.h>
#include <archive_entry.h>

/* clang-format off */
#define SL_ARCHIVE_FUNCTIONS(X)                                                                                        \
    X(archive_read_new)                                                                                                \
    X(archive_read_free)                                                                                               \
    X(archive_read_open) X(archive_read_support_filter_gzip) X(archive_read_support_filter_zstd)                       \
        X(archive_read_support_filter_xz) X(archive_read_support_filter_bzip2) X(archive_read_support_format_tar)      \
            X(archive_read_support_format_raw) X(archive_read_next_header) X(archive_read_data_block)                  \
                X(archive_read_data) X(archive_filter_bytes) X(archive_error_string) X(archive_errno)                  \
                    X(archive_entry_pathname) X(archive_entry_pathname_utf8) X(archive_entry_filetype) X(archive_entry_hardlink)                 \
                        X(archive_entry_mtime) X(archive_entry_mtime_nsec)
/* clang-format on */

struct sl_archive_library {
#define SL_MEMBER(name) __typeof__(&name) name;
    SL_ARCHIVE_FUNCTIONS(SL_MEMBER)
#undef SL_MEMBER
};

/* The library, which stays; NULL: *why says what is missing and what to do.  For any thread. */
const struct sl_archive_library *sl_archive_library(const char **why);

#endif
#endif
