// SPDX-License-Identifier: Apache-2.0
// Spans as columns, and how they belong together.
import { column, figure, numbers, texts, type Section } from "../report/data";

/** For each of n, which others: those of i are to[at[i]] .. to[at[i + 1] - 1]. */
export class Pairs {
    readonly at: Int32Array;
    readonly to: Int32Array;

    constructor(n: number, left: ArrayLike<number>, right: ArrayLike<number>) {
        this.at = new Int32Array(n + 1);
        this.to = new Int32Array(left.length);
        for (let i = 0; i < left.length; i++) this.at[(left[i] as number) + 1]!++;
        for (let i = 0; i < n; i++) this.at[i + 1]! += this.at[i]!;
        const next = this.at.slice(0, n);
        for (let i = 0; i < left.length; i++) this.to[next[left[i] as number]!++] = right[i] as number;
    }

    of(i: number): Int32Array {
        return this.to.subarray(this.at[i]!, this.at[i + 1]!);
    }
}

export class Spans {
    /** Those with a time come first; the others, in which these lie, have none (NaN). */
    readonly n: number;
    readonly all: number;
    readonly id: number[];
    readonly from: Float64Array;
    readonly to: Float64Array;
    readonly type: string[];
    readonly key: string[];
    readonly component: string[];
    /** Of merged ones, how many; and what share of its length they fill. */
    readonly count: Float64Array;
    readonly share: Float64Array;
    readonly role = new Map<string, string>();
    readonly end_s: number;
    readonly children: Pairs;
    readonly parents: Pairs;
    readonly facets: Pairs;
    readonly after: Pairs;
    readonly before: Pairs;
    readonly flows: Pairs;
    readonly flowsFrom: Pairs;
    /** The task that a span belongs to, an index, or -1; what that task runs, as an index of apps, or -1. */
    readonly task: Int32Array;
    readonly app: Int32Array;
    readonly apps: string[];
    private readonly host: (string | null)[];
    private readonly rows = new Map<number, number>();

    constructor(s: Section, apps: readonly string[]) {
        const spans = figure(s, "spans"),
            groups = figure(s, "groups"),
            links = figure(s, "links"),
            types = figure(s, "types"),
            n = (this.n = spans?.rows ?? 0),
            more = <T>(name: string, none: T): T[] => [...column(spans, name), ...(groups ? column(groups, name).length ? column(groups, name) : Array<T>(groups.rows).fill(none) : [])] as T[];
        this.all = n + (groups?.rows ?? 0);
        this.id = more("span", 0);
        this.type = more("type", "");
        this.key = more("key", "").map(String);
        this.component = more("component", "").map(x => x ?? "");
        this.host = more<string | null>("host", null);
        this.from = new Float64Array(this.all).fill(NaN);
        this.to = new Float64Array(this.all).fill(NaN);
        const from = numbers(spans, "from_s"),
            length = numbers(spans, "length_s");
        let end = 0;
        for (let i = 0; i < n; i++) {
            this.from[i] = from[i]!;
            end = Math.max(end, (this.to[i] = from[i]! + length[i]!));
        }
        this.end_s = end;
        this.count = spans && column(spans, "spans").length ? numbers(spans, "spans") : new Float64Array(this.all).fill(1);
        this.share = spans && column(spans, "share").length ? numbers(spans, "share") : new Float64Array(this.all).fill(1);
        for (const [i, type] of texts(types, "type").entries()) this.role.set(type ?? "", texts(types, "role")[i] ?? "");
        this.id.forEach((id, i) => this.rows.set(id, i));

        const pairs: Record<string, [number[], number[]]> = { in: [[], []], facet: [[], []], after: [[], []], flow: [[], []] },
            add = (kind: string, left: number | undefined, right: number | undefined) => {
                if (left === undefined || right === undefined || !pairs[kind]) return;
                pairs[kind][0].push(left);
                pairs[kind][1].push(right);
            };
        more<number | null>("parent", null).forEach((parent, i) => parent !== null && add("in", this.rows.get(parent), i));
        const kind = column(links, "kind"),
            left = column(links, "left_span"),
            right = column(links, "right_span");
        for (let i = 0; i < kind.length; i++) add(String(kind[i]), this.rows.get(left[i] as number), this.rows.get(right[i] as number));
        const both = (p: [number[], number[]]): [number[], number[]] => [[...p[0], ...p[1]], [...p[1], ...p[0]]],
            make = ([a, b]: [number[], number[]]) => new Pairs(this.all, a, b),
            back = ([a, b]: [number[], number[]]) => new Pairs(this.all, b, a);
        this.children = make(pairs["in"]!);
        this.parents = back(pairs["in"]!);
        this.facets = make(both(pairs["facet"]!));
        this.after = make(pairs["after"]!);
        this.before = back(pairs["after"]!);
        this.flows = make(pairs["flow"]!);
        this.flowsFrom = back(pairs["flow"]!);

        this.apps = [...apps];
        this.app = new Int32Array(this.all).fill(-1);
        const own = more<string | null>("app", null),
            within = this.withinTasks(),
            tells = (i: number) => (this.task[i]! === i || [...this.facets.of(i)].includes(this.task[i]!) ? 0 : this.role.get(this.type[i]!) === "attempt" ? 1 : 2),
            byTask = new Int32Array(this.all).fill(-1);
        this.task = this.nearest(i => this.isTask(i) && !within[i], true);
        // what the task itself says counts first, then its tries, then what else lies in it
        for (let rank = 0; rank < 3; rank++)
            for (let i = 0; i < this.all; i++) {
                const t = this.task[i]!;
                if (t >= 0 && byTask[t]! < 0 && own[i] !== null && own[i] !== undefined && tells(i) === rank) for (const f of [t, ...this.facets.of(t)]) byTask[f] = this.appCalled(own[i]!);
            }
        for (let i = 0; i < this.all; i++) {
            const t = this.task[i]!;
            this.app[i] = t >= 0 && byTask[t]! >= 0 ? byTask[t]! : own[i] === null || own[i] === undefined ? -1 : this.appCalled(own[i]!);
        }
    }

