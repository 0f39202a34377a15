// SPDX-License-Identifier: Apache-2.0
// When tasks came into their states, after the first event of each: a row a state, a box from a quarter to three quarters of
// the tasks that are chosen; and where the task that is chosen is.
import { onLook, ticks, timeText } from "./chart";
import type { Chosen } from "./choice";
import { figure, numbers, section, texts, type Run, type Section } from "./data";
import { el, refill, svg } from "./dom";
import { kept } from "./kept";
import { stateColour, theme } from "./theme";
import { across, shows, type Context } from "./view";
import { digits, percent, seconds, secondsBeside } from "./words";

const ROW = 20,
    narrow = matchMedia("screen and (max-width: 60rem)");

/** What is told of tasks one by one: the seconds after which each came into states, by the number of these. */
interface Each {
    task: (string | null)[];
    app: (string | null)[];
    executor: (string | null)[];
    first: Float64Array;
    done: Float64Array;
    after: Record<string, number>[];
}

const made = new WeakMap<Run, Each>();

function eachOf(run: Run): Each {
    const known = made.get(run);
    if (known) return known;
    const of = figure(section(run, "sequence"), "each"),
        each = {
            task: texts(of, "task"), app: texts(of, "app"), executor: texts(of, "executor"), first: numbers(of, "first_s"), done: numbers(of, "done_s"),
            after: texts(of, "after_s").map(x => JSON.parse(x ?? "{}") as Record<string, number>),
        };
    made.set(run, each);
    return each;
}

/** Quantile of sorted values, Hyndman and Fan's type 7, as SQL has it. */
function quantile(sorted: Float64Array, p: number): number {
    const at = p * (sorted.length - 1),
        low = Math.floor(at);
    return sorted[low]! + (at - low) * ((sorted[low + 1] ?? sorted[low]!) - sorted[low]!);
}

/** A row of what is shown. */
interface State {
    state: string;
    /** p5, p25, median, p75, p95 */
    at: number[];
    share: number;
}

const answers = (_: Section, context: Context): (keyof Chosen)[] => {
    const { task } = context.choice.now;
    return ["range", "app", "executor", ...(task && (task.run !== context.index || eachOf(context.run).task.includes(task.task)) ? (["task"] as const) : [])];
};

