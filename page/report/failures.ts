// SPDX-License-Identifier: Apache-2.0
// What failed, of the app that is chosen.
import { figure, texts, type Figure } from "./data";
import { el, refill } from "./dom";
import { table, type Column } from "./table";
import { shows } from "./view";

shows("failures", ["app"], (s, { choice, index }) => {
    const part = (of: Figure | undefined, columns: Column[] | undefined, isOf: (row: number, app: string) => boolean): HTMLElement[] => {
        if (!of) return [];
        const box = el("div");
        const draw = () => {
            const { app } = choice.now,
                rows = Array.from({ length: of.rows }, (_, i) => i).filter(i => app === null || isOf(i, app));
            refill(box, el("p", { class: "quiet" }, `${of.about}${rows.length ? ":" : ": none of this app."}`),
                rows.length ? table(of, { rows, label: of.about, figure: of.name, run: index, ...(columns ? { columns } : {}) }) : "");
        };
        choice.on(draw);
        draw();
        return [box];
    };
    const failures = figure(s, "failures"),
        dependents = figure(s, "dependents"),
        app = texts(failures, "app"),
        root = texts(dependents, "because of"),
        nodes = [
            ...part(failures, failures?.columns.map(name => ({ name, wide: name === "exception", ...(name === "seconds" ? { heading: "lost" } : {}) })), (i, of) => (app[i] ?? "") === of),
            // "task 154 (always_fails)"
            ...part(dependents, undefined, (i, of) => (/\((.*)\)$/s.exec(root[i] ?? "")?.[1] ?? "") === of),
        ];
    return nodes.length ? nodes : undefined;
});
