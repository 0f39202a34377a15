// SPDX-License-Identifier: Apache-2.0
// Tables of figures: sorted by their headings, some rows at first.
import type { Cell, Table } from "./data";
import { el } from "./dom";
import { kept } from "./kept";
import { cell, greatest, heading } from "./words";

export interface Column {
    name: string;
    heading?: string;
    /** Instead of the text that the name asks for, which is said, too: seconds have one unit in a column. */
    show?: (value: Cell, row: number, said: string) => Node | string;
    /** Text may take many lines. */
    wide?: boolean;
}

export interface Shown {
    columns?: Column[];
    /** What tests know it by: the name of the figure. */
    figure?: string;
    /** Of which run: of each is kept how it is sorted. */
    run?: number;
    /** So many rows at first. */
    most?: number;
    pick?: (row: number) => void;
    /** What rows are chosen. */
    chosen?: (row: number) => boolean;
    rows?: number[];
    /** What a picked row does, for who cannot see. */
    picks?: string;
    label: string;
}

const isNumber = (values: Cell[]): boolean => values.some(x => typeof x === "number") && !values.some(x => typeof x === "string" && !/^-?\d+$/.test(x));

export function table(of: Table, shown: Shown): HTMLElement {
    const columns = shown.columns ?? of.columns.map(name => ({ name }) as Column);
    const rows = [...(shown.rows ?? Array.from({ length: of.rows }, (_, i) => i))];
    const given = [...rows];
    const key = `table ${shown.run ?? 0} ${shown.figure ?? shown.label}`,
        was = kept.get<{ most: number; by: { name: string; down: boolean } | null }>(key);
    let most = was?.most ?? shown.most ?? 12,
        by = was?.by ?? null;
    const mosts = columns.map(c => greatest(c.name, shown.rows ? shown.rows.map(row => of.data[c.name]?.[row] ?? null) : of.data[c.name] ?? []));
    const body = el("tbody"),
        heads = el("tr"),
        more = el("p", { class: "more" });

    function fill(): void {
        kept.set(key, { most, by });
        body.replaceChildren(
            ...rows.slice(0, most).map(row => {
                const tr = el("tr", { class: shown.chosen?.(row) ? "chosen" : null });
                columns.forEach((c, i) => {
                    const value = of.data[c.name]?.[row] ?? null,
                        number = typeof value === "number";
                    const said = cell(c.name, value, mosts[i]!);
                    let content: Node | string = c.show ? c.show(value, row, said) : said;
                    if (i === 0 && shown.pick) {
                        content = el("button", {
                            type: "button", class: "pick", title: shown.picks ?? null, "aria-pressed": shown.chosen ? String(shown.chosen(row)) : null,
                            click: () => shown.pick?.(row),
                        }, content === "" ? "(none)" : content);
                    }
                    tr.append(el("td", { class: number ? "n" : c.wide ? "wide" : null, "data-value": value, "data-column": c.name }, content));
                });
                return tr;
            }),
        );
        const left = rows.length - most;
        more.replaceChildren();
        if (left > 0)
            more.append(el("button", { type: "button", click: () => { most = left > 500 ? most + 500 : rows.length; fill(); } }, left > 500 ? `500 more of ${left.toLocaleString("en-US")}` : `${left.toLocaleString("en-US")} more`));
    }

    function sort(name: string, down: boolean): void {
        const values = of.data[name] ?? [],
            sign = down ? -1 : 1;
        by = { name, down };
        rows.splice(0, rows.length, ...given);
        rows.sort((a, b) => {
            const x = values[a] ?? null,
                y = values[b] ?? null;
            if (x === null || y === null) return x === y ? 0 : x === null ? 1 : -1;
            return sign * (typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y), "en", { numeric: true }));
        });
        for (const th of heads.children)
            if ((th as HTMLElement).dataset["name"] === name) th.setAttribute("aria-sort", down ? "descending" : "ascending");
            else th.removeAttribute("aria-sort");
        fill();
    }

    for (const c of columns)
        heads.append(
            el("th", { scope: "col", class: isNumber(of.data[c.name] ?? []) ? "n" : null, "data-name": c.name },
                el("button", { type: "button", click: () => sort(c.name, by?.name === c.name ? !by.down : typeof (of.data[c.name] ?? []).find(x => x !== null) === "number") }, c.heading ?? heading(c.name))),
        );
    if (by && columns.some(c => c.name === by?.name)) sort(by.name, by.down);
    else fill();
    return el("div", { class: "table", role: "group", tabindex: 0, "aria-label": shown.label, "data-figure": shown.figure },
        el("table", {}, el("thead", {}, heads), body), more);
}
