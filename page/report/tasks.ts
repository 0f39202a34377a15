// SPDX-License-Identifier: Apache-2.0
// The slowest and the oddest tasks, and what is known of the one that is chosen.
import { cells } from "./cells";
import { legend, onLook } from "./chart";
import { column, figure, numbers, text, texts, type Cell, type Figure } from "./data";
import { el, refill, svg } from "./dom";
import { table, type Column } from "./table";
import { kindColour, theme } from "./theme";
import { shows, type Context } from "./view";
import { digits, seconds, shell } from "./words";

const PARTS = [["depend_s", "depend", "waited for others"], ["queue_s", "wait", "in queues"], ["run_s", "run", "on workers"], ["other_s", "work", "on its way"]] as const;

/** Where a task's time went, as a bar. */
function split(of: Figure, row: number, most: number): SVGElement {
    const WIDTH = 160,
        HEIGHT = 12,
        g = svg("svg", { width: WIDTH, height: HEIGHT, viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": PARTS.map(([c, , say]) => `${say} ${seconds(numbers(of, c)[row] as number)}`).join(", ") });
    let x = 0;
    for (const [c, kind, say] of PARTS) {
        const s = (column(of, c)[row] as number) || 0,
            w = (WIDTH * s) / most;
        const rect = svg("rect", { x, y: 1, width: Math.max(0, w), height: HEIGHT - 2 }, svg("title", {}, `${say}: ${seconds(s)}`));
        rect.style.fill = kindColour(theme(), kind, 0);
        g.append(rect);
        x += w;
    }
    return g;
}

function details(of: Figure, context: Context): HTMLElement {
    const { choice, index, run } = context,
        box = el("div", { class: "details", "aria-live": "polite" }),
        keys = texts(of, "task"),
        all = cells(run);
    function draw(): void {
        const now = choice.now.task;
        box.replaceChildren();
        if (!now || now.run !== index) return;
        const row = keys.indexOf(now.task),
            i = all.find(now.task),
            dl = el("dl"),
            add = (what: string, value: string) => value && dl.append(el("div", {}, el("dt", {}, what), el("dd", {}, el("bdi", {}, value))));
        if (row >= 0) {
            for (const c of ["app", "executor", "host", "ended"]) add(c, text(of, c, row));
            for (const [c, , say] of PARTS) add(say, seconds(numbers(of, c)[row] as number));
            add("began", seconds(numbers(of, "first_s")[row] as number));
            add("done", seconds(numbers(of, "done_s")[row] as number));
            add("runs", digits(numbers(of, "runs")[row] as number));
            add("of the median of its app", Number.isFinite(numbers(of, "times")[row]) ? `${digits(numbers(of, "times")[row] as number)} times` : "");
            add("on the critical path", numbers(of, "path_s")[row] ? seconds(numbers(of, "path_s")[row] as number) : "");
            add("exception", text(of, "exception", row));
        } else if (i !== undefined) {
            add("app", all.app[i] ?? "");
            add("executor", all.executor[i] ?? "");
            add("ended", all.ended[i] ?? "unfinished");
            add("in queues", seconds(all.queue[i] as number));
            add("on workers", seconds(all.run[i] as number));
            add("began", seconds(all.first[i] as number));
            add("done", seconds(all.done[i] as number));
        } else dl.append(el("dd", {}, "Only its name is in this report."));
        box.append(el("h3", {}, `Task ${now.task}`), dl, el("p", {}, el("code", {}, `spanloom show task ${shell(now.task)} -d ${shell(run.store)}${run.run ? ` --run ${shell(run.run)}` : ""}`)));
    }
    choice.on(draw);
    draw();
    return box;
}

shows("tasks", ["range", "app", "executor", "task"], (s, context) => {
    const of = figure(s, "slowest"),
        { choice, index } = context;
    if (!of) return undefined;
    const keys = texts(of, "task"),
        app = texts(of, "app"),
        executor = texts(of, "executor"),
        first = numbers(of, "first_s"),
        done = numbers(of, "done_s"),
        box = el("div"),
        parts = PARTS.map(([c]) => numbers(of, c)),
        most = Math.max(...keys.map((_, i) => parts.reduce((sum, p) => sum + (p[i] || 0), 0)), 1e-9);
    const has = (c: string, test: (x: unknown) => boolean) => column(of, c).some(test);
    // What is nothing is not said in each row.
    const some = (v: Cell, _: number, said: string) => (typeof v === "number" && v > 0 ? said : "");
    const columns: Column[] = [
        { name: "task" }, { name: "app", show: v => el("bdi", {}, v === null ? "" : String(v)) },
        { name: "run_s", heading: "ran" }, { name: "queue_s", heading: "queued" },
        { name: "split", heading: "where its time went", show: (_, row) => split(of, row, most) },
        ...(has("times", x => x !== null) ? [{ name: "times", heading: "× median of app" }] : []),
        ...(has("path_s", x => (x as number) > 0) ? [{ name: "path_s", heading: "on critical path", show: some }] : []),
        ...(has("runs", x => (x as number) > 1) ? [{ name: "runs", show: (v: Cell) => (typeof v === "number" && v > 1 ? String(v) : "") }, { name: "lost_s", heading: "lost to failed tries", show: some }] : []),
        ...(has("ended", x => x !== "done") ? [{ name: "ended" }] : []), { name: "host" },
        ...(has("exception", x => x !== null) ? [{ name: "exception", wide: true }] : []),
    ];
    function draw(): void {
        const now = choice.now,
            rows = keys.map((_, i) => i).filter(i =>
                (now.app === null || (app[i] ?? "") === now.app) && (now.executor === null || (executor[i] ?? "") === now.executor) &&
                (!now.range || ((first[i] as number) <= now.range[1] && (done[i] as number) >= now.range[0])));
        refill(box,
            rows.length ? table(of as Figure, {
                columns, rows, label: "The slowest and the oddest tasks", figure: "slowest", run: index, most: 12,
                pick: row => choice.set({ task: now.task?.run === index && now.task.task === keys[row] ? null : { run: index, task: keys[row] ?? "" } }),
                picks: "Show where this task is",
                chosen: row => choice.now.task?.run === index && choice.now.task.task === keys[row],
            }) : el("p", { class: "quiet" }, "None of these is in what is chosen."),
        );
    }
    choice.on(draw);
    onLook(draw);
    draw();
    return [details(of, context), box, legend(PARTS.map(([, kind, say]) => ({ text: say, colour: t => kindColour(t, kind, 0) })))];
});
