// SPDX-License-Identifier: Apache-2.0
// What spanloom-render evaluates in JavaScriptCore, which has the language alone: no page, no files, no timers.
import "./shims";
import * as vega from "vega";
import { checkData, loader, logger, toVega, writable, type Spec } from "./drawing";

declare global {
    /** Both are in C. */
    function spanloomWarn(text: string): void;
    function spanloomTextWidth(text: string, family: string, size: number, weight: string, style: string): number;
    var spanloomSvg: (spec: string) => Promise<string>;
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

globalThis.spanloomSvg = async text => {
    const errors: string[] = [];
    const to = { error: (text: string) => void errors.push(text), // what follows the pointer there is no window for
        warn: (text: string) => /^Can not resolve event source: window/.test(text) || spanloomWarn(text) };
    const spec = toVega(JSON.parse(text) as Spec, to);
    splitOpacity(spec.marks);
    const view = new vega.View(vega.parse(spec), { renderer: "none", loader, logger: logger(to) });
    await view.runAsync();
    if (errors.length > 0) throw new Error(errors.join("; "));
    checkData(spec, view, to);
    const svg = await view.toSVG();
    if (errors.length > 0) throw new Error(errors.join("; "));
    return writable(svg);
};
