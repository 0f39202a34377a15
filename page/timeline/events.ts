// SPDX-License-Identifier: Apache-2.0
// The events of one task, where the page has events one by one: of all spans in it, and of what is the same as these.
import { column, figure, numbers, section, texts, type Run } from "../report/data";

interface Told {
    of: Map<string, Map<string, number>>;
    find(task: string): Map<string, number> | undefined;
}

const made = new WeakMap<Run, Told>();

function tell(run: Run): Told {
    const s = section(run, "timeline"),
        spans = figure(s, "spans"),
        events = figure(s, "events"),
        tasks = figure(section(run, "tasks"), "slowest"),
        id = column(spans, "span") as number[],
        keys = texts(spans, "key"),
        type = new Map<number, string>(),
        next = new Map<number, number[]>(),
        at = new Map<number, number[]>(),
        time = numbers(events, "time_s"),
        event = texts(events, "event"),
        add = (to: Map<number, number[]>, from: number, x: number) => {
            const list = to.get(from);
            if (list) list.push(x);
            else to.set(from, [x]);
        };
    for (const f of [spans, figure(s, "groups")]) {
        const types = texts(f, "type"),
            parents = column(f, "parent");
        (column(f, "span") as number[]).forEach((i, row) => {
            type.set(i, types[row] ?? "");
            const parent = parents[row];
            if (typeof parent === "number") add(next, parent, i);
        });
    }
    const links = figure(s, "links"),
        left = column(links, "left_span") as number[],
        right = column(links, "right_span") as number[];
    column(links, "kind").forEach((kind, i) => {
        if (kind === "in" || kind === "facet") add(next, left[i]!, right[i]!);
        if (kind === "facet") add(next, right[i]!, left[i]!);
    });
    column(events, "span").forEach((i, row) => add(at, i as number, row));
    // tasks of the run are of one type, that of those that are told of
    const main = type.get(column(tasks, "span")[0] as number),
        rowOf = new Map<string, number>();
    id.forEach((i, row) => type.get(i) === main && rowOf.set(keys[row] ?? "", i));
    return {
        of: new Map(),
        find(task) {
            const root = rowOf.get(task);
            if (root === undefined || !events) return undefined;
            const seen = new Set([root]),
                first = new Map<string, number>();
            for (const i of seen) {
                for (const row of at.get(i) ?? []) {
                    const key = `${type.get(i)} ${event[row]}`;
                    first.set(key, Math.min(first.get(key) ?? Infinity, time[row]!));
                }
                for (const k of next.get(i) ?? []) seen.add(k);
            }
            const zero = Math.min(...first.values());
            return new Map([...first].map(([key, t]) => [key, t - zero]));
        },
    };
}

/** Seconds from its first event to the first of each kind, "TYPE EVENT"; undefined: the page has them not. */
export function eventsOf(run: Run, task: string): Map<string, number> | undefined {
    let told = made.get(run);
    if (!told) made.set(run, (told = tell(run)));
    const known = told.of.get(task);
    if (known) return known;
    const found = told.find(task);
    if (found) told.of.set(task, found);
    return found;
}
