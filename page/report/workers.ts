// SPDX-License-Identifier: Apache-2.0
// What each worker ran, a lane each, and how many were busy.
import { appsOf, cells } from "./cells";
import { chart, legend, yAxis } from "./chart";
import { figure, numbers, section, text, texts, type Cell, type Section } from "./data";
import type { Chosen } from "./choice";
import { el, refill } from "./dom";
import { table } from "./table";
import { category, ramp } from "./theme";
import { across, shows, type Context } from "./view";
import { digits, percent, seconds } from "./words";

/** What ran on the lanes, one by one. */
interface Ran {
    lane: Float64Array;
    from: Float64Array;
    to: Float64Array;
    task: (string | null)[];
    /** Of the app and the executor that are chosen. */
    chosen(i: number): boolean;
}

/** What fits on the left: the end, which tells names apart. */
const label = (name: string): string => (name.length > 9 ? `…${name.slice(-8)}` : name);

/** Lanes that stand for several workers know no apps. */
const answers = (s: Section): readonly (keyof Chosen)[] => (texts(figure(s, "lanes"), "task").every(t => t === null) ? ["range"] : ["range", "app", "executor", "task"]);

function utilisation(context: Context, of: ReturnType<typeof figure>, ran: Ran | undefined): Node | undefined {
    if (!of) return undefined;
    const time = numbers(of, "time_s"),
        workers = numbers(of, "workers"),
        busy = numbers(of, "busy"),
        running = numbers(of, "running"),
        width = numbers(of, "width_s")[0] || 1,
        { choice } = context,
        some = () => ran && (choice.now.app !== null || choice.now.executor !== null),
        most = across(context, run => {
            const f = figure(section(run, "workers"), "utilisation");
            return Math.max(...numbers(f, "workers"), ...numbers(f, "busy"));
        });
    /** Runs of what is chosen, a mean over each bin. */
    const mine = (): Float64Array => {
        const n = new Float64Array(time.length);
        for (let i = 0; ran && i < ran.lane.length; i++) {
            if (!ran.chosen(i)) continue;
            for (let b = Math.max(0, Math.floor((ran.from[i]! - time[0]!) / width)); b < n.length && time[b]! < ran.to[i]!; b++)
                n[b]! += Math.max(0, Math.min(ran.to[i]!, time[b]! + width) - Math.max(ran.from[i]!, time[b]!)) / width;
        }
        return n;
    };
    return el("figure", {}, el("figcaption", {}, "workers that were there, and that were busy"),
        chart(context, {
            height: 120,
            label: `Workers over time, up to ${digits(Math.max(...workers))}, and how many were busy`,
            draw(d) {
                yAxis(d, most, digits);
                d.ctx.beginPath();
                d.ctx.rect(d.left, d.top, d.right - d.left, d.bottom - d.top);
                d.ctx.clip();
                const y = (v: number) => d.bottom - (v / most) * (d.bottom - d.top);
                d.ctx.fillStyle = d.theme.line;
                for (let i = 0; i < time.length; i++) d.ctx.fillRect(d.x(time[i] as number), y(workers[i] as number), d.x((time[i] as number) + width) - d.x(time[i] as number) + 0.6, d.bottom - y(workers[i] as number));
                d.ctx.fillStyle = category(d.theme, 0);
                const bars = (v: Float64Array) => v.forEach((n, i) => d.ctx.fillRect(d.x(time[i]!), y(n), d.x(time[i]! + width) - d.x(time[i]!) + 0.6, d.bottom - y(n)));
                d.ctx.globalAlpha = some() ? 0.3 : 1;
                bars(busy);
                d.ctx.globalAlpha = 1;
                if (some()) bars(mine());
            },
            at(_, t) {
                const i = time.findIndex((from, k) => from <= t && !((time[k + 1] ?? Infinity) <= t));
                return i < 0 || t > (time[i] as number) + width ? undefined : [`at ${seconds(time[i] as number)}`, `${digits(busy[i] as number)} of ${digits(workers[i] as number)} workers busy`, `${digits(running[i] as number)} tasks ran`, ...(some() ? [`${digits(mine()[i]!)} of what is chosen`] : [])];
            },
        }),
        legend([{ text: "busy", colour: t => category(t, 0) }, { text: "there", colour: t => t.line }]));
}

