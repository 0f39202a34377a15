// SPDX-License-Identifier: Apache-2.0
// How values are spread, as a small picture: bins of equal width on a logarithmic axis.
import { svg } from "./dom";
import { seconds } from "./words";

/** Bars of so many bins between low and high; heights as shares of the fullest; and where one of them is. */
export function spread(values: readonly (readonly [value: number, weight: number])[], low: number, high: number, label: string, mark?: { value: number; name: string }): SVGElement {
    const BINS = 40,
        WIDTH = 160,
        HEIGHT = 22,
        a = Math.log(low),
        b = Math.log(high),
        bin = new Float64Array(BINS);
    for (const [value, weight] of values) {
        const i = b > a ? Math.floor(((Math.log(Math.max(value, low)) - a) / (b - a)) * BINS) : BINS >> 1;
        const at = Math.max(0, Math.min(BINS - 1, i));
        bin[at] = (bin[at] as number) + weight;
    }
    const most = Math.max(...bin, 1e-9),
        g = svg("svg", { width: WIDTH, height: HEIGHT, viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label, class: "spread" }),
        title = svg("title", {}, `${label}: ${seconds(low)} to ${seconds(high)}, logarithmic`);
    g.append(title, svg("line", { x1: 0, x2: WIDTH, y1: HEIGHT - 0.5, y2: HEIGHT - 0.5, class: "base" }));
    bin.forEach((n, i) => {
        if (n <= 0) return;
        const h = Math.max(1.5, (HEIGHT - 2) * (n / most));
        g.append(svg("rect", { x: (i * WIDTH) / BINS, width: WIDTH / BINS - 0.5, y: HEIGHT - h, height: h }));
    });
    if (mark && mark.value > 0) {
        const x = b > a ? ((Math.log(Math.min(high, Math.max(low, mark.value))) - a) / (b - a)) * WIDTH : WIDTH / 2;
        g.append(svg("line", { x1: x, x2: x, y1: 0, y2: HEIGHT, class: "own" }, svg("title", {}, `task ${mark.name}: ${seconds(mark.value)}`)));
    }
    return g;
}
