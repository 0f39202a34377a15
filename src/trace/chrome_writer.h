/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events as Chrome Trace Format, in the shape of PerfFlowAspect's files.  The format: Nicolás Peña Moreno, Fadi Meawad
 * et al., "Trace Event Format", Google 2016.
 */
#ifndef SL_TRACE_CHROME_WRITER_H
#define SL_TRACE_CHROME_WRITER_H

#include "trace/decode.h"

/* All events that are left in d; options: enum sl_tf_options of format.h.  0, or an errno. */
int sl_chrome_write_fd(struct sl_decoded *d, int fd, uint32_t options);
/* The same to a file, which is there as a whole or not at all. */
int sl_chrome_write_file(struct sl_decoded *d, const char *path, uint32_t options);

#endif
