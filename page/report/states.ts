// SPDX-License-Identifier: Apache-2.0
// How many tasks were in which state, stacked.
import { cells } from "./cells";
import { chart, legend, yAxis } from "./chart";
import type { Chosen } from "./choice";
import { figure, numbers, section, texts, type Figure, type Run, type Section } from "./data";
import { el } from "./dom";
import { answersGrouped, grouped } from "./grouped";
import { stateColour } from "./theme";
import { shows, type Context } from "./view";
import { digits, seconds } from "./words";

const ORDER = ["run", "work", "wait", "depend", "other"];

/** Tasks of a state, a bin each. */
interface State {
    name: string;
    kind: string | null;
    rank: number;
    value: Float64Array;
}

interface Stack {
    width: number;
    bins: number[];
    states: State[];
}

/** Rows of a figure, or those of a name alone. */
function stack(of: Figure | undefined, only?: string): Stack {
    const time = numbers(of, "time_s"),
        state = texts(of, "state"),
        kind = texts(of, "kind"),
        rank = numbers(of, "rank"),
        tasks = numbers(of, "tasks"),
        name = texts(of, "name"),
        width = numbers(of, "width_s")[0] || 1,
        bins = [...new Set(time)].sort((a, b) => a - b),
        place = new Map(bins.map((t, i) => [t, i])),
        known = new Map<string, State>();
    for (let i = 0; i < time.length; i++) {
        if (only !== undefined && name[i] !== only) continue;
        const called = state[i] ?? "";
        let one = known.get(called);
        if (!one) known.set(called, (one = { name: called, kind: kind[i] ?? null, rank: rank[i] || 0, value: new Float64Array(bins.length) }));
        one.value[place.get(time[i]!)!]! += tasks[i]!;
    }
    return { width, bins, states: [...known.values()].sort((a, b) => ORDER.indexOf(a.kind ?? "other") - ORDER.indexOf(b.kind ?? "other") || a.rank - b.rank) };
}

/** The most tasks at a time in a range. */
function highest({ width, bins, states }: Stack, from: number, to: number): number {
    let most = 1e-9;
    bins.forEach((t, b) => {
        if (t + width >= from && t <= to) most = Math.max(most, states.reduce((sum, one) => sum + one.value[b]!, 0));
    });
    return most;
}

/** A task that is put together with others is nowhere. */
const answers = (s: Section, context: Context): (keyof Chosen)[] => {
    const { task } = context.choice.now;
    return ["range", ...answersGrouped(s, context), ...(task && cells(context.run).find(task.task) === undefined ? [] : (["task"] as const))];
};

shows("states", answers, (s, context) => {
    const all = stack(figure(s, "states")),
        { choice, index, run } = context,
        made = new Map<string, Stack>();
    if (!all.bins.length) return undefined;
    const stackOf = (run: Run): Stack => {
        const only = grouped(section(run, "states"), choice.now),
            key = JSON.stringify([context.report.runs.indexOf(run), only?.of.name, only?.name]);
        let it = made.get(key);
        if (!it) made.set(key, (it = only ? stack(only.of, only.name) : stack(figure(section(run, "states"), "states"))));
        return it;
    };
    const box = chart(context, {
        height: 240,
        label: `Tasks by state over time: ${all.states.map(one => one.name).join(", ")}`,
        draw(d) {
            const { bins, states, width } = stackOf(run),
                most = Math.max(...context.report.runs.map(r => highest(stackOf(r), d.from_s, d.to_s))),
                base = new Float64Array(bins.length);
            yAxis(d, most, digits);
            d.ctx.beginPath();
            d.ctx.rect(d.left, d.top, d.right - d.left, d.bottom - d.top);
            d.ctx.clip();
            const y = (v: number) => d.bottom - (v / most) * (d.bottom - d.top);
            for (const one of states) {
                d.ctx.fillStyle = stateColour(d.theme, one.name);
                d.ctx.beginPath();
                bins.forEach((t, b) => {
                    const low = base[b]!,
                        up = low + one.value[b]!;
                    if (up > low) {
                        const x = d.x(t);
                        d.ctx.rect(x, y(up), d.x(t + width) - x + 0.3, y(low) - y(up));
                    }
                    base[b] = up;
                });
                d.ctx.fill();
            }
            const { task } = choice.now,
                of = cells(run),
                i = task?.run === index ? of.find(task.task) : undefined;
            if (i === undefined) return;
            // the task that is chosen: from its first event to its last
            const [a, b] = [d.x(of.first[i]!), Math.max(d.x(of.done[i]!), d.x(of.first[i]!) + 2)];
            d.ctx.fillStyle = d.theme.veil;
            d.ctx.fillRect(d.left, d.top, a - d.left, d.bottom - d.top);
            d.ctx.fillRect(b, d.top, d.right - b, d.bottom - d.top);
            d.ctx.strokeStyle = d.theme.ink;
            d.ctx.strokeRect(a + 0.5, d.top + 0.5, b - a - 1, d.bottom - d.top - 1);
        },
        at(_, t) {
            const { bins, states, width } = stackOf(run),
                b = bins.findIndex(from => from <= t && t < from + width);
            if (b < 0) return undefined;
            return [`at ${seconds(bins[b]!)}`, ...states.filter(one => one.value[b]! > 0).reverse().map(one => `${digits(one.value[b]!)} ${one.name}`)];
        },
    });
    const said = el("p", { class: "quiet note" });
    const say = () => {
        const only = grouped(s, choice.now);
        said.textContent = `${only ? `${only.what} ${only.name}, means` : "means"} over bins of ${seconds(all.width)}`;
    };
    choice.on(say);
    say();
    return [el("figure", {}, box, said, legend([...all.states].reverse().map(one => ({ text: one.name, colour: t => stateColour(t, one.name) }))))];
});
