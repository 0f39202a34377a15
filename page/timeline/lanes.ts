// SPDX-License-Identifier: Apache-2.0
// On which lane a span is, as chosen: lanes of workers, threads, processes, nodes or components, in groups.
import type { Spans } from "./spans";
import { inTracks, Together, Track } from "./track";

export const MODES = ["worker", "thread", "process", "node", "component"] as const;
export type Mode = (typeof MODES)[number];

/** More at once are shown as how many there are. */
const MOST_TRACKS = 40;
/** A lane of more tracks is folded at first. */
const OPEN_TRACKS = 10;

/** When spans are there on lanes. */
export interface Times {
    from: Float64Array;
    to: Float64Array;
    share: Float64Array;
}

export class Lane {
    open: boolean;
    private made: Track[] | undefined | null = null;
    private area: Together | undefined;

    /** holder: the worker or thread itself, behind what it holds; -1: none. */
    constructor(readonly label: string, readonly items: Int32Array, private readonly spans: Times, readonly holder = -1) {
        this.open = true;
        if ((this.tracks?.length ?? 0) > OPEN_TRACKS) this.open = false;
    }

    /** undefined: too many are there at once. */
    get tracks(): Track[] | undefined {
        if (this.made === null) this.made = inTracks(this.items, this.spans.from, this.spans.to, this.spans.share, MOST_TRACKS);
        return this.made;
    }

    get together(): Together {
        return (this.area ??= new Together(this.items, this.spans.from, this.spans.to));
    }

    /** When the holder was there: from its first event to the last of all that it holds. */
    get there(): readonly [number, number] {
        if (this.holder < 0) return [NaN, NaN];
        const { from, to } = this.spans,
            first = this.items[0];
        let end = to[this.holder]!;
        for (const track of this.tracks ?? []) end = Math.max(Number.isNaN(end) ? -Infinity : end, track.to[track.to.length - 1] ?? -Infinity);
        const begin = from[this.holder]!;
        return [Number.isNaN(begin) ? (first === undefined ? NaN : from[first]!) : first === undefined ? begin : Math.min(begin, from[first]!), end];
    }
}

export class Group {
    private area: Together | undefined;

    constructor(readonly label: string, readonly lanes: Lane[], public open: boolean, private readonly spans: Times) {}

    get together(): Together {
        if (!this.area) {
            const all = new Int32Array(this.lanes.reduce((n, l) => n + l.items.length, 0));
            let at = 0;
            for (const l of this.lanes) {
                all.set(l.items, at);
                at += l.items.length;
            }
            this.area = new Together(all, this.spans.from, this.spans.to);
        }
        return this.area;
    }

    get n(): number {
        return this.lanes.reduce((n, l) => n + l.items.length, 0);
    }
}

const order = new Intl.Collator("en", { numeric: true });

/** What is a lane of its own. */
function holds(s: Spans, mode: Mode): (i: number) => boolean {
    const is = (i: number, ...types: string[]) => types.includes(s.type[i]!),
        role = (i: number) => s.role.get(s.type[i]!);
    switch (mode) {
        case "worker": return i => role(i) === "worker";
        case "thread": return i => is(i, "trace.thread", "parsl.executors.threads.thread");
        case "process": return i => is(i, "trace.process") || role(i) === "worker";
        case "node": return i => /\.(node|manager)$/.test(s.type[i]!) && role(i) !== "workflow" || is(i, "trace.process") || role(i) === "worker";
        case "component": return () => false;
    }
}

const holders = (s: Spans, mode: Mode): Int32Array => s.nearest(holds(s, mode));

/** A worker or process, where it is told apart from others. */
function place(s: Spans, i: number): string {
    const around = [...s.parents.of(i)].filter(p => !/workflow|database/.test(s.type[p]!)).map(p => `${s.kind(p)} ${s.key[p]}`);
    return [s.hostOf(i), ...around].filter(Boolean).join(" · ");
}

/** Which of the choices tell spans apart. */
export function modes(s: Spans): Mode[] {
    return MODES.filter(m => {
        if (m === "component") return true;
        const is = holds(s, m);
        for (let i = 0; i < s.n; i++) if (is(i)) return true;
        return holders(s, m).some((h, i) => i < s.n && h >= 0);
    });
}

/** ran: of spans that say more than what they ran for, as tasks do that were submitted before, when they were on their worker. */
export function groups(s: Spans, mode: Mode, ran: Times = s): Group[] {
    const of = holders(s, mode),
        held = new Map<string, Map<string, number[]>>(),
        rest = new Map<string, Map<string, number[]>>(),
        named = new Map<number, [string, string]>(),
        holder = new Map<number[], number>(),
        add = (to: typeof held, group: string, lane: string, i: number, h = -1) => {
            let lanes = to.get(group);
            if (!lanes) to.set(group, (lanes = new Map()));
            let items = lanes.get(lane);
            if (!items) lanes.set(lane, (items = []));
            // where a holder comes again, under the same name, the first is behind both
            if (h === i && !holder.has(items)) holder.set(items, h);
            else items.push(i);
        };
    for (let i = 0; i < s.n; i++) {
        const h = of[i]!;
        if (h < 0) {
            add(rest, s.component[i]!, s.type[i]!, i);
            continue;
        }
        let name = named.get(h);
        if (!name)
            named.set(h, (name = mode === "node" ? [s.hostOf(h) || "(host not told)", `${s.kind(h)} ${s.key[h]}`] : [place(s, h) || s.component[h]!, `${s.kind(h)} ${s.key[h]}`]));
        add(held, name[0], name[1], i, h);
    }
    const times = mode === "worker" || mode === "node" ? ran : s,
        ordered = (items: number[]) => (times === s ? Int32Array.from(items) : Int32Array.from(items).sort((a, b) => times.from[a]! - times.from[b]! || times.to[b]! - times.to[a]!));
    const make = (from: typeof held, open: boolean) =>
        [...from].sort(([a], [b]) => order.compare(a, b)).map(([label, lanes]) =>
            new Group(label, [...lanes].sort(([a], [b]) => order.compare(a, b)).map(([lane, items]) => new Lane(lane, ordered(items), times, holder.get(items) ?? -1)), open, times));
    const all = [...make(held, true), ...make(rest, held.size === 0)];
    // of many, what fits on a screen is open
    let shown = 0;
    for (const g of all) {
        if (g.open && shown > 60) g.open = false;
        shown += g.open ? g.lanes.length : 1;
    }
    return all;
}