shows("sequence", answers, (s, context) => {
    const of = figure(s, "reached"),
        { choice, index } = context;
    if (!of) return undefined;
    const names = texts(of, "state"),
        number = numbers(of, "n"),
        columns = ["p5_s", "p25_s", "median_s", "p75_s", "p95_s"].map(c => numbers(of, c)),
        high = across(context, run => Math.max(...numbers(figure(section(run, "sequence"), "reached"), "p95_s"))),
        box = el("div", { class: "waterfall" }),
        name = `sequence ${index} all`,
        whole = names.map((state, i): State => ({ state: state ?? "", at: columns.map(c => c[i]!), share: numbers(of, "share")[i]! }));

    /** Of the tasks of the app and the executor that are chosen, which were there in the range. */
    function part(): { tasks: number; states: State[] } {
        const { range, app, executor } = choice.now,
            each = eachOf(context.run),
            rows = each.after.filter((_, i) => (app === null || (each.app[i] ?? "") === app) && (executor === null || (each.executor[i] ?? "") === executor) && (!range || (each.first[i]! <= range[1] && each.done[i]! >= range[0])));
        return {
            tasks: rows.length,
            states: names.flatMap((state, i) => {
                const sorted = Float64Array.from(rows.map(r => r[number[i]!]).filter((t): t is number => t !== undefined)).sort();
                return sorted.length ? [{ state: state ?? "", at: [0.05, 0.25, 0.5, 0.75, 0.95].map(p => quantile(sorted, p)), share: sorted.length / rows.length }] : [];
            }),
        };
    }

    function draw(): void {
        const { range, app, executor, task } = choice.now,
            some = range !== null || app !== null || executor !== null ? part() : undefined,
            every = some ? some.states : whole,
            rows = kept.get(name) ? every : every.filter(r => r.share >= 0.02 || every.length <= 12),
            row = task?.run === index ? eachOf(context.run).task.indexOf(task.task) : -1,
            mine = row < 0 ? undefined : eachOf(context.run).after[row],
            t = theme(),
            width = context.report.runs.length > 1 ? 150 : narrow.matches ? 200 : 520,
            x = (s: number) => (width * Math.max(0, Math.min(s, high))) / high,
            body = el("tbody"),
            scale = svg("svg", { width, height: 16, viewBox: `0 0 ${width} 16`, "aria-hidden": "true" }),
            marks = high > 1e-9 ? ticks(0, high, width / 100) : [0],
            step = (marks[1] ?? 1) - (marks[0] ?? 0);
        for (const m of marks) scale.append(svg("text", { x: x(m), y: 12, "text-anchor": m === 0 ? "start" : x(m) > width - 20 ? "end" : "middle" }, timeText(m, step, high)));
        const most = (i: number) => Math.max(...rows.map(r => r.at[i] ?? 0)),
            own_s = (state: string) => mine?.[number[names.indexOf(state)]!],
            mosts = [most(2), most(4), Math.max(...rows.map(r => own_s(r.state) ?? 0))] as const;
        for (const { state, at, share } of rows) {
            const [a, b, c, d, e] = at as [number, number, number, number, number],
                own = own_s(state),
                g = svg("svg", { width, height: ROW, viewBox: `0 0 ${width} ${ROW}`, role: "img", "aria-label": `half of the tasks between ${seconds(b)} and ${seconds(d)}` }),
                half = svg("rect", { x: x(b), y: 4, width: Math.max(1.5, x(d) - x(b)), height: ROW - 8 });
            half.style.fill = stateColour(t, state);
            for (const m of marks) g.append(svg("line", { x1: x(m), x2: x(m), y1: 0, y2: ROW, class: "grid" }));
            g.append(
                svg("line", { x1: x(a), x2: x(e), y1: ROW / 2, y2: ROW / 2, class: "whisker" }), half,
                svg("line", { x1: x(c), x2: x(c), y1: 2, y2: ROW - 2, class: "median" }),
                ...(own === undefined ? [] : [svg("circle", { cx: x(own), cy: ROW / 2, r: 4, class: "own" })]),
                svg("title", {}, `5 %: ${seconds(a)}, 25 %: ${seconds(b)}, median: ${seconds(c)}, 75 %: ${seconds(d)}, 95 %: ${seconds(e)}`),
            );
            body.append(
                el("tr", {},
                    el("th", { scope: "row" }, el("bdi", {}, state)),
                    el("td", {}, g),
                    el("td", { class: "n", "data-value": c, "data-column": "median_s" }, secondsBeside(c, mosts[0])),
                    el("td", { class: "n", "data-value": e, "data-column": "p95_s" }, secondsBeside(e, mosts[1])),
                    el("td", { class: "n", "data-value": share, "data-column": "share" }, percent(share)),
                    mine ? el("td", { class: "n", "data-value": own, "data-column": "own_s" }, own === undefined ? "" : secondsBeside(own, mosts[2])) : null),
            );
        }
        const hidden = every.length - rows.length,
            head = (words: string) => el("th", { class: "n", scope: "col" }, words);
        refill(box,
            some ? el("p", { class: "quiet" }, some.tasks ? `Of what is chosen, ${digits(some.tasks)} ${some.tasks === 1 ? "task" : "tasks"}:` : "No task is in what is chosen.") : "",
            ...(rows.length ? [
                el("div", { class: "table", tabindex: 0, role: "group", "aria-label": "When tasks came into each state, after the first event", "data-figure": "reached" },
                    el("table", {}, el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "state"), el("th", { scope: "col" }, el("span", { class: "unseen" }, "when"), scale), head("median"), head("p95"), head("of tasks"), mine ? head(`task ${task!.task}`) : null)), body)),
                key(!!mine && `task ${task!.task}`),
            ] : []),
            ...(hidden > 0 ? [el("p", { class: "more" }, el("button", { type: "button", click: () => { kept.set(name, true); draw(); } }, `${digits(hidden)} more, of few tasks`))] : []),
        );
    }
    choice.on(draw);
    onLook(draw);
    draw();
    return [box];
});

/** What a row shows. */
function key(task: string | false): HTMLElement {
    const sample = (width: number, ...marks: SVGElement[]) => svg("svg", { width, height: 14, viewBox: `0 0 ${width} 14`, "aria-hidden": "true" }, ...marks),
        entry = (mark: SVGElement, words: string) => el("li", {}, mark, words);
    return el("ul", { class: "legend key" },
        entry(sample(24, svg("rect", { x: 2, y: 2, width: 20, height: 10, class: "box" })), "half of the tasks"),
        entry(sample(24, svg("line", { x1: 0, x2: 24, y1: 7, y2: 7, class: "whisker" })), "9 of 10"),
        entry(sample(6, svg("line", { x1: 3, x2: 3, y1: 0, y2: 14, class: "median" })), "median"),
        ...(task ? [entry(sample(12, svg("circle", { cx: 6, cy: 7, r: 4, class: "own" })), task)] : []));
}
