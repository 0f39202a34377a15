// SPDX-License-Identifier: Apache-2.0
// What ran, in a few numbers; of two runs, what changed from one to the other.
import { column, figure, hasRows, number, numbers, section, text, texts, type Report, type Run } from "./data";
import { el, name, shown } from "./dom";
import { table } from "./table";
import { scope, type Context } from "./view";
import { date, digits, percent, seconds } from "./words";

function facts(run: Run): HTMLElement | undefined {
    const s = section(run, "findings"),
        ran = figure(s, "run"),
        ended = figure(s, "ended");
    if (!ran) return undefined;
    const dl = el("dl", { class: "facts" }),
        add = (what: string, value: Node, more: string | (Node | string)[], bad = false) =>
            dl.append(el("div", { class: bad ? "bad" : null }, el("dt", {}, what), el("dd", {}, value), more.length ? el("dd", { class: "more" }, ...[more].flat()) : null));
    const of = (column: string) => number(ran, column),
        exact = (column: string, say: (x: number) => string) => shown(say(of(column)), of(column), { "data-figure": "run", "data-column": column });
    const state = text(ran, "state"),
        open = { "cut short": "cut short: nothing says that it ended", "goes on": "so far, it goes on", "driver silent": "until the last event; its driver fell silent before" }[state];
    if (state === "in doubt") return undefined;
    add("took", exact("makespan_s", seconds), open ?? "from the first event to the last", state === "cut short" || state === "driver silent");
    const done = number(ended, "tasks", column(ended, "ended").indexOf("done")) || 0,
        ends: (Node | string)[] = state === "goes on" ? [done ? `${digits(done)} done so far` : "none done so far"] : [];
    column(ended, "ended").forEach((how, i) => {
        if (how === "done") return;
        const failed = how !== null && String(how).includes("failed");
        ends.push(ends.length ? ", " : "", el("span", { class: failed ? "bad" : null }, `${digits(number(ended, "tasks", i))} ${how ?? "unfinished"}`));
    });
    add("tasks", exact("tasks", digits), ends.length ? ends : done ? "all done" : "");
    const over = figure(section(run, "workers"), "utilisation"),
        sum = (c: string) => numbers(over, c).reduce((a, b) => a + b, 0),
        most = Math.ceil(Math.max(0, ...numbers(over, "workers")) - 1e-6),
        all = figure(section(run, "workers"), "workers")?.rows ?? most,
        places = of("places");
    if (most > 0) {
        const busy = sum("busy") / sum("workers");
        add(most === 1 ? "worker" : "workers", shown(digits(most), most, { "data-figure": "utilisation", "data-column": "workers" }), `${places > most ? `with ${digits(places)} places, ` : ""}at most at once${all > most ? `, of ${digits(all)} that came` : ""}`);
        add("busy", shown(percent(busy), busy, { "data-figure": "utilisation", "data-column": "busy" }), "of the time that workers were there", busy < 0.5);
    }
    if (Number.isFinite(of("first_run_s"))) add("first task ran", exact("first_run_s", seconds), "after the run began");
    return dl;
}

function title(run: Run): HTMLElement {
    const ran = figure(section(run, "findings"), "run"),
        from = text(ran, "start_ns"),
        to = text(ran, "end_ns"),
        script = text(ran, "script");
    return el("div", {},
        el("p", { class: "quiet" },
            ran && text(ran, "state") === "in doubt" ? `from ${date(from)}` : ran ? `${date(from)} to ${date(to).slice(date(from).slice(0, 10) === date(to).slice(0, 10) ? 11 : 0)}` : run.sections.some(hasRows) ? "This store holds no run of a workflow; what else it holds is below." : "This store holds nothing yet: spanloom import reads logs and traces into it.",
            ...(script ? [" · ", name(script)] : []), " · ", el("code", {}, run.store)));
}

/** As `spanloom why A B` has them, and the parts of the critical path. */
const CHANGES = [
    ["went", "where the time went, along the critical path; these add up to the whole"],
    ["finding", "findings that came, went or changed"],
    ["app", "apps: how long their tasks ran, divided by the places on workers"],
    ["path", "the critical path by component and state"],
] as const;

function compared(report: Report, context: Context): HTMLElement | undefined {
    const changes = report.compared?.["changes"];
    if (!changes) return undefined;
    const took = report.runs.map(run => number(figure(section(run, "findings"), "run"), "makespan_s")),
        by = took[1]! - took[0]!;
    const nameOf = (i: number) => report.runs[i]?.run ?? report.runs[i]?.store ?? "";
    const box = el("section", { id: "compared", "aria-labelledby": "compared-title" },
        el("h2", { id: "compared-title" }, "What changed"),
        ...(Number.isFinite(by) ? [el("p", { class: "headline" }, name(nameOf(1)), " took ", el("span", { class: by > 0 ? "bad" : "good" }, `${seconds(Math.abs(by))} ${by > 0 ? "more" : "less"}`), " than ", name(nameOf(0)), ` (${by > 0 ? "+" : "-"}${Math.abs((100 * by) / took[0]!).toFixed(1)} %).`)] : []),
        el("p", { class: "quiet about" }, "what takes longer or shorter in the second run, most first; nothing in one column: only the other run has it."));
    box.append(scope({ name: "compared", title: "", about: "", needs: null, figures: [] }, context));
    const what = texts(changes, "what");
    for (const [kind, about] of CHANGES) {
        const rows = what.flatMap((w, i) => (w === kind ? [i] : [])),
            has = (c: string) => rows.some(i => column(changes, c)[i] !== null);
        if (rows.length)
            box.append(el("figure", {}, el("figcaption", {}, about), table(changes, {
                rows, label: about, figure: `changes.${kind}`, most: 8,
                columns: [
                    { name: "name", wide: true }, { name: "a_s", heading: nameOf(0) }, { name: "b_s", heading: nameOf(1) },
                    { name: "change_s", heading: "change", show: (v, _, said) => (typeof v === "number" ? el("span", { class: v > 0 ? "bad" : "good" }, (v > 0 ? "+" : "") + said) : "") },
                    ...(["a", "b"] as const).filter(has).map(c => ({ name: c, heading: `in ${nameOf(c === "a" ? 0 : 1)}`, wide: true })),
                ],
            })));
    }
    if (!what.length) box.append(el("p", {}, "Nothing that would be told."));
    return box;
}

export function header(report: Report, contexts: Context[]): Node[] {
    const runs = report.runs.map(r => r.run ?? r.store),
        heading = el("h1", {}, ...runs.flatMap((r, i) => [...(i ? [" and "] : []), name(r)])),
        boxes = contexts.map(c => {
            const dl = facts(c.run);
            return el("div", { class: "run", "data-run": c.index }, ...(contexts.length > 1 ? [el("p", { class: "of" }, name(c.run.run ?? c.run.store))] : []), title(c.run), ...(dl ? [dl] : []));
        }),
        changed = contexts[0] && compared(report, contexts[0]);
    return [el("header", {}, heading, el("div", { class: contexts.length > 1 ? "beside" : null }, ...boxes)), ...(changed ? [changed] : [])];
}