shows("workers", answers, (s, context) => {
    const workers = figure(s, "workers"),
        runs = figure(s, "lanes"),
        { choice, index } = context;
    if (!workers) return undefined;
    const nodes: Node[] = [];
    let ran: Ran | undefined;
    if (runs && answers(s).includes("app")) {
        const app = texts(runs, "app"),
            task = texts(runs, "task"),
            of = cells(context.run),
            executor = task.map(t => of.executor[of.find(t ?? "") ?? -1] ?? "");
        ran = {
            lane: numbers(runs, "lane"), from: numbers(runs, "from_s"), to: numbers(runs, "to_s"), task,
            chosen: i => (choice.now.app === null || (app[i] ?? "") === choice.now.app) && (choice.now.executor === null || executor[i] === choice.now.executor),
        };
    }
    const over = utilisation(context, figure(s, "utilisation"), ran);
    if (over) nodes.push(over);
    if (runs) {
        const lane = numbers(runs, "lane"),
            from = numbers(runs, "from_s"),
            to = numbers(runs, "to_s"),
            task = texts(runs, "task"),
            app = texts(runs, "app"),
            failed = numbers(runs, "failed"),
            busy = numbers(runs, "busy"),
            count = numbers(runs, "runs"),
            apps = appsOf(context.report),
            colour = new Map(apps.map((a, i) => [a, i])),
            together = task.every(t => t === null),
            several = numbers(workers, "places").some(n => n > 1),
            merged = lane.reduce((most, l) => Math.max(most, l + 1), 1),
            { place, worker } = together ? { place: lane, worker: Array.from({ length: merged }, (_, l) => Math.floor((l * workers.rows) / merged)) } : places(lane, from, to, workers.rows),
            lanes = worker.length,
            height = Math.max(60, Math.min(620, lanes * (lanes > 60 ? 8 : 16))) + 30,
            there = numbers(workers, "from_s"),
            left = numbers(workers, "to_s");
        const name = (l: number) => {
            const at = worker[l]!;
            return [text(workers, "executor", at), text(workers, "host", at), text(workers, "manager", at), `worker ${text(workers, "worker", at)}`].filter(Boolean).join(" · ");
        };
        // where workers of several are called alike, of which they are
        const alike = new Set(texts(workers, "worker")).size < workers.rows,
            told = ["executor", "block", "worker"].filter(c => c === "worker" || (alike && new Set(texts(workers, c)).size > 1)),
            short = (w: number) => told.map(c => text(workers, c, w)).filter(Boolean).join("·") || String(w);
        const at = (l: number, t: number) => {
            for (let i = 0; i < lane.length; i++) if (place[i] === l && (from[i] as number) <= t && (to[i] as number) >= t) return i;
            return -1;
        };
        nodes.push(el("figure", {}, el("figcaption", {}, together ? `${several ? "how much of their places workers used" : "how busy workers were"}, ${workers.rows === 1 ? "one worker" : lanes === workers.rows ? `a lane each of ${digits(lanes)}` : `${digits(lanes)} lanes of ${digits(workers.rows)} workers`}` : lanes > workers.rows ? "tasks on workers, a lane for each that runs beside others, coloured by app" : "tasks on workers, a lane each, coloured by app", told.length > 1 && !together ? `; ${told.join("·")} on the left` : ""),
            chart(context, {
                height,
                label: `${lanes === 1 ? "One lane" : `${lanes} lanes`} of workers over time, and what ran on them`,
                draw(d) {
                    const each = (d.bottom - d.top) / lanes,
                        now = choice.now;
                    d.ctx.fillStyle = d.theme.quiet;
                    d.ctx.font = d.theme.font;
                    d.ctx.textAlign = "right";
                    d.ctx.textBaseline = "middle";
                    let below = -Infinity;
                    for (let l = 0; l < lanes; l++) {
                        const w = worker[l]!;
                        if ((l > 0 && !together && worker[l - 1] === w) || (l - below) * each < 14) continue;
                        below = l;
                        d.ctx.fillText(label(short(w)), d.left - 6, d.top + (l + 0.5) * each);
                    }
                    d.ctx.beginPath();
                    d.ctx.rect(d.left, d.top, d.right - d.left, d.bottom - d.top);
                    d.ctx.clip();
                    if (!together)
                        for (let l = 0; l < lanes; l++) {
                            const w = worker[l]!,
                                a = d.x(there[w]!);
                            d.ctx.fillStyle = d.theme.grid;
                            d.ctx.fillRect(a, d.top + l * each + Math.min(1, each / 8), d.x(left[w]!) - a, each - Math.min(2, each / 4));
                        }
                    for (let i = 0; i < lane.length; i++) {
                        const a = d.x(from[i] as number),
                            b = d.x(to[i] as number);
                        if (b < d.left || a > d.right) continue;
                        const hit = now.task && now.task.run === index && now.task.task === task[i],
                            other = ran && !ran.chosen(i) && !hit;
                        d.ctx.globalAlpha = other ? 0.15 : 1;
                        const of = colour.get(app[i] ?? "");
                        d.ctx.fillStyle = together ? ramp(d.theme, busy[i] as number) : of === undefined ? d.theme.quiet : category(d.theme, of);
                        const y = d.top + place[i]! * each,
                            gap = Math.min(1, each / 8);
                        d.ctx.fillRect(a, y + gap, Math.max(together ? b - a + 0.6 : b - a - (b - a > 3 ? 0.5 : 0), 0.7), each - 2 * gap);
                        if (failed[i]) {
                            // apart from its bar, whatever colour that has
                            const line = Math.min(3, each / 4);
                            d.ctx.fillStyle = d.theme.paper;
                            d.ctx.fillRect(a, y + each - gap - line - each / 12, Math.max(b - a, 0.7), each / 12);
                            d.ctx.fillStyle = d.theme.bad;
                            d.ctx.fillRect(a, y + each - gap - line, Math.max(b - a, 0.7), line);
                        }
                        if (hit) {
                            d.ctx.strokeStyle = d.theme.ink;
                            d.ctx.lineWidth = 2;
                            d.ctx.strokeRect(a - 1, y, Math.max(b - a, 2) + 2, each);
                        }
                    }
                    d.ctx.globalAlpha = 1;
                },
                at(d, t, y) {
                    const l = Math.floor(((y - d.top) / (d.bottom - d.top)) * lanes);
                    if (l < 0 || l >= lanes) return undefined;
                    const i = at(l, t);
                    if (i < 0) return [name(l)];
                    return together ? [name(l), `${percent(busy[i] as number)} ${several ? "of its places used" : "busy"}, ${digits(count[i] as number)} tasks`]
                        : [`task ${task[i]}${app[i] ? ` (${app[i]})` : ""}`, `ran ${seconds((to[i] as number) - (from[i] as number))}${failed[i] ? ", failed" : ""}`, name(l)];
                },
                pick(d, t, y) {
                    const i = at(Math.floor(((y - d.top) / (d.bottom - d.top)) * lanes), t),
                        one = i < 0 ? null : task[i];
                    choice.set({ task: one ? { run: index, task: one } : null });
                },
            }),
            together ? legend([0.1, 0.3, 0.5, 0.7, 0.9].map(x => ({ text: percent(x + 0.1), colour: t => ramp(t, x) })))
                : legend([...apps.map((a, i) => [a, i] as const).filter(([a]) => app.some(x => (x ?? "") === a)).slice(0, 16).map(([a, i]) => ({ text: a || "(no app)", colour: (t: Parameters<typeof category>[0]) => category(t, i), pick: () => choice.set({ app: choice.now.app === a ? null : a }) })),
                    ...(app.some(a => !colour.has(a ?? "")) ? [{ text: "no task of the run, or app not told", colour: (t: Parameters<typeof category>[0]) => t.quiet }] : []),
                    ...(failed.some(f => f > 0) ? [{ text: "failed, below the bar", colour: (t: Parameters<typeof category>[0]) => t.bad }] : [])])));
    }
    const box = el("div"),
        columns = workers.columns.filter(c => c !== "lane" && workers.data[c]?.some(x => x !== null)).map(name => ({ name }));
    function draw(): void {
        const { app, executor, range } = choice.now,
            part = ran && (app !== null || executor !== null || range);
        refill(box,
            part ? el("p", { class: "quiet" }, "Runs and how long they were busy, of what is chosen:") : "",
            table(part ? { ...workers!, data: { ...workers!.data, ...busyWith(ran!, workers!.rows, range, numbers(workers, "from_s"), numbers(workers, "to_s")) } } : workers!,
                { label: "Each worker", figure: "workers", run: index, most: 8, columns }));
    }
    choice.on(draw);
    draw();
    nodes.push(box);
    return nodes;
});

