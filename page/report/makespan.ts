// SPDX-License-Identifier: Apache-2.0
// The critical path as a ribbon, and who had it.
import { chart, legend } from "./chart";
import { figure, numbers, text, texts } from "./data";
import { ofAll } from "./selection";
import { el } from "./dom";
import { table } from "./table";
import { kindColour, type Theme } from "./theme";
import { views } from "./view";
import { seconds } from "./words";

views.set("makespan", (s, context) => {
    const path = figure(s, "path"),
        parts = figure(s, "parts"),
        { choice, index } = context;
    if (!path || !parts) return undefined;
    const start = numbers(path, "start_s"),
        took = numbers(path, "seconds"),
        task = texts(path, "task"),
        many = numbers(path, "parts"),
        states = texts(parts, "state"),
        stateOf = texts(path, "state"),
        kinds = texts(parts, "kind"),
        colour = new Map<string | null, readonly [kind: string | null, n: number]>();
    // As in the chart of states: by what a task was doing, the longest first.
    states.forEach((state, i) => {
        const kind = kinds[i] ?? null;
        if (!colour.has(state)) colour.set(state, [kind, [...colour.values()].filter(([k]) => k === kind).length]);
    });
    const paint = (t: Theme, state: string | null) => kindColour(t, ...(colour.get(state) ?? [null, 0]));
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
                d.ctx.fillStyle = paint(d.theme, stateOf[i] ?? null);
                const mine = now && now.run === index && task[i] === now.task;
                d.ctx.fillRect(from, mine ? d.top : d.top + 10, Math.max(to - from, 0.6), d.bottom - d.top - (mine ? 0 : 20));
            }
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
    const shown = [...total].sort((a, b) => b[1] - a[1]).filter(([, s]) => s >= 0.002 * context.end_s);
    return [
        ofAll(context),
        el("figure", {}, ribbon, legend(shown.map(([state, s]) => ({ text: state ?? "", colour: t => paint(t, state), value: seconds(s) })))),
        table(parts, {
            label: "The critical path by component and state", figure: "parts", most: 8,
            columns: [{ name: "component" }, { name: "state", wide: true }, { name: "seconds" }, { name: "share" }, { name: "tasks" }],
        }),
    ];
});
