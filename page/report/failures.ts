// SPDX-License-Identifier: Apache-2.0
// What failed, of the app that is chosen.
import { figure, texts } from "./data";
import { el, refill } from "./dom";
import { table } from "./table";
import { shows } from "./view";

shows("failures", ["app"], (s, { choice, index }) => {
    const failures = figure(s, "failures"),
        dependents = figure(s, "dependents"),
        nodes: Node[] = [];
    if (failures) {
        const app = texts(failures, "app"),
            box = el("div");
        const draw = () => {
            const rows = app.map((_, i) => i).filter(i => choice.now.app === null || (app[i] ?? "") === choice.now.app);
            refill(box,
                rows.length ? table(failures, { rows, label: failures.about, figure: "failures", run: index, columns: failures.columns.map(name => ({ name, wide: name === "exception", ...(name === "seconds" ? { heading: "lost" } : {}) })) })
                    : el("p", { class: "quiet" }, "No task of this app failed."));
        };
        choice.on(draw);
        draw();
        nodes.push(box);
    }
    if (dependents)
        nodes.push(el("figure", {}, el("figcaption", {}, dependents.about), table(dependents, { label: dependents.about, figure: "dependents", run: index })));
    return nodes.length ? nodes : undefined;
});
