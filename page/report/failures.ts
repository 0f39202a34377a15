// SPDX-License-Identifier: Apache-2.0
// What failed: of the whole run, or of what is chosen.
import { column, figure, numbers, text, texts, type Cell, type Figure, type Table } from "./data";
import { el, refill } from "./dom";
import { table, type Column } from "./table";
import { shows, type Context } from "./view";
import type { Chosen } from "./choice";

/** The class of an exception, what stands before the bracket. */
const kindOf = (exception: string): string => exception.split("(", 1)[0] ?? "";

/** Whether a task, of which these are told, is of the app, the executor and the task that are chosen. */
const isOf = ({ app, executor, task }: Chosen, index: number, ofApp: string | null, ofExecutor: string | null, ofTask: string | null, together: boolean): boolean =>
    (app === null || (ofApp ?? "") === app) && (executor === null || (ofExecutor ?? "") === executor) && (task === null || together || (task.run === index && ofTask === task.task));

const within = (range: Chosen["range"], t: number): boolean => !range || (t >= range[0] && t <= range[1]);

/** Rows of figure `failures`, of what is chosen: of tries that failed in the range. What was lost is told of whole tasks alone. */
function failed(of: Figure, tries: Figure, now: Chosen, index: number): Table {
    const task = texts(tries, "task"),
        app = texts(tries, "app"),
        executor = texts(tries, "executor"),
        host = texts(tries, "host"),
        kind = texts(tries, "kind"),
        ended = texts(tries, "ended"),
        many = numbers(tries, "tries"),
        when = numbers(tries, "failed_s"),
        lost = numbers(tries, "lost_s"),
        together = task.includes(null),
        groups = new Map<string, { tries: number; lost: number; tasks: Set<string>; done: Set<string>; failed: Set<string> }>();
    for (let i = 0; i < tries.rows; i++) {
        if (!within(now.range, when[i]!) || !isOf(now, index, app[i]!, executor[i]!, task[i]!, together)) continue;
        const key = JSON.stringify([app[i], host[i], kind[i] ?? ""]);
        let g = groups.get(key);
        if (!g) groups.set(key, (g = { tries: 0, lost: 0, tasks: new Set(), done: new Set(), failed: new Set() }));
        g.tries += many[i]!;
        g.lost += lost[i] || 0;
        g.tasks.add(task[i] ?? "");
        if (ended[i] === "done") g.done.add(task[i] ?? "");
        if (ended[i] === "failed") g.failed.add(task[i] ?? "");
    }
    const rows = Array.from({ length: of.rows }, (_, i) => i),
        found = rows.map(i => groups.get(JSON.stringify([column(of, "app")[i] ?? null, column(of, "host")[i] ?? null, kindOf(text(of, "exception", i))]))),
        mine = rows.filter(i => found[i]),
        data: Record<string, Cell[]> = {};
    for (const c of of.columns) data[c] = mine.map(i => column(of, c)[i] ?? null);
    data["tries"] = mine.map(i => found[i]!.tries);
    for (const [c, what] of [["tasks", "tasks"], ["then done", "done"], ["failed", "failed"]] as const) data[c] = mine.map(i => (together ? null : found[i]![what].size));
    data["seconds"] = mine.map(i => (now.range ? null : found[i]!.lost));
    return { rows: mine.length, columns: of.columns, data };
}

/** Rows of figure `dependents`, of tasks that are chosen, or never ran because of one that is. */
function never(of: Figure, each: Figure, now: Chosen, index: number): Table {
    const told = (prefix: string) => ["app", "executor", "task"].map(c => texts(each, prefix + c)) as [(string | null)[], (string | null)[], (string | null)[]],
        own = told(""),
        root = told("because_"),
        because = texts(each, "because"),
        tasks = numbers(each, "tasks"),
        done = numbers(each, "done_s"),
        together = own[2].includes(null),
        n = new Map<string | null, number>();
    for (let i = 0; i < each.rows; i++)
        if (within(now.range, done[i]!) && (isOf(now, index, own[0][i]!, own[1][i]!, own[2][i]!, together) || isOf(now, index, root[0][i]!, root[1][i]!, root[2][i]!, false)))
            n.set(because[i] ?? null, (n.get(because[i] ?? null) ?? 0) + tasks[i]!);
    const mine = Array.from({ length: of.rows }, (_, i) => i).filter(i => n.has(text(of, "because of", i))),
        data: Record<string, Cell[]> = {};
    for (const c of of.columns) data[c] = mine.map(i => (c === "never ran" ? n.get(text(of, "because of", i))! : (column(of, c)[i] ?? null)));
    return { rows: mine.length, columns: of.columns, data };
}

function part(context: Context, of: Figure, chosen: (now: Chosen) => Table, columns: (t: Table) => Column[]): HTMLElement {
    const { choice, index } = context,
        box = el("div");
    const draw = () => {
        const t = choice.any ? chosen(choice.now) : of;
        refill(box, el("p", { class: "quiet about" }, `${of.about}${choice.any ? (t.rows ? ", of what is chosen:" : ": none of what is chosen.") : ":"}`),
            t.rows ? table(t, { label: of.about, figure: of.name, run: index, columns: columns(t) }) : "");
    };
    choice.on(draw);
    draw();
    return box;
}

/** Tries that are put together have no task. */
const answers = (s: Parameters<Parameters<typeof shows>[2]>[0]): readonly (keyof Chosen)[] =>
    [figure(s, "tries"), figure(s, "never")].some(f => texts(f, "task").includes(null)) ? ["range", "app", "executor"] : ["range", "app", "executor", "task"];

shows("failures", answers, (s, context) => {
    const failures = figure(s, "failures"),
        tries = figure(s, "tries"),
        dependents = figure(s, "dependents"),
        each = figure(s, "never"),
        nodes: HTMLElement[] = [];
    if (failures && tries)
        nodes.push(part(context, failures, now => failed(failures, tries, now, context.index), t => failures.columns.filter(c => t.data[c]?.some(x => x !== null)).map(name => ({ name, wide: name === "exception", ...(name === "seconds" ? { heading: "lost" } : name === "failed" ? { heading: "failed at last" } : {}) }))));
    if (dependents && each) nodes.push(part(context, dependents, now => never(dependents, each, now, context.index), () => dependents.columns.map(name => ({ name, wide: name === "exception" }))));
    return nodes.length ? nodes : undefined;
});
