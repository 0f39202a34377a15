// SPDX-License-Identifier: Apache-2.0
// The page of `spanloom report`: sections in their order, of one run or of two beside each other.
import { Choice } from "./choice";
import { forgetLooks } from "./chart";
import { figure, hasRows, number, numbers, open, section, texts, type Figure, type Report, type Section } from "./data";
import { el } from "./dom";
import { kept } from "./kept";
import { header } from "./head";
import { bar } from "./selection";
import { table } from "./table";
import { learn } from "./theme";
import { scope, viewOf, type Context } from "./view";
import { shell } from "./words";
import { live } from "../serve/live";
import "./sections";

/** What a figure's rows come from, and the first of them. */
function behind(s: Section, f: Figure, { run, index }: Context): HTMLElement {
    const command = f.sql === undefined ? `spanloom ${(f.answer ?? "").split("/")[0]}` : "spanloom sql",
        body = el("div"),
        name = `behind ${index} ${s.name} ${f.name}`,
        details = el("details", { class: "behind", open: kept.get<boolean>(name) ?? false }, el("summary", {}, `${f.name}: figures and SQL`), body);
    details.addEventListener("toggle", () => {
        kept.set(name, details.open);
        if (!details.open || body.hasChildNodes()) return;
        const say = `${command} -d ${shell(run.store)}${run.run === null ? "" : ` --run ${shell(run.run)}`}`;
        body.append(
            el("p", {}, `${f.about}. ${f.rows.toLocaleString("en-US")} rows; `, f.sql === undefined ? "what yields them: " : "what yields them, given the SQL below: ", el("code", {}, say)),
            ...(f.sql === undefined ? [] : [el("pre", { tabindex: 0, "aria-label": `SQL of ${f.name}` }, f.sql)]),
            table(f, { label: `${f.name}, all rows`, figure: `${f.name}.rows`, run: index, most: 20 }),
        );
    });
    return details;
}

function shownAs(s: Section, context: Context): Node[] {
    const own = viewOf(s.name)?.(s, context);
    if (own) return own;
    return s.figures.filter(f => f.rows > 0).map(f =>
        el("figure", {}, el("figcaption", {}, f.about), table(f, { label: f.about, figure: f.name, run: context.index })));
}

function part(s: Section, context: Context): HTMLElement {
    const has = s.figures.some(f => f.rows > 0),
        box = el("div", { class: "part", "data-section": s.name, "data-run": context.index });
    if (context.report.runs.length > 1) box.append(el("h3", {}, el("bdi", {}, context.run.run ?? context.run.store)));
    if (!has) box.append(el("p", { class: "quiet" }, s.needs ? `Nothing to show: it needs ${s.needs}.` : "Nothing to show."));
    else box.append(...(s.name === "data" ? [] : [scope(s, context)]), ...shownAs(s, context));
    for (const f of s.figures) {
        if (f.problem) box.append(el("p", { class: "problem" }, `${f.name}: ${f.problem}`));
        if (f.note) box.append(el("p", { class: "quiet note" }, `${f.name}: ${f.note}.`));
    }
    if (has) box.append(el("div", { class: "sources" }, ...s.figures.filter(f => f.rows > 0).map(f => behind(s, f, context))));
    return box;
}

const choice = new Choice();
addEventListener("keydown", event => {
    if (event.key === "Escape" && choice.any) choice.clear();
});

/** In the place of what was shown before; what is chosen and set up stays, if it is the same run. */
function show(report: Report, anew = true): void {
    choice.forget();
    forgetLooks();
    if (anew) {
        kept.clear();
        choice.clear();
    }
    const ends = report.runs.map(run => {
            const s = section(run, "findings"),
                makespan = number(figure(s, "run"), "makespan_s"),
                readings = figure(section(run, "nodes"), "nodes");
            return makespan > 0 ? makespan : Math.max(0, ...((readings?.data["to_s"] ?? []) as number[])) || 1;
        }),
        end_s = Math.max(...ends),
        contexts: Context[] = report.runs.map((run, index) => ({ report, run, index, choice, end_s }));
    for (const run of report.runs) {
        const over = figure(section(run, "states"), "states"),
            rank = numbers(over, "rank"),
            kind = texts(over, "kind"),
            path = figure(section(run, "makespan"), "parts"),
            pathKind = texts(path, "kind"),
            reached = figure(section(run, "sequence"), "reached"),
            reachedKind = texts(reached, "kind");
        learn(texts(over, "state").map((state, i) => [state ?? "", kind[i] ?? null, rank[i] || 0] as const).sort((a, b) => a[2] - b[2] || a[0].localeCompare(b[0])).map(([state, k]) => [state, k] as const));
        learn(texts(path, "state").map((state, i) => [state ?? "", pathKind[i] ?? null] as const).sort(([a], [b]) => a.localeCompare(b)));
        learn(texts(reached, "state").map((state, i) => [state ?? "", reachedKind[i] === "done" && state !== "done" ? "lost" : (reachedKind[i] ?? null)] as const));
    }
    const nav = el("nav", { "aria-label": "Sections" }),
        main = el("main", { class: contexts.length > 1 ? "two" : null }),
        absent: [string, string | null][] = [];

    main.append(...header(report, contexts));
    // sections of which no run has anything are told of in a line at the end
    for (const s of report.runs[0]?.sections ?? []) {
        const each = contexts.map(c => section(c.run, s.name));
        if (!each.some(hasRows)) {
            absent.push([s.title, s.needs]);
            continue;
        }
        nav.append(el("a", { href: `#${s.name}` }, s.title));
        main.append(
            el("section", { id: s.name, "aria-labelledby": `${s.name}-title` },
                el("h2", { id: `${s.name}-title` }, s.title),
                el("p", { class: "quiet about" }, `${s.about}.`),
                el("div", { class: contexts.length > 1 ? "beside" : null },
                    ...contexts.map((c, i) => part(each[i] ?? { ...s, figures: [] }, c)))),
        );
    }
    if (absent.length)
        main.append(el("section", { class: "absent", "aria-label": "What is not in this report" },
            el("p", { class: "quiet" }, `Not here: ${[...new Set(absent.map(([, needs]) => needs))].map(needs => absent.filter(([, n]) => n === needs).map(([title]) => title).join(", ") + (needs ? `, for want of ${needs}` : "")).join("; ")}.`)));
    const body = [el("div", { class: contexts.length > 1 ? "top two" : "top" }, nav, bar(contexts)), main];
    document.body.prepend(...body);
}

const data = document.getElementById("data"),
    packed = data?.textContent ?? "",
    ready = () => (document.documentElement.dataset["ready"] = "yes");
data?.remove();
// without data of its own it is the page of `spanloom serve`
(packed ? open(packed).then(show) : live(show)).then(ready).catch((error: unknown) => {
    const messages = document.getElementById("messages");
    if (messages) messages.textContent = `This report cannot be shown: ${error instanceof Error ? error.message : String(error)}`;
});
