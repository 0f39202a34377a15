#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What OpenTelemetry's own SDK writes is imported as it was, and its own decoder takes what we export."""
import glob
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import EXAMPLE, cases, check, equal, imported, main, path, query, spanloom, test  # noqa: E402
import peers  # noqa: E402

PROGRAM = r"""
import json, os, sys
from opentelemetry import trace, metrics
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, BatchSpanProcessor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.exporter.otlp.json.file import FileSpanExporter, FileMetricExporter

spans, values, processor = sys.argv[1:]
resource = Resource.create({"service.name": "solver", "service.instance.id": "7", "tags": ["a", "b"]})
provider = TracerProvider(resource=resource)
provider.add_span_processor({"simple": SimpleSpanProcessor, "batch": BatchSpanProcessor}[processor](FileSpanExporter(spans)))
tracer = provider.get_tracer("lib", "1.2")
told = []
hostile = 'quote " line\n \\ tab\t nul? \u202e \U0001f600'
with tracer.start_as_current_span("run", kind=trace.SpanKind.SERVER, attributes={"n": 2**60, "share": 0.1, "text": hostile, "yes": True, "list": [1, 2]}) as run:
    with tracer.start_as_current_span(hostile) as step:
        step.add_event("asked", {"of": "whom"})
        step.add_event("answered")
        try:
            with tracer.start_as_current_span("fails", attributes={"name": "another"}) as fails:
                raise ValueError("it is so")
        except ValueError:
            pass
    with tracer.start_as_current_span("later", links=[trace.Link(fails.get_span_context())]) as later:
        pass
provider.shutdown()
for s in (run, step, fails, later):
    told.append({"id": format(s.context.span_id, "016x"), "trace": format(s.context.trace_id, "032x"), "name": s.name,
                 "begin": s.start_time, "end": s.end_time, "parent": s.parent and format(s.parent.span_id, "016x"),
                 "events": [[e.name, e.timestamp] for e in s.events], "status": s.status.status_code.name.lower()})
reader = PeriodicExportingMetricReader(FileMetricExporter(values))
meter = MeterProvider(resource=resource, metric_readers=[reader])
meter.get_meter("lib").create_counter("steps").add(3, {"kind": "small"})
meter.get_meter("lib").create_histogram("seconds").record(0.5)
meter.shutdown()
print(json.dumps(told))
"""
HOSTILE = 'quote " line\n \\ tab\t nul? \u202e \U0001f600'


def traced(processor):
    spans, values = path("spans.jsonl"), path("metrics.jsonl")
    r = subprocess.run([peers.python(), "-c", PROGRAM, spans, values, processor], capture_output=True, text=True)
    check(r.returncode == 0, r.stderr[-2000:])
    return json.loads(r.stdout), spans, values


def compare(told, store):
    rows = {key: (i, trace) for i, key, trace in query(
        store, "SELECT s.id, s.key, t.key FROM spans s JOIN spans t ON t.id = s.parent WHERE s.type = 'otel.span'")}
    key = {i: k for k, (i, _) in rows.items()}
    equal(sorted(rows), sorted(s["id"] for s in told), "spans")
    for s in told:
        i, trace = rows[s["id"]]
        values = dict(query(store, "SELECT name, value FROM attributes WHERE span = ?", i))
        equal((trace, values["name"]), (s["trace"], s["name"]), "what it is")
        equal(values.get("status", "unset"), s["status"], "status")
        equal(sorted(query(store, "SELECT type, time_ns FROM events WHERE span = ?", i)),
              sorted([("begin", s["begin"]), ("end", s["end"])] + [tuple(e) for e in s["events"]]), "events")
        equal([key[p] for (p,) in query(store, "SELECT left_span FROM links WHERE kind = 'in' AND right_span = ? AND left_span IN "
                                       "(SELECT id FROM spans WHERE type = 'otel.span')", i)], [s["parent"]] if s["parent"] else [], "parent")
    run, _, fails, later = (rows[s["id"]][0] for s in told)
    values = dict(query(store, "SELECT name, value FROM attributes WHERE span = ?", run))
    equal({k: values[k] for k in ("n", "share", "text", "yes", "list.0", "list.1", "kind", "scope")},
          {"n": 2**60, "share": 0.1, "text": HOSTILE, "yes": "true", "list.0": 1, "list.1": 2, "kind": "server", "scope": "lib"})
    equal(query(store, "SELECT value FROM attributes WHERE span = ? AND name = 'args.name'", fails), [("another",)])
    equal(query(store, "SELECT left_span, right_span FROM links WHERE kind = 'flow'"), [(fails, later)], "links")
    equal(query(store, "SELECT DISTINCT key FROM spans WHERE type = 'otel.resource'"), [("solver@7",)])


@cases("simple", "batch")
def what_the_sdk_writes(processor):
    told, spans, values = traced(processor)
    store = imported(spans, values).store
    compare(told, store)
    equal(query(store, "SELECT metric, value FROM samples"), [("steps{kind=small}", 3)], "metrics")
    equal(query(store, "SELECT reason FROM rejects"), [], "rejects")


@test
def over_several_lines():
    told, spans, _ = traced("batch")
    with open(spans, encoding="utf-8") as file, open(path("pretty.json"), "w", encoding="utf-8") as out:
        for line in file:
            print(json.dumps(json.loads(line), indent=2), file=out)
    compare(told, imported(path("pretty.json")).store)


@test
def exported_again():
    told, spans, _ = traced("batch")
    spanloom("export", "otlp", "-d", imported(spans).store, "-o", path("again.otlp"))
    compare(told, imported(path("again.otlp"), store="again.db").store)


READ = r"""
import json, sys
from opentelemetry.proto_json.collector.trace.v1.trace_service import ExportTraceServiceRequest
n = 0
for line in open(sys.argv[1], encoding="utf-8"):
    if '"resourceSpans"' in line:
        for r in ExportTraceServiceRequest.from_json(line).resource_spans:
            for s in r.scope_spans:
                for span in s.spans:
                    assert len(span.trace_id) == 16 and len(span.span_id) == 8, span
                    assert span.end_time_unix_nano >= span.start_time_unix_nano, span
                    n += 1
print(n)
"""


@test
def its_decoder_takes_an_export():
    store = imported(EXAMPLE).store
    spanloom("export", "otlp", "-d", store, "-o", path("example.otlp"))
    r = subprocess.run([peers.python(), "-c", READ, path("example.otlp")], capture_output=True, text=True)
    equal((r.stderr[-500:], r.stdout.strip()), ("", str(query(store, "SELECT count(*) FROM spans")[0][0])))


peers.needs("opentelemetry")
main()
