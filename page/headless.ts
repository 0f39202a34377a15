// SPDX-License-Identifier: Apache-2.0
// What spanloom-render evaluates in JavaScriptCore, which has the language alone: no page, no files, no timers.
import "./shims";
import * as vega from "vega";
import { checkData, isVegaLite, loader, logger, titleExpressions, toVega, units, writable } from "./drawing";
import type { Spec } from "./json";
import { problemsOf } from "./schema";

declare global {
    /** Both are in C. */
    function spanloomWarn(text: string): void;
    function spanloomTextWidth(text: string, family: string, size: number, weight: string, style: string): number;
    var spanloomSvg: (spec: string, form: string) => Promise<string>;
    /** Warns of what is not as the published schema says; schemas: schemas.json. */
    var spanloomCheck: (spec: string, schemas: string) => void;
    /** Runs the first that waits; false where none does. */
    var spanloomTimer: () => boolean;
}

interface Text {
    limit?: number;
    font?: string;
    fontSize?: number;
    fontWeight?: string | number;
    fontStyle?: string;
}

const widths = new Map<string, number>();

// vega-scenegraph calls this for what it has already cut to the limit, too.
function textWidth(item: Text, text: string): number {
    const size = Number(item.fontSize ?? 11) || 0;
    const key = `${item.fontStyle ?? ""}|${item.fontWeight ?? ""}|${size}|${item.font ?? ""}|${text}`;
    let width = widths.get(key);
    if (width === undefined) {
        width =
            size <= 0 || text === ""
                ? 0
                : spanloomTextWidth(
                      text,
                      item.font ?? "sans-serif",
                      size,
                      String(item.fontWeight ?? ""),
                      item.fontStyle ?? "",
                  );
        widths.set(key, width);
    }
    return width;
}

// Of these Vega has no types.
const { textMetrics, setRandom, randomLCG } = vega as unknown as {
    textMetrics: { width: (item: Text, text: unknown) => number };
    setRandom(random: () => number): void;
    randomLCG(seed: number): () => number;
};

textMetrics.width = (item, text) => {
    const width = textWidth(item, text == null ? "" : writable(String(text).trim()));
    return item.limit !== undefined && item.limit > 0 ? Math.min(width, item.limit) : width;
};
setRandom(randomLCG(0.5)); // the same picture from the same data

/** Opacity of a mark as that of its fill and stroke: else each is a group of its own for cairo, six times as slow. */
function splitOpacity(marks: vega.Mark[] = []): void {
    for (const mark of marks) {
        if (mark.type === "group") splitOpacity(mark.marks);
        else if (mark.type !== "image")
            for (const set of Object.values(mark.encode ?? {}) as Spec[])
                if (set.opacity !== undefined && set.fillOpacity === undefined && set.strokeOpacity === undefined) {
                    set.fillOpacity = set.strokeOpacity = set.opacity;
                    delete set.opacity;
                }
    }
}

interface Item {
    x: number;
    y: number;
    x2?: number;
    y2?: number;
    defined?: boolean;
    items?: Mark[];
}
interface Mark {
    marktype: string;
    items: Item[];
}

const COLUMNS = 2, // to a pixel of CSS, as PNG has them
    SHORT = 4000, // so many points of a line are drawn as they are
    LONGEST = 30000, // points of a line as PNG, for which cairo takes their square: 8 s
    MOST = 300000; // marks

/**
 * The items of a line without those that nobody sees: of each column of pixels its first, last, least and greatest stay,
 * and the picture with them (M4: Jugel et al., "M4: A Visualization-Oriented Time Series Data Aggregation", VLDB 2014).
 * NULL where it is not drawn from left to right.
 */
function thinned(items: Item[]): Item[] | null {
    const kept = new Set<Item>();
    let column = NaN,
        before = -Infinity,
        inside: Item[] = [];
    const keep = () => {
        const by = (value: (item: Item) => number) =>
            inside.reduce((a, b) => (value(b) < value(a) ? b : a), inside[0] as Item);
        if (inside.length === 0) return;
        kept.add(inside[0] as Item).add(inside[inside.length - 1] as Item);
        for (const sign of [1, -1]) {
            kept.add(by(item => sign * item.y));
            if (inside[0]?.y2 !== undefined) kept.add(by(item => sign * (item.y2 ?? 0)));
        }
        inside = [];
    };
    for (const item of items) {
        if (item.defined === false) {
            keep();
            kept.add(item);
            continue;
        }
        if (item.x < before) return null;
        before = item.x;
        if (Math.floor(item.x * COLUMNS) !== column) keep();
        column = Math.floor(item.x * COLUMNS);
        inside.push(item);
    }
    keep();
    return items.filter(item => kept.has(item));
}

/** Thins long lines, and counts marks; throws where a picture would take too long. */
function makeDrawable(marks: Mark[], form: string): number {
    let count = 0;
    for (const mark of marks) {
        const flat = /^(line|area|trail)$/.test(mark.marktype);
        if (flat && mark.items.length > SHORT) mark.items = thinned(mark.items) ?? mark.items;
        if (flat && mark.items.length > LONGEST && form === "png")
            throw new Error(
                `a line of ${mark.items.length.toLocaleString("en")} points that goes to and fro is too long for PNG; ` +
                    "reduce it in SQL, or write .svg or .pdf",
            );
        count += flat ? 1 : mark.items.length;
        for (const item of mark.items) count += makeDrawable(item.items ?? [], form);
    }
    return count;
}

globalThis.spanloomCheck = (text, schemas) => {
    const spec = JSON.parse(text) as Spec;
    const schema = (JSON.parse(schemas) as Record<string, Spec>)[isVegaLite(spec) ? "vega-lite" : "vega"];
    units(spec, unit => titleExpressions(unit.encoding ?? null, text => text)); // the schema knows none
    if (schema) problemsOf(spec, schema).forEach(spanloomWarn);
};

globalThis.spanloomSvg = async (text, form) => {
    const errors: string[] = [];
    const to = { error: (text: string) => void errors.push(text), // what follows the pointer there is no window for
        warn: (text: string) => /^Can not resolve event source: window/.test(text) || spanloomWarn(text) };
    const spec = toVega(JSON.parse(text) as Spec, to);
    splitOpacity(spec.marks);
    const view = new vega.View(vega.parse(spec), { renderer: "none", loader, logger: logger(to) });
    await view.runAsync();
    if (errors.length > 0) throw new Error(errors.join("; "));
    checkData(spec, view, to);
    const count = makeDrawable([view.scenegraph() as unknown as { root: Mark }].map(scene => scene.root), form);
    if (count > MOST)
        throw new Error(
            `the picture would have ${count.toLocaleString("en")} marks, which nobody can tell apart; reduce them in ` +
                "SQL, such as by bins or quantiles; .html and .json hold them",
        );
    const svg = await view.toSVG();
    if (errors.length > 0) throw new Error(errors.join("; "));
    return writable(svg);
};
