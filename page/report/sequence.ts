// SPDX-License-Identifier: Apache-2.0
// When the events of tasks came, after the first of each: a row an event, a box from a quarter to three quarters of tasks;
// of all of them, of an app or an executor; and where those of the task that is chosen are.
import { ticks, timeText } from "./chart";
import type { Chosen } from "./choice";
import { figure, numbers, section, text, texts, type Section } from "./data";
import { el, refill, svg } from "./dom";
import { answersGrouped, grouped } from "./grouped";
import { kept } from "./kept";
import { across, shows, type Context } from "./view";
import { digits, percent, seconds } from "./words";
import { eventsOf } from "../timeline/events";

const ROW = 20,
    MOST = 30;

const answers = (s: Section, context: Context): (keyof Chosen)[] => {
    const { task } = context.choice.now;
    return [...answersGrouped(s, context), ...(task && (task.run !== context.index || eventsOf(context.run, task.task)) ? (["task"] as const) : [])];
};

shows("sequence", answers, (s, context) => {
    const whole = figure(s, "events"),
        { choice, index } = context;
    if (!whole) return undefined;
    const high = across(context, run => Math.max(...numbers(figure(section(run, "sequence"), "events"), "p95_s"))),
        width = context.report.runs.length > 1 ? 200 : 520,
        x = (t: number) => (width * Math.min(t, high)) / high,
        box = el("div", { class: "waterfall" }),
        name = `sequence ${index} all`;

    function draw(): void {
        const only = grouped(s, choice.now),
            of = only?.of ?? whole!,
            named = texts(of, "name"),
            [p5, p25, median, p75, p95, share] = ["p5_s", "p25_s", "median_s", "p75_s", "p95_s", "share"].map(c => numbers(of, c)) as [Float64Array, Float64Array, Float64Array, Float64Array, Float64Array, Float64Array],
            every = Array.from({ length: of.rows }, (_, i) => i).filter(i => !only || named[i] === only.name),
            rows = kept.get(name) ? every : every.filter(i => share[i]! >= 0.05).slice(0, MOST),
            { task } = choice.now,
            mine = task?.run === index ? eventsOf(context.run, task.task) : undefined,
            body = el("tbody"),
            scale = svg("svg", { width, height: 16, viewBox: `0 0 ${width} 16`, "aria-hidden": "true" }),
            at = ticks(0, high, width / 100),
            step = (at[1] ?? 1) - (at[0] ?? 0);
        for (const t of at) scale.append(svg("text", { x: x(t), y: 12, "text-anchor": t === 0 ? "start" : x(t) > width - 20 ? "end" : "middle" }, timeText(t, step, high)));
        for (const i of rows) {
            const [a, b, c, d, e] = [p5, p25, median, p75, p95].map(v => v[i]!) as [number, number, number, number, number],
                own = mine?.get(`${text(of, "of", i)} ${text(of, "event", i)}`),
                g = svg("svg", { width, height: ROW, viewBox: `0 0 ${width} ${ROW}`, role: "img", "aria-label": `half of the tasks between ${seconds(b)} and ${seconds(d)}` });
            for (const t of at) g.append(svg("line", { x1: x(t), x2: x(t), y1: 0, y2: ROW, class: "grid" }));
            g.append(
                svg("line", { x1: x(a), x2: x(e), y1: ROW / 2, y2: ROW / 2, class: "whisker" }),
                svg("rect", { x: x(b), y: 4, width: Math.max(1.5, x(d) - x(b)), height: ROW - 8, class: `box ${text(of, "kind", i) || "other"}` }),
                svg("line", { x1: x(c), x2: x(c), y1: 2, y2: ROW - 2, class: "median" }),
                ...(own === undefined ? [] : [svg("circle", { cx: x(own), cy: ROW / 2, r: 4, class: "own" })]),
                svg("title", {}, `5 %: ${seconds(a)}, 25 %: ${seconds(b)}, median: ${seconds(c)}, 75 %: ${seconds(d)}, 95 %: ${seconds(e)}`),
            );
            body.append(
                el("tr", {},
                    el("th", { scope: "row", title: `${text(of, "of", i)}: ${text(of, "state", i)}` }, el("bdi", {}, text(of, "event", i)), " ", el("span", { class: "quiet" }, text(of, "of", i).split(".").slice(-2).join(" "))),
                    el("td", {}, g),
                    el("td", { class: "n", "data-value": c, "data-column": "median_s" }, seconds(c)),
                    el("td", { class: "n", "data-value": share[i]!, "data-column": "share" }, percent(share[i]!)),
                    mine ? el("td", { class: "n", "data-value": own, "data-column": "own_s" }, own === undefined ? "" : seconds(own)) : null),
            );
        }
        const hidden = every.length - rows.length,
            head = (words: string) => el("th", { class: "n", scope: "col" }, words);
        refill(box,
            only ? el("p", { class: "quiet" }, `Tasks of ${only.what} `, el("bdi", {}, only.name), ":") : "",
            el("div", { class: "table", tabindex: 0, role: "group", "aria-label": "When events came after the first", "data-figure": "events" },
                el("table", {}, el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "event"), el("th", { scope: "col" }, scale), head("median"), head("of tasks"), mine ? head(`task ${task!.task}`) : null)), body)),
            ...(hidden > 0 ? [el("button", { type: "button", click: () => { kept.set(name, true); draw(); } }, `${digits(hidden)} more, of few tasks`)] : []),
        );
    }
    choice.on(draw);
    draw();
    return [box];
});
