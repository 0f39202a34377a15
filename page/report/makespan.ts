// SPDX-License-Identifier: Apache-2.0
// The critical path as a ribbon, and who had it.
import { chart, legend } from "./chart";
import { figure, numbers, text, texts } from "./data";
import { el } from "./dom";
import { table } from "./table";
import { category } from "./theme";
import { views } from "./view";
import { seconds } from "./words";

views.set("makespan", (s, context) => {
    const path = figure(s, "path"),
        parts = figure(s, "parts"),
        { choice, index } = context;
    if (!path || !parts) return undefined;
    const start = numbers(path, "start_s"),
        took = numbers(path, "seconds"),
        component = texts(path, "component"),
        task = texts(path, "task"),
        many = numbers(path, "parts"),
        components = [...new Set(texts(parts, "component"))],
        colour = new Map(components.map((c, i) => [c, i]));
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
        label: `The critical path over ${seconds(context.end_s)}, coloured by component`,
        draw(d) {
            for (let i = 0; i < start.length; i++) {
                const from = d.x(start[i] as number),
                    to = d.x((start[i] as number) + (took[i] as number)),
                    now = choice.now.task;
                d.ctx.fillStyle = category(d.theme, colour.get(component[i] ?? null) ?? 0);
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
    parts.data["component"]?.forEach((c, i) => total.set(c as string | null, (total.get(c as string | null) ?? 0) + (parts.data["seconds"]?.[i] as number)));
    return [
        el("figure", {}, ribbon, legend(components.map(c => ({ text: c ?? "(nobody)", colour: t => category(t, colour.get(c) ?? 0), value: seconds(total.get(c) ?? 0) })))),
        table(parts, {
            label: "The critical path by component and state", figure: "parts", most: 8,
            columns: [{ name: "component" }, { name: "state", wide: true }, { name: "seconds" }, { name: "share" }, { name: "tasks" }],
        }),
    ];
});
