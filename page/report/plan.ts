// SPDX-License-Identifier: Apache-2.0
// What to change: the steps of a plan.
import { figure, number, text } from "./data";
import { el, shown } from "./dom";
import { table } from "./table";
import { shows } from "./view";
import { digits, secondsBeside } from "./words";

const kinds: Record<string, string> = { setting: "change a setting", workflow: "change the workflow", app: "change what tasks run", nodes: "take more nodes" };

shows("plan", [], (s, context) => {
    const steps = figure(s, "steps"),
        same = figure(s, "same"),
        options = figure(s, "options"),
        list = el("ol", { class: "findings", "data-figure": "steps" });
    if (!steps) return [];
    const most = number(steps, "makespan_s") + number(steps, "gain_s");
    for (let i = 0; i < steps.rows; i++) {
        const of = (column: string): string => secondsBeside(number(steps, column, i), most),
            hours = number(steps, "node_hours", i);
        list.append(
            el("li", {},
                el("div", { class: "cost" }, shown(of("gain_s"), number(steps, "gain_s", i), { "data-column": "gain_s", "data-row": i })),
                el("div", { class: "said" },
                    el("p", { class: "text" }, el("b", {}, `${kinds[text(steps, "repair", i)] ?? text(steps, "repair", i)}: `), text(steps, "what", i)),
                    text(steps, "edit", i) ? el("p", {}, text(steps, "edit", i)) : null,
                    text(steps, "at", i) ? el("pre", {}, text(steps, "at", i)) : null,
                    text(steps, "assumed", i) ? el("p", { class: "quiet" }, text(steps, "assumed", i)) : null,
                    el("p", { class: "quiet" }, `saves ${of("gain_low_s")} to ${of("gain_high_s")}; the run takes ${of("makespan_s")} (${of("low_s")} to ${of("high_s")})`, Number.isFinite(hours) ? `, ${digits(hours)} node hours` : ""),
                    el("p", {}, el("code", {}, `spanloom what-if '${text(steps, "all_changes", i)}'`)))),
        );
    }
    return [
        ...(steps.rows ? [list] : []),
        ...(steps.note ? [el("p", {}, steps.note)] : []),
        ...(same?.rows ? [el("p", {}, "The same seconds, found as something else:"), el("ul", {}, ...Array.from({ length: same.rows }, (_, i) => el("li", {}, text(same, "what", i))))] : []),
        ...(options && options.rows > 1 && Number.isFinite(number(options, "node_hours"))
            ? [table(options, { figure: "options", run: context.index, label: "Run time against node hours", columns: [{ name: "makespan_s", heading: "run time" }, { name: "node_hours", heading: "node hours" }, { name: "findings", heading: "without", wide: true }] })]
            : []),
    ];
});
