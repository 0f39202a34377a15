// SPDX-License-Identifier: Apache-2.0
// Charts over the time of the run, on canvases, one below the other on the same axis: dragged over, they choose a range.
import { el } from "./dom";
import { theme, type Theme } from "./theme";
import type { Context } from "./view";
import { seconds } from "./words";

/** What a chart draws on. Times are seconds since the run began. */
export interface Drawing {
    ctx: CanvasRenderingContext2D;
    /** Of the plot, without its axes. */
    left: number;
    right: number;
    top: number;
    bottom: number;
    from_s: number;
    to_s: number;
    x(time_s: number): number;
    theme: Theme;
}

export interface Chart {
    height: number;
    /** What is seen, in words. */
    label: string;
    /** All of the run, also where a range is chosen, which is marked. */
    overview?: boolean;
    draw(d: Drawing): void;
    /** What lies at a place, a line each. */
    at?(d: Drawing, time_s: number, y: number): string[] | undefined;
    pick?(d: Drawing, time_s: number, y: number): void;
}

export const LEFT = 64;
const RIGHT = 12,
    AXIS = 20;

/** Round steps, at most `most` of them, from low to high. */
export function ticks(low: number, high: number, most: number): number[] {
    const raw = (high - low) / Math.max(1, most);
    if (!(raw > 0) || !Number.isFinite(raw)) return [low];
    const ten = 10 ** Math.floor(Math.log10(raw)),
        step = [1, 2, 5, 10].map(x => x * ten).find(x => x >= raw) ?? raw;
    const all: number[] = [];
    for (let i = Math.ceil(low / step - 1e-9) || 0; i * step <= high + step * 1e-9; i++) all.push(i * step + 0);
    return all;
}

/** The same for times: also in steps of minutes, hours and days. */
export function timeTicks(low: number, high: number, most: number): number[] {
    const raw = (high - low) / Math.max(1, most),
        step = [30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 172800].find(x => x >= raw);
    if (raw < 20 || step === undefined) return ticks(low, high, most);
    const all: number[] = [];
    for (let t = Math.ceil(low / step) * step; t <= high; t += step) all.push(t);
    return all;
}

/** A tick of an axis with such steps, which goes on until `end`; 2:30 are minutes and seconds. */
export function timeText(s: number, step: number, end: number): string {
    if (s < 0) return `-${timeText(-s, step, end)}`;
    const digitsOf = (x: number) => Math.min(12, Math.max(0, Math.ceil(-Math.log10(x) - 1e-9)));
    if (end < 1) {
        const [unit, of] = end >= 1e-3 ? (["ms", 1e-3] as const) : end >= 1e-6 ? (["us", 1e-6] as const) : (["ns", 1e-9] as const);
        return `${(s / of).toFixed(digitsOf(step / of))} ${unit}`;
    }
    const places = digitsOf(step);
    if (end < 120) return `${s.toFixed(places)} s`;
    const two = (x: number) => String(x).padStart(2, "0");
    if (end < 7200) return `${Math.floor((s + step * 1e-6) / 60)}:${Math.abs(s % 60 < step * 1e-6 || 60 - (s % 60) < step * 1e-6 ? 0 : s % 60).toFixed(places).padStart(places ? places + 3 : 2, "0")}`;
    const minutes = Math.round(s / 60);
    return `${Math.floor(minutes / 60)}:${two(minutes % 60)} h`;
}

const tip = el("div", { class: "tip", role: "presentation", hidden: true });

