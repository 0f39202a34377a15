// SPDX-License-Identifier: Apache-2.0
// The section of the timeline: what the report tells of spans, as the timeline wants it.
import { appsOf } from "../report/cells";
import { column, figure, numbers, section, text, texts, type Section } from "../report/data";
import { el } from "../report/dom";
import { kept } from "../report/kept";
import { shows, type Context } from "../report/view";
import { seconds } from "../report/words";
import type { Told } from "./details";
import { modes, type Times } from "./lanes";
import { Spans } from "./spans";
import { asked, askedStretch } from "./told";
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
        state,
        text: state.map((x, i) => `${task[i] === null ? component[i] : `task ${task[i]}, ${component[i]}`}: ${x}`),
    }, ran(context, spans));
}

/** What is called a task on a worker may tell of its queue, too: when each ran is in the section of workers. */
function ran(context: Context, spans: Spans): Times {
    const lanes = figure(section(context.run, "workers"), "lanes"),
        from = numbers(lanes, "from_s"),
        to = numbers(lanes, "to_s"),
        times = { from: spans.from.slice(), to: spans.to.slice(), share: spans.share },
        set = new Set<number>();
    column(lanes, "span").forEach((id, i) => {
        const at = typeof id === "number" ? spans.find(id) : undefined;
        if (at === undefined) return;
        // of several runs of one span, as far as it has them, from the first to the last
        times.from[at] = set.has(at) ? Math.min(times.from[at]!, from[i]!) : from[i]!;
        times.to[at] = set.has(at) ? Math.max(times.to[at]!, to[i]!) : to[i]!;
        set.add(at);
    });
    return times;
}

shows("timeline", ["range", "app", "executor", "task"], (s, context) => {
    const shown = timeline(s, context, told(s));
    if (!shown) return undefined;
    Object.assign(shown.box, { timeline: shown });
    if (figure(s, "spans") || !askedStretch()) return [shown.box];
    return [stretches(s, context, shown)];
});

/** Of a large run, workers in bins; of a range of it, on demand, each span. */
function stretches(s: Section, context: Context, all: Timeline): HTMLElement {
    const start = text(figure(section(context.run, "findings"), "run"), "start_ns"),
        said = el("span", { class: "quiet", role: "status" }, "workers, in bins"),
        back = el("button", { type: "button", hidden: true }, "workers, in bins"),
        each = el("button", { type: "button" }, "each span of the time that is shown"),
        box = el("div", {}, el("p", { class: "timeline-bar" }, each, back, said), all.box);
    let now = all;
    const put = (next: Timeline, words: string) => {
        const view = now.view;
        now.box.replaceWith(next.box);
        now = next;
        next.go([view[0], view[1]], false);
        said.textContent = words;
        back.hidden = next === all;
    };
    const name = `stretch ${context.index}`;
    back.addEventListener("click", () => {
        kept.set(name, undefined);
        put(all, "workers, in bins");
    });
    each.addEventListener("click", () => show(now.view));
    function show([from, to]: readonly [number, number]): void {
        const ask = askedStretch(),
            at = BigInt(start || "0"),
            ns = (x: number) => at + BigInt(Math.round(x * 1e9));
        if (!ask) return;
        said.textContent = "reading …";
        each.disabled = true;
        ask(ns(from), ns(to), at).then(got => {
            const figures = (["spans", "groups", "links", "types"] as const).map(name => ({ ...got[name], name, about: "" })),
                next = timeline({ ...s, figures: [...figures, ...s.figures.filter(f => f.name === "path")] }, context, told(s, (id: number) => {
                    const row = got.spans.data["span"]?.indexOf(id) ?? -1;
                    return row < 0 ? 0 : (got.spans.data["from_s"]?.[row] as number);
                }));
            if (!next) said.textContent = "there are no spans in this time";
            else {
                Object.assign(next.box, { timeline: next });
                kept.set(name, [from, to]);
                put(next, got.n > got.spans.rows ? `the ${got.spans.rows.toLocaleString("en-US")} longest of ${got.n.toLocaleString("en-US")} spans from ${seconds(from)} to ${seconds(to)}; zoom in for all` : `all ${got.n.toLocaleString("en-US")} spans from ${seconds(from)} to ${seconds(to)}`);
            }
        }).catch((error: unknown) => (said.textContent = error instanceof Error ? error.message : String(error))).finally(() => (each.disabled = false));
    }
    const was = kept.get<[number, number]>(name);
    if (was) show(was);
    return box;
}

/** What is told of spans in the page itself. */
function told(s: Section, starts?: (id: number) => number): Told {
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
        begins = new Map(column(figure(s, "spans"), "span").map((id, i) => [id, column(figure(s, "spans"), "from_s")[i] as number] as const)),
        spanFrom = (id: number) => starts?.(id) ?? begins.get(id) ?? 0,
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
