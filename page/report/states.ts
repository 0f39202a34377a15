// SPDX-License-Identifier: Apache-2.0
// How many tasks were in which state, stacked.
import { chart, legend, yAxis } from "./chart";
import { figure, numbers, section, texts } from "./data";
import { ofAll } from "./selection";
import { el } from "./dom";
import { kindColour } from "./theme";
import { views } from "./view";
import { digits, seconds } from "./words";


const ORDER = ["run", "work", "wait", "depend", "other"];

views.set("states", (s, context) => {
    const of = figure(s, "states");
    if (!of) return undefined;
    const time = numbers(of, "time_s"),
        state = texts(of, "state"),
        kind = texts(of, "kind"),
        rank = numbers(of, "rank"),
        tasks = numbers(of, "tasks"),
        width = numbers(of, "width_s")[0] || 1,
        bins = [...new Set(time)].sort((a, b) => a - b),
        place = new Map(bins.map((t, i) => [t, i])),
        known = new Map<string, { kind: string | null; rank: number; n: number; value: Float64Array }>();
    for (let i = 0; i < of.rows; i++) {
        const name = state[i] ?? "";
        let one = known.get(name);
        if (!one) known.set(name, (one = { kind: kind[i] ?? null, rank: rank[i] || 0, n: 0, value: new Float64Array(bins.length) }));
        const bin = place.get(time[i] as number) as number;
        one.value[bin] = (one.value[bin] as number) + (tasks[i] as number);
    }
    const all = [...known].map(([name, one]) => ({ name, ...one })).sort((a, b) => ORDER.indexOf(a.kind ?? "other") - ORDER.indexOf(b.kind ?? "other") || a.rank - b.rank);
    const nth = new Map<string | null, number>();
    for (const one of all) {
        one.n = nth.get(one.kind) ?? 0;
        nth.set(one.kind, one.n + 1);
    }
    const sums = context.report.runs.map(run => {
        const f = figure(section(run, "states"), "states"),
            n = numbers(f, "tasks"),
            wide = numbers(f, "width_s")[0] || 1,
            sum = new Map<number, number>();
        numbers(f, "time_s").forEach((t, i) => sum.set(t, (sum.get(t) ?? 0) + (n[i] as number)));
        return { wide, sum };
    });
    /** The most tasks at a time in what is shown, of all runs. */
    const high = (from: number, to: number) => {
        let most = 1e-9;
        for (const { wide, sum } of sums) for (const [t, n] of sum) if (t + wide >= from && t <= to) most = Math.max(most, n);
        return most;
    };
    const box = chart(context, {
        height: 240,
        label: `Tasks by state over time: ${all.map(one => one.name).join(", ")}`,
        draw(d) {
            const most = high(d.from_s, d.to_s),
                base = new Float64Array(bins.length);
            yAxis(d, most, digits);
            d.ctx.beginPath();
            d.ctx.rect(d.left, d.top, d.right - d.left, d.bottom - d.top);
            d.ctx.clip();
            const y = (v: number) => d.bottom - (v / most) * (d.bottom - d.top);
            for (const one of all) {
                d.ctx.fillStyle = kindColour(d.theme, one.kind, one.n);
                d.ctx.beginPath();
                bins.forEach((t, b) => {
                    const low = base[b] as number,
                        up = low + (one.value[b] as number);
                    if (up > low) {
                        const x = d.x(t);
                        d.ctx.rect(x, y(up), d.x(t + width) - x + 0.3, y(low) - y(up));
                    }
                    base[b] = up;
                });
                d.ctx.fill();
            }
        },
        at(_, t) {
            const b = bins.findIndex((from, i) => from <= t && !((bins[i + 1] ?? Infinity) <= t));
            if (b < 0) return undefined;
            return [`at ${seconds(bins[b] as number)}`, ...all.filter(one => (one.value[b] as number) > 0).reverse().map(one => `${digits(one.value[b] as number)} ${one.name}`)];
        },
    });
    return [ofAll(context), el("figure", {}, box, el("p", { class: "quiet note" }, `means over bins of ${seconds(width)}`), legend([...all].reverse().map(one => ({ text: one.name, colour: t => kindColour(t, one.kind, one.n) }))))];
});