export function showTip(lines: readonly string[] | undefined, event?: PointerEvent): void {
    if (!event || !lines || lines.length === 0) {
        tip.hidden = true;
        return;
    }
    if (!tip.isConnected) (document.querySelector("main") ?? document.body).append(tip);
    tip.replaceChildren(...lines.map((line, i) => el(i === 0 ? "strong" : "div", {}, line)));
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - box.width - 8))}px`;
    tip.style.top = `${event.clientY + 18 + box.height > innerHeight ? Math.max(4, event.clientY - box.height - 12) : event.clientY + 18}px`;
}

/** Values on the left: lines across, with their numbers. */
export function yAxis(d: Drawing, most: number, text: (value: number) => string): void {
    const { ctx } = d;
    ctx.font = d.theme.font;
    ctx.textAlign = "right";
    ctx.textBaseline = "middle";
    for (const value of ticks(0, most, Math.max(1, (d.bottom - d.top) / 32))) {
        const y = Math.round(d.bottom - (value / most) * (d.bottom - d.top)) + 0.5;
        ctx.fillStyle = d.theme.grid;
        ctx.fillRect(d.left, y - 0.5, d.right - d.left, 1);
        ctx.fillStyle = d.theme.quiet;
        ctx.fillText(text(value), d.left - 6, y);
    }
}

function xAxis(d: Drawing): void {
    const { ctx } = d,
        at = timeTicks(d.from_s, d.to_s, (d.right - d.left) / 90),
        step = at.length > 1 ? (at[1] as number) - (at[0] as number) : d.to_s - d.from_s;
    ctx.fillStyle = d.theme.line;
    ctx.fillRect(d.left, d.bottom, d.right - d.left, 1);
    ctx.font = d.theme.font;
    ctx.textBaseline = "top";
    ctx.textAlign = "center";
    for (const t of at) {
        const x = Math.round(d.x(t));
        ctx.fillStyle = d.theme.line;
        ctx.fillRect(x, d.bottom, 1, 4);
        ctx.fillStyle = d.theme.quiet;
        const text = timeText(t, step, d.to_s),
            half = ctx.measureText(text).width / 2;
        ctx.fillText(text, Math.max(d.left + half - 4, Math.min(x, d.right + RIGHT - half)), d.bottom + 6);
    }
}

const redraws = new Set<() => void>();
const redraw = () => redraws.forEach(draw => draw());
for (const query of ["(prefers-color-scheme: dark)", "print", "screen and (max-width: 60rem)"])
    matchMedia(query).addEventListener("change", redraw);
for (const event of ["beforeprint", "afterprint"]) addEventListener(event, redraw);

/** When the colours change, or a window becomes narrow or wide. */
export const onLook = (draw: () => void): void => void redraws.add(draw);
/** Of the page that was there before. */
export const forgetLooks = (): void => redraws.clear();

export function chart(context: Context, of: Chart): HTMLElement {
    const { choice } = context,
        canvas = el("canvas", { role: "img", tabindex: 0, "aria-label": `${of.label}. Drag to choose a range of time; arrow keys move it, plus and minus change it, Escape takes it back.` }),
        box = el("div", { class: "chart" }, canvas);
    let last: Drawing | undefined, dragged: [number, number] | undefined, frame = 0;

    function drawing(ctx: CanvasRenderingContext2D, width: number): Drawing {
        const [from_s, to_s] = of.overview || !choice.now.range ? [0, context.end_s] : choice.now.range,
            right = width - RIGHT;
        return {
            ctx, left: LEFT, right, top: 6, bottom: of.height - AXIS, from_s, to_s, theme: theme(),
            x: t => LEFT + ((t - from_s) / (to_s - from_s || 1)) * (right - LEFT),
        };
    }

    function draw(): void {
        frame = 0;
        const width = box.clientWidth;
        if (width === 0) return;
        const scale = devicePixelRatio || 1;
        canvas.width = Math.round(width * scale);
        canvas.height = Math.round(of.height * scale);
        canvas.style.height = `${of.height}px`;
        const ctx = canvas.getContext("2d");
        if (!ctx) return;
        ctx.scale(scale, scale);
        const d = (last = drawing(ctx, width));
        xAxis(d);
        ctx.save();
        of.draw(d);
        ctx.restore();
        const marked = dragged ?? (of.overview ? choice.now.range : null);
        if (marked) {
            const [a, b] = [d.x(Math.min(...marked)), d.x(Math.max(...marked))];
            ctx.fillStyle = d.theme.veil;
            ctx.fillRect(d.left, d.top, a - d.left, d.bottom - d.top);
            ctx.fillRect(b, d.top, d.right - b, d.bottom - d.top);
            ctx.strokeStyle = d.theme.ink;
            ctx.strokeRect(a + 0.5, d.top + 0.5, Math.max(1, b - a - 1), d.bottom - d.top - 1);
        }
    }
    const later = () => (frame ||= requestAnimationFrame(draw));

    const time = (event: PointerEvent): number => {
        if (!last) return 0;
        const x = event.clientX - canvas.getBoundingClientRect().left,
            t = last.from_s + ((x - last.left) / (last.right - last.left)) * (last.to_s - last.from_s);
        return Math.max(last.from_s, Math.min(last.to_s, t));
    };
    const y = (event: PointerEvent) => event.clientY - canvas.getBoundingClientRect().top;

    canvas.addEventListener("pointerdown", event => {
        if (event.button !== 0) return;
        if (event.pointerType === "mouse") canvas.setPointerCapture(event.pointerId);
        dragged = [time(event), time(event)];
    });
    canvas.addEventListener("pointermove", event => {
        if (dragged) {
            dragged = [dragged[0], time(event)];
            later();
        }
        if (last) showTip(of.at?.(last, time(event), y(event)), event);
    });
    canvas.addEventListener("pointerup", event => {
        if (!dragged || !last) return;
        const [a, b] = [Math.min(...dragged), Math.max(...dragged)];
        dragged = undefined;
        if (last.x(b) - last.x(a) > 4) choice.set({ range: [a, b] });
        else {
            of.pick?.(last, time(event), y(event));
            later();
        }
    });
    for (const end of ["pointercancel", "pointerleave"])
        canvas.addEventListener(end, event => {
            showTip(undefined, event as PointerEvent);
            if (end === "pointercancel") dragged = undefined;
        });
    canvas.addEventListener("dblclick", () => choice.set({ range: null }));
    canvas.addEventListener("keydown", event => {
        const [a, b] = choice.now.range ?? [0, context.end_s],
            width = b - a,
            move = { ArrowLeft: -0.2, ArrowRight: 0.2 }[event.key],
            grow = { "+": 0.5, "=": 0.5, "-": 2, _: 2 }[event.key];
        if (move !== undefined) {
            const by = Math.max(-a, Math.min(context.end_s - b, move * width));
            choice.set({ range: choice.now.range ? [a + by, b + by] : null });
        } else if (grow !== undefined) {
            const half = (width * grow) / 2,
                middle = (a + b) / 2,
                range: [number, number] = [Math.max(0, middle - half), Math.min(context.end_s, middle + half)];
            choice.set({ range: range[0] === 0 && range[1] === context.end_s ? null : range });
        } else if (event.key === "Escape") choice.clear();
        else return;
        event.preventDefault();
    });

    onLook(draw);
    choice.on(later);
    canvas.style.height = `${of.height}px`;
    new ResizeObserver(later).observe(box);
    return box;
}

/** Colours and what they stand for; picked, where something is done with it. */
export function legend(entries: readonly { text: string; colour: (t: Theme) => string; value?: string; pick?: () => void }[]): HTMLElement {
    const ul = el("ul", { class: "legend" });
    const draw = () =>
        ul.replaceChildren(
            ...entries.map(e => {
                const swatch = el("i");
                swatch.style.background = e.colour(theme());
                const inside: Node[] = [swatch, el("bdi", {}, e.text), ...(e.value ? [el("span", { class: "quiet" }, e.value)] : [])];
                return el("li", {}, ...(e.pick ? [el("button", { type: "button", click: e.pick }, ...inside)] : inside));
            }),
        );
    onLook(draw);
    draw();
    return ul;
}

/** "at 12.3 s" */
export const at = (time_s: number): string => `at ${seconds(time_s)}`;
