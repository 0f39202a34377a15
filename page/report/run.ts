// SPDX-License-Identifier: Apache-2.0
// The page of `spanloom report`: sections in their order, of one run or of two beside each other.
import { Choice } from "./choice";
import { open, number, section, figure, type Figure, type Report, type Run, type Section } from "./data";
import { el } from "./dom";
import { header } from "./head";
import { bar } from "./selection";
import { table } from "./table";
import { views, type Context } from "./view";
import { live } from "../serve/live";
import "./sections";

/** What a figure's rows come from, and the first of them. */
function behind(f: Figure, run: Run): HTMLElement {
    const command = f.sql === undefined ? `spanloom ${(f.answer ?? "").split("/")[0]}` : "spanloom sql",
        body = el("div"),
        details = el("details", { class: "behind" }, el("summary", {}, `${f.name}: figures and SQL`), body);
    details.addEventListener("toggle", () => {
        if (!details.open || body.hasChildNodes()) return;
        const shell = (s: string) => (/^[\w./:-]+$/.test(s) ? s : `'${s.replaceAll("'", "'\\''")}'`),
            say = `${command} -d ${shell(run.store)}${run.run === null ? "" : ` --run ${shell(run.run)}`}`;
        body.append(
            el("p", {}, `${f.about}. ${f.rows.toLocaleString("en-US")} rows; `, f.sql === undefined ? "what yields them: " : "what yields them, given the SQL below: ", el("code", {}, say)),
            ...(f.sql === undefined ? [] : [el("pre", { tabindex: 0, "aria-label": `SQL of ${f.name}` }, f.sql)]),
            table(f, { label: `${f.name}, all rows`, figure: `${f.name}.rows`, most: 20 }),
        );
    });
    return details;
}

function shownAs(s: Section, context: Context): Node[] {
    const own = views.get(s.name)?.(s, context);
    if (own) return own;
    return s.figures.filter(f => f.rows > 0).map(f =>
        el("figure", {}, el("figcaption", {}, f.about), table(f, { label: f.about, figure: f.name })));
}

function part(s: Section, context: Context): HTMLElement {
    const has = s.figures.some(f => f.rows > 0),
        box = el("div", { class: "part", "data-section": s.name, "data-run": context.index });
    if (context.report.runs.length > 1) box.append(el("h3", {}, el("bdi", {}, context.run.run ?? context.run.store)));
    if (!has) box.append(el("p", { class: "quiet" }, s.needs ? `Nothing to show: it needs ${s.needs}.` : "Nothing to show."));
    else box.append(...shownAs(s, context));
    for (const f of s.figures) {
        if (f.problem) box.append(el("p", { class: "problem" }, `${f.name}: ${f.problem}`));
        if (f.note) box.append(el("p", { class: "quiet note" }, `${f.name}: ${f.note}.`));
    }
    if (has) box.append(el("div", { class: "sources" }, ...s.figures.filter(f => f.rows > 0).map(f => behind(f, context.run))));
    return box;
}

/** Sections of which no run has anything are told of in a line at the end. */
const hasRows = (s: Section | undefined): boolean => !!s && s.figures.some(f => f.rows > 0 || f.problem !== undefined);

function show(report: Report): void {
    const choice = new Choice(),
        ends = report.runs.map(run => {
            const s = section(run, "findings"),
                makespan = number(figure(s, "run"), "makespan_s"),
                readings = figure(section(run, "nodes"), "nodes");
            return makespan > 0 ? makespan : Math.max(0, ...((readings?.data["to_s"] ?? []) as number[])) || 1;
        }),
        end_s = Math.max(...ends),
        contexts: Context[] = report.runs.map((run, index) => ({ report, run, index, choice, end_s }));
    const nav = el("nav", { "aria-label": "Sections" }),
        main = el("main"),
        absent: [string, string | null][] = [];

    main.append(...header(report, contexts));
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
    const body = [el("div", { class: "top" }, nav, bar(contexts)), main];
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
