// SPDX-License-Identifier: Apache-2.0
import { figure, number, text } from "./data";
import { el, shown } from "./dom";
import { shows } from "./view";
import { percent, seconds } from "./words";

shows("findings", [], s => {
    const found = figure(s, "findings"),
        terms = figure(s, "terms");
    if (!found) return [el("p", {}, "Nothing that costs this run much time was found.")];
    const list = el("ol", { class: "findings", "data-figure": "findings" });
    const most = Math.max(...Array.from({ length: found.rows }, (_, i) => number(found, "share", i)).filter(Number.isFinite), 1e-9);
    for (let i = 0; i < found.rows; i++) {
        const by = Number.isFinite(number(found, "seconds", i)) ? "seconds" : "took_s",
            cost = number(found, by, i),
            same = number(found, "same_as", i),
            share = number(found, "share", i),
            bar = el("i", { class: "bar", "aria-hidden": "true" });
        bar.style.width = Number.isFinite(share) ? `${Math.max(1, (100 * share) / most)}%` : "0";
        const without = number(found, "without_s", i),
            sure = text(found, "sure", i),
            command = text(found, "command", i);
        list.append(
            el("li", {},
                el("div", { class: "cost" },
                    Number.isFinite(cost) ? shown(seconds(cost), cost, { "data-column": by, "data-row": i }) : el("span", { class: "quiet" }, "note"),
                    Number.isFinite(share) ? el("span", { class: "quiet" }, percent(share)) : null,
                    el("span", { class: "track" }, bar)),
                el("div", { class: "said" },
                    el("p", { class: "text" }, text(found, "text", i)),
                    text(found, "advice", i) ? el("p", {}, text(found, "advice", i)) : null,
                    el("p", { class: "quiet" }, Number.isFinite(without) ? `the run would take ${seconds(without)}` : "", sure ? `${Number.isFinite(without) ? ", " : ""}${sure}` : "", Number.isFinite(same) ? `; of the same seconds as ${same}` : ""),
                    command ? el("p", {}, el("code", {}, command)) : null)),
        );
    }
    const means = Array.from({ length: terms?.rows ?? 0 }, (_, i) => el("p", { class: "quiet" }, `${text(terms!, "term", i)}: ${text(terms!, "meaning", i)}`));
    return [list, ...means];
});
