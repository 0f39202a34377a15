// SPDX-License-Identifier: Apache-2.0
// What is known of a span: its time, events with the lines that tell them, attributes, and what belongs to it.
import { el } from "../report/dom";
import type { Context } from "../report/view";
import { digits, seconds, shell } from "../report/words";
import type { Spans } from "./spans";

export interface Told {
    /** Whether it has any: a large report does without. */
    here: boolean;
    of(id: number): Promise<{ events: { time_s: number; event: string; where: string }[]; attributes: (readonly [string, string])[] }>;
    /** Spans of which an attribute has the word, in small letters. */
    matching(word: string): Set<number> | undefined;
}

const MOST = 12;

export function details(s: Spans, i: number, told: Told, context: Context, pick: (i: number) => void, close: () => void): Node[] {
    const { run } = context,
        dl = el("dl"),
        add = (what: string, value: string) => value && dl.append(el("div", {}, el("dt", {}, what), el("dd", {}, el("bdi", {}, value)))),
        count = s.count[i] ?? 1;
    add("began", seconds(s.from[i]!));
    add("took", seconds(s.to[i]! - s.from[i]!));
    if (count > 1) add("busy", seconds((s.to[i]! - s.from[i]!) * s.share[i]!));
    else {
        add("type", s.type[i]!);
        add("key", s.key[i]!);
        add("told by", s.component[i]!);
        add("host", s.hostOf(i));
    }
    const related: Node[] = [],
        list = (what: string, of: Iterable<number>) => {
            const all = [...of].filter(k => k !== i);
            if (!all.length) return;
            related.push(el("div", {}, el("dt", {}, what), el("dd", {}, ...all.slice(0, MOST).flatMap(k => [
                el("button", { type: "button", class: "pick", click: () => pick(k), title: s.type[k] ?? "" }, el("bdi", {}, s.label(k)), el("span", { class: "quiet" }, ` ${s.kind(k)}`)), " ",
            ]), all.length > MOST ? `and ${digits(all.length - MOST)} more` : null)));
        };
    list("inside of", s.parents.of(i));
    list("the same as", s.facets.of(i));
    list("has inside", s.children.of(i));
    list("waited for", s.after.of(i));
    list("waited for by", s.before.of(i));
    list("handed over to", s.flows.of(i));
    list("from", s.flowsFrom.of(i));
    const more = el("div");
    if (count <= 1)
        void told.of(s.id[i]!).then(({ events, attributes }) => {
            if (attributes.length) more.append(el("dl", { class: "attributes" }, ...attributes.map(([name, value]) => el("div", {}, el("dt", {}, el("bdi", {}, name)), el("dd", {}, el("bdi", {}, value))))));
            if (events.length)
                more.append(el("table", { class: "events" }, el("thead", {}, el("tr", {}, ...["at", "event", "told in"].map(h => el("th", { scope: "col" }, h)))),
                    el("tbody", {}, ...events.slice(0, 200).map((e, i) => el("tr", {}, el("td", { class: "n" }, i ? `+${seconds(e.time_s - events[0]!.time_s)}` : seconds(e.time_s)), el("td", {}, el("bdi", {}, e.event)), el("td", {}, el("code", {}, e.where)))))));
            if (events.length > 200) more.append(el("p", { class: "quiet" }, `the first 200 of ${digits(events.length)} events`));
        }).catch((error: unknown) => more.append(el("p", { class: "problem" }, String(error))));
    return [
        el("button", { type: "button", class: "close", "aria-label": "Close", click: close }, "✕"),
        el("h3", { tabindex: -1 }, el("bdi", {}, s.label(i))), dl, ...(related.length ? [el("dl", { class: "related" }, ...related)] : []), more,
        ...(count > 1 ? [] : [el("p", {}, el("code", {}, `spanloom show span ${s.id[i]} -d ${shell(run.store)}`))]),
    ];
}
