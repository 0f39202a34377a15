/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writers of formats for other programs.  Each takes the spans of a store or a run (export/spans.h) and holds little
 * more than their outline; what is not UTF-8 is \xNN in what they write.
 */
#ifndef SL_EXPORT_FORMATS_H
#define SL_EXPORT_FORMATS_H

#include "export/out.h"
#include "export/timeline/timeline.h"

/*
 * A trace of Perfetto: protobuf, fields as in its .proto files.  Tracks are nested TrackDescriptors, a slice's
 * category is the type of its span, links are flows, attributes debug annotations.
 */
int sl_export_perfetto(struct sl_spans *s, struct sl_out *out, struct sl_export_counts *counts, struct sl_err *err);

/*
 * The Trace Event Format of Chrome, JSON, of which import makes the same spans again: metadata events "spanloom.span"
 * say which spans there are, and what belongs to one is in the args of its B event.
 */
int sl_export_chrome(struct sl_spans *s, struct sl_out *out, struct sl_export_counts *counts, struct sl_err *err);

/*
 * OpenTelemetry's file format: an ExportTraceServiceRequest a line, and of samples an ExportMetricsServiceRequest
 * (docs/sources.md), of which import makes the same spans again.
 */
int sl_export_otlp(struct sl_spans *s, struct sl_out *out, struct sl_export_counts *counts, struct sl_err *err);

/* A folder of tables: spans.csv, events.csv, links.csv, attributes.csv, samples.csv, sources.csv (RFC 4180). */
int sl_export_csv(struct sl_spans *s, const char *folder, struct sl_export_counts *counts, struct sl_err *err);

/* A folder with a trace of the Common Trace Format 1.8: metadata (TSDL) and one stream of all events in order. */
int sl_export_ctf(struct sl_spans *s, const char *folder, struct sl_export_counts *counts, struct sl_err *err);

#endif
