// SPDX-License-Identifier: Apache-2.0
// Apps and executors: how many tasks, how long they ran and waited, of all or of what is chosen.
import { appsOf, cells, sums, type Cells } from "./cells";
import { onLook } from "./chart";
import { column, figure, text, type Cell, type Figure, type Table } from "./data";
import { el, refill } from "./dom";
import { spread } from "./tally";
import { table, type Column } from "./table";
import { category, theme } from "./theme";
import { shows, type Context } from "./view";
import { digits } from "./words";

const COLUMNS = ["tasks", "done", "failed", "never_ran", "unfinished", "retried", "median_s", "p95_s", "max_s", "run_s", "queue_median_s", "lost_s"] as const;

/** Rows of the figure; of a choice, worked out anew. */
function part(of: Figure, by: "app" | "executor", context: Context): HTMLElement {
    const { choice, run } = context,
        all = cells(run),
        box = el("div"),
        names = column(of, by).map(x => (x === null ? "" : String(x)));
    const every = context.report.runs.map(r => ((c: Cells) => c.run.map((x, i) => x / (c.tasks[i] as number)).filter(x => x > 0))(cells(r))),
        low = every.reduce((least, values) => values.reduce((a, b) => Math.min(a, b), least), Infinity),
        high = every.reduce((most, values) => values.reduce((a, b) => Math.max(a, b), most), 0),
        colour = appsOf(context.report);

    function draw(): void {
        const partial = choice.now.range !== null || (by === "app" ? choice.now.executor : choice.now.app) !== null,
            rowsOf = new Map<string, number[]>(names.map(n => [n, []])),
            which = by === "app" ? all.app : all.executor,
            now = choice.now[by],
            task = choice.now.task?.run === context.index ? all.find(choice.now.task.task) : undefined,
            chosen = all.chosen(now === null ? choice : ({ now: { ...choice.now, [by]: null } } as typeof choice));
        for (const i of chosen) rowsOf.get(which[i] ?? "")?.push(i);
        let shown: Table = of;
        if (partial) {
            const data: Record<string, Cell[]> = { [by]: [...column(of, by)] };
            for (const c of COLUMNS) data[c] = [];
            for (const n of names) {
                const s = sums(all, rowsOf.get(n) ?? [], choice.now.range);
                for (const c of COLUMNS) (data[c] as Cell[]).push(Number.isFinite(s[c]) ? s[c] : null);
            }
            shown = { rows: names.length, columns: [by, ...COLUMNS], data };
        }
        const empty = (c: string) => shown.data[c]?.every(x => x === 0 || x === null);
        const columns: Column[] = [
            {
                name: by,
                show: (_, row) => {
                    const n = names[row] as string;
                    if (by !== "app") return el("bdi", {}, n || "(none)");
                    const swatch = el("i", { class: "swatch" });
                    swatch.style.background = category(theme(), colour.indexOf(n));
                    return el("span", {}, swatch, el("bdi", {}, n || "(none)"));
                },
            },
            ...COLUMNS.filter(c => !(["failed", "never_ran", "unfinished", "retried", "lost_s"].includes(c) && empty(c))).map(name => ({ name, heading: { median_s: "median ran", p95_s: "p95", max_s: "max", run_s: "all ran", queue_median_s: "median queued", lost_s: "lost to failed tries", never_ran: "never ran", ...(choice.now.range ? { unfinished: "went on" } : {}) }[name as string] ?? name,
                ...(["failed", "never_ran", "unfinished", "retried"].includes(name) ? { show: (v: Cell) => (v ? el("span", { class: name === "retried" || (name === "unfinished" && choice.now.range) ? null : "bad" }, digits(v as number)) : "") } : {}),
                ...(name === "lost_s" ? { show: (v: Cell, _: number, said: string) => (v ? said : "") } : {}) }) as Column),
        ];
        if (all.n && high > 0)
            columns.splice(columns.findIndex(c => c.name === "median_s"), 0, {
                name: "spread", heading: "how long they ran",
                show: (_, row) => spread((rowsOf.get(names[row] as string) ?? []).filter(i => !Number.isNaN(all.start[i])).map(i => [(all.run[i] as number) / (all.tasks[i] as number), all.tasks[i] as number] as const), low, high, `How long tasks of ${names[row] || "no app"} ran`, task !== undefined && (which[task] ?? "") === names[row] ? { value: all.run[task]!, name: choice.now.task!.task } : undefined),
            });
        refill(box,
            el("p", { class: "quiet" }, partial ? `Of what is chosen${choice.now.range ? "; done and failed are those that ended in that time, others went on, all ran is what they ran in it" : ""}${all.together ? "; quantiles are near, as tasks are put together" : ""}:` : `${by === "app" ? "Tasks of each app" : "Tasks of each executor"}:`),
            table(shown, {
                columns, label: of.about, figure: of.name, run: context.index, most: 15,
                pick: row => choice.set({ [by]: choice.now[by] === names[row] ? null : names[row] } as Partial<typeof choice.now>),
                picks: `Show tasks of this ${by} alone, or all again`,
                chosen: row => choice.now[by] === names[row],
            }),
        );
    }
    choice.on(draw);
    onLook(draw);
    draw();
    return box;
}

shows("apps", ["range", "app", "executor", "task"], (s, context) => {
    const apps = figure(s, "apps"),
        executors = figure(s, "executors");
    if (!apps) return undefined;
    const several = executors && (executors.rows > 1 || text(executors, "executor") !== "");
    return [part(apps, "app", context), ...(several ? [part(executors, "executor", context)] : [])];
});
