// SPDX-License-Identifier: Apache-2.0
// The critical path as a ribbon, and who had it: of all of it, or of what is chosen.
import { chart, legend } from "./chart";
import type { Chosen } from "./choice";
import { figure, numbers, text, texts, type Cell, type Table } from "./data";
import { el, refill, shown } from "./dom";
import { table } from "./table";
import { stateColour } from "./theme";
import { shows, type Context } from "./view";
import { seconds } from "./words";

/** Parts that stand for several have no task. */
const answers: readonly (keyof Chosen)[] = ["range", "app", "executor"];

shows("makespan", s => (numbers(figure(s, "path"), "parts").some(n => n > 1) ? answers : [...answers, "task"]), (s, context) => {
    const path = figure(s, "path"),
        parts = figure(s, "parts"),
        { choice, index } = context;
    if (!path || !parts) return undefined;
    const start = numbers(path, "start_s"),
        took = numbers(path, "seconds"),
        task = texts(path, "task"),
        app = texts(path, "app"),
        executor = texts(path, "executor"),
        component = texts(path, "component"),
        many = numbers(path, "parts"),
        states = texts(parts, "state"),
        stateOf = texts(path, "state"),
        together = many.some(n => n > 1);
    /** How much of a part is of the app, the executor and the task, and in the range. */
    function share(i: number): number {
        const now = choice.now,
            from = start[i]!,
            to = from + took[i]!;
        if ((now.app !== null && app[i] !== now.app) || (now.executor !== null && executor[i] !== now.executor)) return 0; // nobody's have none
        if (now.task && !together && (now.task.run !== index || task[i] !== now.task.task)) return 0;
        return now.range ? Math.max(0, Math.min(to, now.range[1]) - Math.max(from, now.range[0])) : took[i]!;
    }
    // The part at a time: the last that begins before it.
    const find = (t: number): number => {
        let low = 0, high = start.length - 1;
        while (low < high) {
            const middle = (low + high + 1) >> 1;
            if ((start[middle] as number) <= t) low = middle;
            else high = middle - 1;
        }
        return low;
    };
    const ribbon = chart(context, {
        height: 84,
        overview: true,
        label: `The critical path over ${seconds(context.end_s)}, coloured by what it was doing`,
        draw(d) {
            for (let i = 0; i < start.length; i++) {
                const from = d.x(start[i] as number),
                    to = d.x((start[i] as number) + (took[i] as number)),
                    now = choice.now.task;
                d.ctx.fillStyle = stateColour(d.theme, stateOf[i] ?? null);
                d.ctx.globalAlpha = choice.any && share(i) <= 0 ? 0.15 : 1;
                const mine = now && now.run === index && task[i] === now.task;
                d.ctx.fillRect(from, mine ? d.top : d.top + 10, Math.max(to - from, 0.6), d.bottom - d.top - (mine ? 0 : 20));
            }
            d.ctx.globalAlpha = 1;
        },
        at(_, t) {
            const i = find(t);
            return [text(path, "state", i), `${text(path, "component", i)}, ${seconds(took[i] as number)}`, ...(text(path, "name", i) ? [text(path, "name", i)] : []),
                ...((many[i] as number) > 1 ? [`${many[i]} parts`] : [])];
        },
        pick(_, t) {
            const one = task[find(t)];
            if (one) choice.set({ task: { run: index, task: one } });
        },
    });
    const total = new Map<string | null, number>();
    states.forEach((state, i) => total.set(state, (total.get(state) ?? 0) + (parts.data["seconds"]?.[i] as number)));
    const most = [...total].sort((a, b) => b[1] - a[1]).filter(([, s]) => s >= 0.002 * context.end_s),
        box = el("div");
    function draw(): void {
        const of = choice.any ? chosen(context, share, component, stateOf, task, together) : (parts as Table),
            all = of.data["seconds"]?.reduce((sum: number, x) => sum + (x as number), 0) ?? 0;
        refill(box,
            choice.any ? el("p", { class: "quiet" }, ...(of.rows ? ["Of what is chosen, ", shown(seconds(all), all, { "data-figure": "path", "data-column": "seconds" }), " of the critical path:"] : ["Nothing of what is chosen is on the critical path."])) : "",
            of.rows ? table(of, {
                label: "The critical path by component and state", figure: "parts", run: index, most: 8,
                columns: [{ name: "component" }, { name: "state", wide: true }, { name: "seconds" }, { name: "share", heading: choice.now.range ? "of the time" : "share" }, ...(choice.any && together ? [] : [{ name: "tasks" }])],
            }) : "");
    }
    choice.on(draw);
    draw();
    return [el("figure", {}, ribbon, legend(most.map(([state, s]) => ({ text: state ?? "", colour: t => stateColour(t, state), value: seconds(s) })))), box];
});

/** The figure `parts`, of what is chosen. */
function chosen({ choice, end_s }: Context, share: (i: number) => number, component: (string | null)[], state: (string | null)[], task: (string | null)[], together: boolean): Table {
    const of = new Map<string, { component: Cell; state: Cell; seconds: number; tasks: Set<string> }>(),
        { range } = choice.now,
        whole = range ? range[1] - range[0] : end_s;
    component.forEach((c, i) => {
        const s = share(i);
        if (s <= 0) return;
        const key = JSON.stringify([c, state[i]]);
        let one = of.get(key);
        if (!one) of.set(key, (one = { component: c, state: state[i] ?? null, seconds: 0, tasks: new Set() }));
        one.seconds += s;
        const t = task[i];
        if (t) one.tasks.add(t);
    });
    const rows = [...of.values()].sort((a, b) => b.seconds - a.seconds);
    return {
        rows: rows.length, columns: ["component", "state", "seconds", "share", "tasks"],
        data: {
            component: rows.map(r => r.component), state: rows.map(r => r.state), seconds: rows.map(r => r.seconds), share: rows.map(r => r.seconds / whole),
            tasks: rows.map(r => (together ? null : r.tasks.size)),
        },
    };
}
