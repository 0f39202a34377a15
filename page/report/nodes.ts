// SPDX-License-Identifier: Apache-2.0
// CPU, memory, disk and network of nodes, on the axis of the run.
import { chart, legend, yAxis } from "./chart";
import { figure, numbers, texts } from "./data";
import { el } from "./dom";
import { category } from "./theme";
import { shows } from "./view";
import { digits, seconds } from "./words";

const METRICS = [["cpu_percent", "CPU", "%"], ["memory_percent", "memory", "%"], ["disk_mb_per_s", "disk", "MB/s"], ["network_mb_per_s", "network", "MB/s"]] as const;

shows("nodes", ["range"], (s, context) => {
    const of = figure(s, "nodes");
    if (!of) return undefined;
    const node = texts(of, "node"),
        from = numbers(of, "from_s"),
        to = numbers(of, "to_s"),
        names = [...new Set(node)],
        colour = new Map(names.map((n, i) => [n, i]));
    const charts = METRICS.flatMap(([c, title, unit]) => {
        const value = numbers(of, c);
        if (!value.some(v => Number.isFinite(v))) return [];
        const most = unit === "%" ? 100 : Math.max(...value.filter(Number.isFinite), 1e-9);
        return [el("figure", {}, el("figcaption", {}, `${title}, ${unit}`), chart(context, {
            height: 96,
            label: `${title} of ${names.length} nodes in ${unit} over time`,
            draw(d) {
                yAxis(d, most, digits);
                d.ctx.beginPath();
                d.ctx.rect(d.left, d.top, d.right - d.left, d.bottom - d.top);
                d.ctx.clip();
                d.ctx.lineWidth = names.length > 8 ? 0.8 : 1.5;
                for (const n of names) {
                    d.ctx.strokeStyle = category(d.theme, colour.get(n) ?? 0);
                    d.ctx.beginPath();
                    for (let i = 0; i < node.length; i++) {
                        if (node[i] !== n || !Number.isFinite(value[i])) continue;
                        const y = d.bottom - ((value[i] as number) / most) * (d.bottom - d.top);
                        d.ctx.lineTo(d.x(from[i] as number), y);
                        d.ctx.lineTo(d.x(to[i] as number), y);
                    }
                    d.ctx.stroke();
                }
            },
            at(_, t) {
                const lines = [`at ${seconds(t)}`];
                for (let i = 0; i < node.length && lines.length < 12; i++) if ((from[i] as number) <= t && (to[i] as number) > t) lines.push(`${digits(value[i] as number)} ${unit} ${node[i] ?? ""}`);
                return lines;
            },
        }))];
    });
    return [...charts, legend(names.slice(0, 16).map(n => ({ text: n ?? "(no name)", colour: t => category(t, colour.get(n) ?? 0) })))];
});
