// SPDX-License-Identifier: Apache-2.0
// The section of the timeline: what the report tells of spans, as the timeline wants it.
import { appsOf } from "../report/cells";
import { column, figure, numbers, section, texts, type Section } from "../report/data";
import { views, type Context } from "../report/view";
import type { Told } from "./details";
import { modes } from "./lanes";
import { Spans } from "./spans";
import { asked } from "./told";
import { Timeline } from "./view";

/** Of a run too large for the page: what the section of workers has of them. */
function reduced(context: Context): Section | undefined {
    const of = section(context.run, "workers"),
        lanes = figure(of, "lanes"),
        workers = figure(of, "workers");
    if (!lanes || !workers) return undefined;
    const merged = texts(lanes, "task").every(t => t === null),
        n = merged ? Math.max(...numbers(lanes, "lane")) + 1 : workers.rows,
        at = (lane: number) => (merged ? Math.floor((lane * workers.rows) / n) : lane),
        from = numbers(lanes, "from_s"),
        to = numbers(lanes, "to_s"),
        base = { name: "", about: "" },
        spans = {
            ...base, name: "spans", rows: lanes.rows, columns: [],
            data: {
                span: Array.from(from, (_, i) => -1 - i), parent: Array.from(numbers(lanes, "lane"), l => 1 + l), type: Array.from(from, () => "task"), key: texts(lanes, "task").map(t => t ?? ""),
                from_s: Array.from(from), length_s: Array.from(from, (a, i) => to[i]! - a), component: Array.from(from, () => ""), app: texts(lanes, "app"), host: Array.from(from, () => null),
                spans: column(lanes, "runs"), share: column(lanes, "busy"),
            },
        },
        groups = {
            ...base, name: "groups", rows: n, columns: [],
            data: {
                span: Array.from({ length: n }, (_, l) => 1 + l), parent: Array.from({ length: n }, () => null), type: Array.from({ length: n }, () => "worker"),
                key: Array.from({ length: n }, (_, l) => String(column(workers, "worker")[at(l)] ?? l)), component: Array.from({ length: n }, () => "workers"), host: Array.from({ length: n }, (_, l) => column(workers, "host")[at(l)] ?? null),
            },
        },
        types = { ...base, name: "types", rows: 2, columns: [], data: { type: ["worker", "task"], role: ["worker", "task"] } };
    return { name: "timeline", title: "", about: "", needs: null, figures: [spans, groups, types] };
}

/** The timeline of a run; undefined: it has no spans with a time. */
export function timeline(s: Section, context: Context, told: Told): Timeline | undefined {
    const own = figure(s, "spans") ? s : reduced(context);
    if (!own) return undefined;
    const spans = new Spans(own, appsOf(context.report)),
        path = figure(s, "path"),
        from = numbers(path, "from_s"),
        all = modes(spans),
        state = texts(path, "state"),
        task = texts(path, "task"),
        component = texts(path, "component");
    return new Timeline(spans, all[0]!, context, told, {
        from, to: from.map((a, i) => a + numbers(path, "length_s")[i]!),
        span: column(path, "span").map(id => spans.find(id as number)),
        text: state.map((x, i) => `${task[i] === null ? component[i] : `task ${task[i]}, ${component[i]}`}: ${x}`),
    });
}

views.set("timeline", (s, context) => {
    const shown = timeline(s, context, told(s));
    if (!shown) return undefined;
    Object.assign(shown.box, { timeline: shown });
    return [shown.box];
});

/** What is told of spans in the page itself. */
function told(s: Section): Told {
    const events = figure(s, "events"),
        attributes = figure(s, "attributes"),
        sources = figure(s, "sources"),
        rows = (of: ReturnType<typeof figure>) => {
            const by = new Map<number, number[]>();
            column(of, "span").forEach((id, i) => {
                const list = by.get(id as number);
                if (list) list.push(i);
                else by.set(id as number, [i]);
            });
            return by;
        },
        eventsOf = rows(events),
        attributesOf = rows(attributes),
        starts = new Map(column(figure(s, "spans"), "span").map((id, i) => [id, column(figure(s, "spans"), "from_s")[i] as number] as const)),
        spanFrom = (id: number) => starts.get(id) ?? 0,
        source = new Map(column(sources, "source").map((id, i) => [id, `${column(sources, "path")[i]}${column(sources, "part")[i] ? `#${column(sources, "part")[i]}` : ""}`] as const));
    return {
        here: events !== undefined || attributes !== undefined,
        async of(id) {
            const from = asked();
            if (from && !eventsOf.has(id)) {
                const { events, attributes } = await from(id),
                    first = BigInt(String(column(events, "time_ns")[0] ?? 0));
                return {
                    // from the beginning of the span, which is its first event
                    events: column(events, "event").map((event, i) => ({ time_s: spanFrom(id) + Number(BigInt(String(column(events, "time_ns")[i])) - first) / 1e9, event: String(event), where: String(column(events, "place")[i] ?? "") })),
                    attributes: column(attributes, "name").map((name, i) => [String(name), String(column(attributes, "value")[i] ?? "")] as const),
                };
            }
            return {
                events: (eventsOf.get(id) ?? []).map(i => ({ time_s: numbersAt(events, "time_s", i), event: String(column(events, "event")[i]), where: `${source.get(column(events, "source")[i] ?? -1) ?? ""}:${column(events, "place")[i]}` })),
                attributes: (attributesOf.get(id) ?? []).map(i => [String(column(attributes, "name")[i]), String(column(attributes, "value")[i] ?? "")] as const),
            };
        },
        matching(word) {
            const found = new Set<number>();
            column(attributes, "value").forEach((v, i) => {
                if (v !== null && String(v).toLowerCase().includes(word)) found.add(column(attributes, "span")[i] as number);
            });
            return found;
        },
    };
}

const numbersAt = (of: ReturnType<typeof figure>, name: string, i: number): number => {
    const x = column(of, name)[i];
    return typeof x === "number" ? x : NaN;
};