    private isTask(i: number): boolean {
        return this.role.get(this.type[i]!) === "task";
    }

    private appCalled(name: string): number {
        const at = this.apps.indexOf(name);
        return at < 0 ? this.apps.push(name) - 1 : at;
    }

    /** Which spans lie within a task, or are the same as one that does: a task of a scheduler below is no task of the workflow. */
    private withinTasks(): Uint8Array {
        const seen = new Uint8Array(this.all),
            within = new Uint8Array(this.all);
        let now: [number, boolean][] = [];
        const go = (i: number, inside: boolean) => {
            if ((inside ? within : seen)[i]) return;
            (inside ? within : seen)[i] = 1;
            now.push([i, inside]);
        };
        for (let i = 0; i < this.all; i++) if (this.isTask(i)) go(i, false);
        while (now.length) {
            const last = now;
            now = [];
            for (const [i, inside] of last) {
                for (const k of this.facets.of(i)) go(k, inside);
                for (const k of this.children.of(i)) go(k, true);
            }
        }
        return within;
    }

    /** For each span the nearest around it (itself, too) for which this is so; -1: none. */
    nearest(is: (i: number) => boolean, facets = false): Int32Array {
        const found = new Int32Array(this.all).fill(-1),
            pairs = facets ? [this.children, this.facets] : [this.children];
        let now: number[] = [];
        for (let i = 0; i < this.all; i++)
            if (is(i)) {
                found[i] = i;
                now.push(i);
            }
        while (now.length) {
            const next: number[] = [];
            for (const i of now)
                for (const { at, to } of pairs)
                    for (let j = at[i]!; j < at[i + 1]!; j++) {
                        const k = to[j]!;
                        if (found[k]! >= 0) continue;
                        found[k] = found[i]!;
                        next.push(k);
                    }
            now = next;
        }
        return found;
    }

    find(id: number): number | undefined {
        return this.rows.get(id);
    }

    /** Where it ran: what it says, or a span around it, or a view of that. */
    hostOf(i: number): string {
        const seen = new Set<number>();
        let now = [i];
        while (now.length && seen.size < 64) {
            const next: number[] = [];
            for (const k of now) {
                if (seen.has(k)) continue;
                seen.add(k);
                if (this.host[k]) return this.host[k]!;
                for (const f of this.facets.of(k)) if (this.host[f]) return this.host[f]!;
                next.push(...this.parents.of(k));
            }
            now = next;
        }
        return "";
    }

    /** The last word of the type: "worker"; "worker task". */
    kind(i: number): string {
        const words = this.type[i]!.toLowerCase().split("."),
            last = words[words.length - 1]!;
        // a worker's task has another number than the workflow's
        return last === "task" && words.length > 1 && this.task[i] !== i ? words.slice(-2).join(" ") : last;
    }

    /** What people call it: "task 57 (prep)", "main()", "worker 3". */
    label(i: number): string {
        const count = this.count[i] ?? 1,
            t = this.task[i]!,
            app = this.app[i]! >= 0 ? this.apps[this.app[i]!]! : "";
        if (count > 1) return `${count.toLocaleString("en-US")} ${this.kind(i)}s`;
        if (this.type[i] === "trace.call" || this.type[i] === "trace.async") return this.key[i]!.replace(/#\d+$/, "");
        if (t < 0) return `${this.kind(i)} ${this.key[i]}`;
        const name = `task ${this.key[t]}${app ? ` (${app})` : ""}`;
        return this.role.get(this.type[i]!) === "attempt" ? `${name}, try ${this.key[i]}` : name;
    }
}
