// SPDX-License-Identifier: Apache-2.0
// Traced functions: a flame graph from the top down, by mouse and keys, and a table.
import { onLook, showTip } from "./chart";
import { figure, numbers, texts } from "./data";
import { el } from "./dom";
import { kept } from "./kept";
import { table } from "./table";
import { theme } from "./theme";
import { shows } from "./view";
import { digits, percent, seconds } from "./words";

const ROW = 18;

/** Always the same colour for a name, none of them loud. */
function colourOf(name: string, dark: boolean): string {
    let h = 0;
    for (let i = 0; i < name.length; i++) h = (h * 31 + name.charCodeAt(i)) >>> 0;
    return dark ? `hsl(${20 + (h % 40)} 45% ${32 + ((h >>> 8) % 10)}%)` : `hsl(${25 + (h % 35)} 85% ${72 + ((h >>> 8) % 12)}%)`;
}

shows("profile", [], (s, { index }) => {
    const functions = figure(s, "functions"),
        tree = figure(s, "tree");
    if (!functions) return undefined;
    const nodes: Node[] = [];
    if (tree) {
        const depth = numbers(tree, "depth"),
            from = numbers(tree, "from_s"),
            total = numbers(tree, "total_s"),
            own = numbers(tree, "exclusive_s"),
            calls = numbers(tree, "calls"),
            name = texts(tree, "name"),
            deepest = Math.min(40, Math.max(...depth)),
            whole = Math.max(...from.map((f, i) => f + (total[i] as number)), 1e-12),
            height = (deepest + 1) * ROW;
        const all: [number, number] = [0, whole];
        // those of each depth, from left to right
        const rows: number[][] = Array.from({ length: deepest + 1 }, () => []);
        depth.forEach((d, i) => rows[d]?.push(i));
        for (const row of rows) row.sort((a, b) => from[a]! - from[b]!);
        const end = (i: number) => from[i]! + total[i]!;
        let zoom = kept.get<[number, number]>(`flame ${index}`) ?? all,
            chosen = -1;
        const canvas = el("canvas", { role: "img", tabindex: 0, "aria-label": `Calls, from the outermost at the top, ${seconds(whole)} in all; the table below has the same by function. Arrow keys go to what it calls, to its caller and to those beside it; Enter or a click zooms, Escape shows all.` }),
            said = el("p", { class: "quiet note", "aria-live": "polite" }),
            box = el("div", { class: "chart flame" }, canvas);
        const to = (part: [number, number]) => {
            zoom = part;
            kept.set(`flame ${index}`, part === all ? undefined : part);
            draw();
        };
        const draw = () => {
            const width = box.clientWidth,
                scale = devicePixelRatio || 1,
                ctx = canvas.getContext("2d"),
                t = theme();
            if (!width || !ctx) return;
            canvas.width = width * scale;
            canvas.height = height * scale;
            canvas.style.height = `${height}px`;
            ctx.scale(scale, scale);
            ctx.font = t.font;
            ctx.textBaseline = "middle";
            for (let i = 0; i < depth.length; i++) {
                const a = (((from[i] as number) - zoom[0]) / (zoom[1] - zoom[0])) * width,
                    w = ((total[i] as number) / (zoom[1] - zoom[0])) * width;
                if ((depth[i] as number) > deepest || a + w < 0 || a > width || w < 0.3) continue;
                const x = Math.max(0, a),
                    shown = Math.min(a + w, width) - x,
                    y = (depth[i] as number) * ROW;
                ctx.fillStyle = colourOf(name[i] ?? "", t.dark);
                ctx.fillRect(x, y, Math.max(0.5, shown - 0.5), ROW - 1);
                if (shown > 30) {
                    ctx.save();
                    ctx.beginPath();
                    ctx.rect(x, y, shown - 2, ROW);
                    ctx.clip();
                    ctx.fillStyle = t.dark ? "#fff" : "#1b1f24";
                    ctx.fillText(name[i] ?? "", x + 4, y + ROW / 2);
                    ctx.restore();
                }
            }
            if (chosen >= 0) {
                const x = (t: number) => ((t - zoom[0]) / (zoom[1] - zoom[0])) * width,
                    a = Math.max(1, x(from[chosen]!));
                ctx.strokeStyle = t.ink;
                ctx.lineWidth = 2;
                ctx.strokeRect(a, depth[chosen]! * ROW + 1, Math.max(2, Math.min(width - 1, x(end(chosen))) - a), ROW - 2);
            }
        };
        const about = (i: number) => [name[i] ?? "", `${seconds(total[i]!)} with what it called, ${percent(total[i]! / whole)}`, `${seconds(own[i]!)} of its own, ${digits(calls[i]!)} ${calls[i] === 1 ? "call" : "calls"}`];
        /** What keys go to; what is seen moves along. */
        const choose = (i: number | undefined) => {
            if (i === undefined || i < 0) return;
            chosen = i;
            said.textContent = about(i).join(", ");
            const width = zoom[1] - zoom[0];
            if (total[i]! >= width) to([from[i]!, end(i)]);
            else if (from[i]! < zoom[0]) to([from[i]!, from[i]! + width]);
            else if (end(i) > zoom[1]) to([end(i) - width, end(i)]);
            else draw();
        };
        const step: Record<string, () => number | undefined> = {
            ArrowDown: () => (chosen < 0 ? rows[0]?.find(i => end(i) > zoom[0]) : rows[depth[chosen]! + 1]?.filter(i => from[i]! >= from[chosen]! && end(i) <= end(chosen) + 1e-12 * whole).sort((a, b) => total[b]! - total[a]!)[0]),
            ArrowUp: () => rows[depth[chosen]! - 1]?.find(i => end(i) > from[chosen]!),
            ArrowLeft: () => rows[depth[chosen] ?? 0]?.filter(i => end(i) <= (from[chosen] ?? 0) + 1e-12 * whole).pop(),
            ArrowRight: () => rows[depth[chosen] ?? 0]?.find(i => from[i]! >= (chosen < 0 ? zoom[0] : end(chosen) - 1e-12 * whole)),
        };
        const find = (event: PointerEvent | MouseEvent) => {
            const r = canvas.getBoundingClientRect(),
                row = Math.floor((event.clientY - r.top) / ROW),
                time = zoom[0] + ((event.clientX - r.left) / r.width) * (zoom[1] - zoom[0]);
            return depth.findIndex((d, i) => d === row && (from[i] as number) <= time && (from[i] as number) + (total[i] as number) >= time);
        };
        canvas.addEventListener("pointermove", event => {
            const i = find(event);
            showTip(i < 0 ? undefined : about(i), event);
        });
        canvas.addEventListener("pointerleave", event => showTip(undefined, event));
        canvas.addEventListener("click", event => {
            const i = find(event);
            to(i < 0 ? all : [from[i]!, from[i]! + total[i]!]);
        });
        canvas.addEventListener("keydown", event => {
            if (step[event.key]) choose(step[event.key]!());
            else if ((event.key === "Enter" || event.key === " ") && chosen >= 0) to([from[chosen]!, end(chosen)]);
            else if (event.key === "Escape" && (chosen >= 0 || zoom[0] > 0 || zoom[1] < whole)) {
                chosen = -1;
                said.textContent = "";
                to(all);
                event.stopPropagation();
            } else return;
            event.preventDefault();
        });
        onLook(draw);
        canvas.style.height = `${height}px`;
        new ResizeObserver(draw).observe(box);
        nodes.push(el("figure", {}, el("figcaption", {}, `paths of calls, from the outermost down, as wide as they took: ${seconds(whole)} in all threads`), box, said));
    }
    nodes.push(table(functions, { label: "Functions, the most exclusive time first", figure: "functions", run: index, most: 12, columns: functions.columns.filter(c => c !== "unfinished" || numbers(functions, c).some(n => n > 0)).map(name => ({ name, ...(name === "inclusive_s" ? { heading: "with what it called" } : name === "exclusive_s" ? { heading: "of its own" } : {}) })) }));
    return nodes;
});
