// SPDX-License-Identifier: Apache-2.0
// When the events of tasks came, after the first of each: a row an event, a box from a quarter to three quarters of tasks.
import { figure, numbers, section, text } from "./data";
import { ofAll } from "./selection";
import { el, svg } from "./dom";
import { ticks, timeText } from "./chart";
import { across, views } from "./view";
import { percent, seconds } from "./words";

const ROW = 20,
    MOST = 30;

views.set("sequence", (s, context) => {
    const of = figure(s, "events");
    if (!of) return undefined;
    const [p5, p25, median, p75, p95, share] = ["p5_s", "p25_s", "median_s", "p75_s", "p95_s", "share"].map(c => numbers(of, c)) as [Float64Array, Float64Array, Float64Array, Float64Array, Float64Array, Float64Array],
        high = across(context, run => Math.max(...numbers(figure(section(run, "sequence"), "events"), "p95_s"))),
        width = context.report.runs.length > 1 ? 260 : 520,
        x = (t: number) => (width * t) / high;
    const box = el("div", { class: "waterfall" });
    let all = of.rows <= MOST;
    const common = Array.from({ length: of.rows }, (_, i) => i);

    function draw(): void {
        const rows = all ? common : common.filter(i => (share[i] as number) >= 0.05).slice(0, MOST),
            body = el("tbody");
        const scale = svg("svg", { width, height: 16, viewBox: `0 0 ${width} 16`, "aria-hidden": "true" }),
            at = ticks(0, high, width / 100),
            step = (at[1] ?? 1) - (at[0] ?? 0);
        for (const t of at) scale.append(svg("text", { x: x(t), y: 12, "text-anchor": t === 0 ? "start" : x(t) > width - 20 ? "end" : "middle" }, timeText(t, step, high)));
        for (const i of rows) {
            const [a, b, c, d, e] = [p5, p25, median, p75, p95].map(v => v[i] as number) as [number, number, number, number, number],
                g = svg("svg", { width, height: ROW, viewBox: `0 0 ${width} ${ROW}`, role: "img", "aria-label": `half of the tasks between ${seconds(b)} and ${seconds(d)}` });
            for (const t of at) g.append(svg("line", { x1: x(t), x2: x(t), y1: 0, y2: ROW, class: "grid" }));
            g.append(
                svg("line", { x1: x(a), x2: x(e), y1: ROW / 2, y2: ROW / 2, class: "whisker" }),
                svg("rect", { x: x(b), y: 4, width: Math.max(1.5, x(d) - x(b)), height: ROW - 8, class: `box ${text(of, "kind", i) || "other"}` }),
                svg("line", { x1: x(c), x2: x(c), y1: 2, y2: ROW - 2, class: "median" }),
                svg("title", {}, `5 %: ${seconds(a)}, 25 %: ${seconds(b)}, median: ${seconds(c)}, 75 %: ${seconds(d)}, 95 %: ${seconds(e)}`),
            );
            body.append(
                el("tr", {},
                    el("th", { scope: "row", title: `${text(of, "of", i)}: ${text(of, "state", i)}` }, el("bdi", {}, text(of, "event", i)), " ", el("span", { class: "quiet" }, text(of, "of", i).split(".").slice(-2).join(" "))),
                    el("td", {}, g),
                    el("td", { class: "n", "data-value": c, "data-column": "median_s" }, seconds(c)),
                    el("td", { class: "n", "data-value": share[i] as number, "data-column": "share" }, percent(share[i] as number))),
            );
        }
        const hidden = of ? of.rows - rows.length : 0;
        box.replaceChildren(
            el("div", { class: "table", tabindex: 0, role: "group", "aria-label": "When events came after the first", "data-figure": "events" },
                el("table", {}, el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "event"), el("th", { scope: "col" }, scale), el("th", { class: "n", scope: "col" }, "median"), el("th", { class: "n", scope: "col" }, "of tasks"))), body)),
            ...(hidden > 0 ? [el("button", { type: "button", click: () => { all = true; draw(); } }, `${hidden} more, of few tasks`)] : []),
        );
    }
    draw();
    return [ofAll(context), box];
});
