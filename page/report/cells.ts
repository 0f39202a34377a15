// SPDX-License-Identifier: Apache-2.0
// All tasks of a run, one by one or, of large runs, put together: what answers to a choice.
import type { Choice } from "./choice";
import { column, figure, numbers, section, texts, type Figure, type Report, type Run } from "./data";

export class Cells {
    readonly n: number;
    readonly app: (string | null)[];
    readonly executor: (string | null)[];
    readonly ended: (string | null)[];
    readonly task: (string | null)[];
    readonly tasks: Float64Array;
    readonly retried: Float64Array;
    readonly first: Float64Array;
    readonly start: Float64Array;
    readonly done: Float64Array;
    /** Of all tasks in one, as are queue and lost. */
    readonly run: Float64Array;
    readonly queue: Float64Array;
    readonly lost: Float64Array;
    /** Several tasks in one. */
    readonly together: boolean;
    private readonly rowOf = new Map<string, number>();

    /** What ran when, where that is told run by run: rows of cells. */
    private readonly ran: readonly (readonly [row: number, from: number, to: number])[];

    constructor(of: Figure | undefined, lanes: Figure | undefined) {
        this.n = of?.rows ?? 0;
        this.app = texts(of, "app");
        this.executor = texts(of, "executor");
        this.ended = texts(of, "ended");
        this.task = texts(of, "task");
        this.tasks = numbers(of, "tasks");
        this.retried = numbers(of, "retried");
        this.first = numbers(of, "first_s");
        this.start = numbers(of, "start_s");
        this.done = numbers(of, "done_s");
        this.run = numbers(of, "run_s");
        this.queue = numbers(of, "queue_s");
        this.lost = numbers(of, "lost_s");
        this.together = column(of, "task").some(x => x === null);
        this.task.forEach((task, i) => task !== null && this.rowOf.set(task, i));
        const from = numbers(lanes, "from_s"),
            to = numbers(lanes, "to_s");
        this.ran = this.together ? [] : texts(lanes, "task").flatMap((task, i) => {
            const row = task === null ? undefined : this.rowOf.get(task);
            return row === undefined ? [] : [[row, from[i]!, to[i]!] as const];
        });
    }

    /** Of all of each, how long it was on workers within a range; of those put together as if they ran one after the other from when they began on average. */
    runWithin([low, high]: readonly [number, number]): Float64Array {
        const s = new Float64Array(this.n),
            told = new Uint8Array(this.n);
        for (const [row, from, to] of this.ran) {
            told[row] = 1;
            s[row]! += Math.max(0, Math.min(to, high) - Math.max(from, low));
        }
        for (let i = 0; i < this.n; i++) {
            if (told[i] || Number.isNaN(this.start[i])) continue;
            const long = this.run[i]! / this.tasks[i]!;
            s[i] = this.tasks[i]! * Math.max(0, Math.min(this.start[i]! + long, high) - Math.max(this.start[i]!, low));
        }
        return s;
    }

    find(task: string): number | undefined {
        return this.rowOf.get(task);
    }

    /** Those that are chosen: of the app and executor, and there in the range. A task that is chosen hides no other. */
    chosen(choice: Choice): number[] {
        const { range, app, executor } = choice.now,
            rows: number[] = [];
        for (let i = 0; i < this.n; i++) {
            if (app !== null && (this.app[i] ?? "") !== app) continue;
            if (executor !== null && (this.executor[i] ?? "") !== executor) continue;
            if (range && !((this.first[i] as number) <= range[1] && (this.done[i] as number) >= range[0])) continue;
            rows.push(i);
        }
        return rows;
    }
}

const made = new WeakMap<Run, Cells>();
export function cells(run: Run): Cells {
    let of = made.get(run);
    if (!of) made.set(run, (of = new Cells(figure(section(run, "tasks"), "cells"), figure(section(run, "workers"), "lanes"))));
    return of;
}

export interface Sums {
    tasks: number;
    done: number;
    failed: number;
    never_ran: number;
    unfinished: number;
    retried: number;
    run_s: number;
    lost_s: number;
    median_s: number;
    p95_s: number;
    max_s: number;
    queue_median_s: number;
}

/** The p-quantile of values with weights, the one at which that share of the weights is reached. */
export function quantile(sorted: readonly (readonly [value: number, weight: number])[], p: number): number {
    const all = sorted.reduce((sum, [, w]) => sum + w, 0);
    let at = p * (all - 1);
    for (const [i, [value, weight]] of sorted.entries()) {
        if (at <= weight - 1 || i === sorted.length - 1) return value;
        if (at < weight) {
            const next = sorted[i + 1]?.[0] ?? value;
            return value + (next - value) * (at - (weight - 1));
        }
        at -= weight;
    }
    return NaN;
}

/** In a range, tasks are those that were there, done and failed are those that ended in it, and seconds on workers those in it. */
export function sums(of: Cells, rows: readonly number[], range: readonly [number, number] | null = null): Sums {
    const s: Sums = { tasks: 0, done: 0, failed: 0, never_ran: 0, unfinished: 0, retried: 0, run_s: 0, lost_s: 0, median_s: NaN, p95_s: NaN, max_s: NaN, queue_median_s: NaN },
        ran: [number, number][] = [],
        queued: [number, number][] = [],
        run = range ? of.runWithin(range) : of.run;
    if (range) s.lost_s = NaN;
    for (const i of rows) {
        const n = of.tasks[i] as number,
            ended = range && of.done[i]! > range[1] ? null : of.ended[i];
        s.tasks += n;
        if (ended === "done") s.done += n;
        else if (ended === null || ended === undefined) s.unfinished += n;
        else if (ended === "dependency failed") s.never_ran += n;
        else s.failed += n;
        s.retried += of.retried[i] || 0;
        s.run_s += run[i] || 0;
        s.lost_s += of.lost[i] || 0;
        if (!Number.isNaN(of.start[i])) ran.push([(of.run[i] as number) / n, n]);
        queued.push([(of.queue[i] || 0) / n, n]);
    }
    ran.sort((a, b) => a[0] - b[0]);
    queued.sort((a, b) => a[0] - b[0]);
    if (ran.length) {
        s.median_s = quantile(ran, 0.5);
        s.p95_s = quantile(ran, 0.95);
        s.max_s = (ran[ran.length - 1] as [number, number])[0];
    }
    if (queued.length) s.queue_median_s = quantile(queued, 0.5);
    return s;
}

/** Apps of all runs, in the order of the figure of apps: that of their colours. */
export const appsOf = (report: Report): string[] => [
    ...new Set(report.runs.flatMap(run => texts(figure(section(run, "apps"), "apps"), "app").map(a => a ?? ""))),
];
