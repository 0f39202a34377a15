// SPDX-License-Identifier: Apache-2.0
// The line that says what is chosen, of how many tasks that is, and that takes it back.
import { cells, sums } from "./cells";
import { el, refill, shown } from "./dom";
import type { Context } from "./view";
import { digits, seconds } from "./words";

export function bar(contexts: readonly Context[]): HTMLElement {
    const first = contexts[0],
        box = el("div", { class: "selection", role: "status", "aria-live": "polite" });
    if (!first) return box;
    const { choice } = first;

    const chip = (text: string, clear: () => void) =>
        el("button", { type: "button", class: "chip", "aria-label": `${text}: take it back`, click: clear }, text, " ", el("span", { "aria-hidden": "true" }, "✕"));

    function draw(): void {
        const { range, app, executor, task } = choice.now,
            chips: Node[] = [];
        if (range) chips.push(chip(`${seconds(range[0])} to ${seconds(range[1])}`, () => choice.set({ range: null })));
        if (app !== null) chips.push(chip(`app ${app || "(none)"}`, () => choice.set({ app: null })));
        if (executor !== null) chips.push(chip(`executor ${executor || "(none)"}`, () => choice.set({ executor: null })));
        if (task) chips.push(chip(`task ${task.task}`, () => choice.set({ task: null })));
        if (!chips.length) {
            refill(box, el("span", { class: "quiet" }, document.querySelector(".chart") || contexts.some(c => cells(c.run).n) ? "Drag over a chart to choose a time; click an app or a task." : ""));
            return;
        }
        if (chips.length > 1) chips.push(el("button", { type: "button", class: "chip", click: () => choice.clear() }, "all ✕"));
        for (const c of contexts) {
            const all = cells(c.run);
            if (!all.n) continue;
            const mine = task?.run === c.index ? all.find(task.task) : undefined;
            if (task && mine === undefined) continue;
            const s = sums(all, mine === undefined ? all.chosen(choice) : [mine], range),
                exact = (text: string, column: string, value: number) => shown(text, value, { "data-figure": "selection", "data-column": column, "data-run": c.index });
            chips.push(el("span", { class: "sum" }, contexts.length > 1 ? el("bdi", {}, `${c.run.run ?? ""}: `) : null, exact(digits(s.tasks), "tasks", s.tasks), s.tasks === 1 ? " task" : " tasks", range ? " there, " : ", ",
                exact(seconds(s.run_s), "run_s", s.run_s), " on workers", s.failed ? `, ${digits(s.failed)} failed` : ""));
        }
        refill(box, ...chips);
    }
    choice.on(draw);
    draw();
    return box;
}