/** Of runs on workers, some of which run several at once, the line of each; and whose lines these are. */
function places(lane: Float64Array, from: Float64Array, to: Float64Array, workers: number): { place: Float64Array; worker: number[] } {
    const ends: number[][] = Array.from({ length: workers }, () => [-Infinity]),
        own = new Float64Array(lane.length),
        order = Array.from(lane, (_, i) => i).sort((a, b) => from[a]! - from[b]!);
    for (const i of order) {
        const of = ends[lane[i]!]!;
        let at = of.findIndex(end => end <= from[i]! + 1e-9);
        if (at < 0) at = of.push(0) - 1;
        of[at] = to[i]!;
        own[i] = at;
    }
    const first = [0];
    for (const of of ends) first.push(first[first.length - 1]! + of.length);
    return { place: own.map((at, i) => first[lane[i]!]! + at), worker: ends.flatMap((of, w) => of.map(() => w)) };
}

/** The columns of workers that follow from what ran on them, of what is chosen. */
function busyWith(ran: Ran, workers: number, range: Chosen["range"], from: Float64Array, to: Float64Array): Record<string, Cell[]> {
    const runs = Array<number>(workers).fill(0),
        busy = Array<number>(workers).fill(0),
        until = Array<number>(workers).fill(-Infinity);
    for (let i = 0; i < ran.lane.length; i++) {
        const [a, b] = range ? [Math.max(ran.from[i]!, range[0]), Math.min(ran.to[i]!, range[1])] : [ran.from[i]!, ran.to[i]!];
        if (a > b || !ran.chosen(i)) continue;
        runs[ran.lane[i]!]!++;
        busy[ran.lane[i]!]! += Math.max(0, b - Math.max(a, until[ran.lane[i]!]!));
        until[ran.lane[i]!] = Math.max(until[ran.lane[i]!]!, b);
    }
    const there = busy.map((_, w) => (range ? Math.max(0, Math.min(to[w]!, range[1]) - Math.max(from[w]!, range[0])) : to[w]! - from[w]!));
    return { runs, busy_s: busy, busy_share: busy.map((s, w) => (there[w]! > 0 ? s / there[w]! : null)) };
}
