// SPDX-License-Identifier: Apache-2.0
// The timeline: lanes on a canvas, moved and searched by Perfetto's keys. What a frame costs follows from the pixels, not
// how many spans there are (track.ts). More than 600 lines, as what is drawn is what is pointed at.
import { cells } from "../report/cells";
import { onLook, showTip, timeText, timeTicks } from "../report/chart";
import { el } from "../report/dom";
import { kept } from "../report/kept";
import { table } from "../report/table";
import { category, kindColour, stateColour, theme, type Theme } from "../report/theme";
import type { Context } from "../report/view";
import { digits, seconds } from "../report/words";
import { details, type Told } from "./details";
import { Group, groups, Lane, modes, type Mode, type Times } from "./lanes";
import type { Spans } from "./spans";
import { lowerBound, Track } from "./track";

const LEFT = 168,
    TOP = 24,
    PATH = 14,
    HEAD = 20,
    ROW = 16,
    FOLDED = 26,
    AREA = 56,
    GAP = 3,
    MOST_TABLE = 500;

const HELP: readonly (readonly [string, string])[] = [
    ["w, s or wheel", "zoom in, out (the wheel once the timeline is clicked, or with Ctrl)"],
    ["a, d or drag", "move left, right"],
    ["← →", "the span before, after on its line"],
    ["↑ ↓", "the line above, below"],
    ["Enter, click", "what is known of a span"],
    ["f", "zoom to the span that is chosen; again: to all"],
    ["m", "mark the time of the span, or of what is measured"],
    ["Shift and drag", "measure"],
    ["/", "search; n, Shift+n: the next, the one before"],
    ["Space", "fold or unfold the lane"],
    ["Escape", "take back"],
    ["?", "these keys"],
];

/** What a line of the picture is. */
interface Line {
    y: number;
    height: number;
    group: Group;
    lane?: Lane;
    track?: Track;
}

type Range = [number, number];

interface Kept {
    mode: Mode;
    /** Which groups, and lanes of them, are unfolded. */
    open: Map<string, boolean>;
    mark: Range | null;
    search: string;
    /** undefined: all of the time. */
    view: Range | undefined;
    span: number | undefined;
    lineAt: number;
    top: number;
}

export class Timeline {
    readonly box: HTMLElement;
    /** Milliseconds that the last frames took, for who measures. */
    readonly cost: number[] = [];
    private readonly canvas = el("canvas", { tabindex: 0, role: "application", "aria-roledescription": "timeline", "aria-label": "Timeline. Arrow keys go from span to span, Enter tells what is known of one, w and s zoom, a and d move, slash searches, question mark tells the keys." });
    private readonly scroll = el("div", { class: "timeline-scroll" });
    private readonly spacer = el("div");
    private readonly said = el("p", { class: "timeline-said", "aria-live": "polite" });
    private readonly about = el("div", { class: "details timeline-details" });
    private readonly laneTable = el("div");
    private readonly found = el("span", { class: "quiet" });
    private readonly help = el("dl", { class: "timeline-help", hidden: true }, ...HELP.map(([key, what]) => el("div", {}, el("dt", {}, key), el("dd", {}, what))));
    private readonly search = el("input", { type: "search", placeholder: "Search: name, app, task, attribute", "aria-label": "Search spans" });

    private groups: Group[] = [];
    private lines: Line[] = [];
    view: Range;
    private readonly whole: Range;
    private chosen = -1;
    private related = new Map<number, string>();
    private lit: Uint8Array | null = null;
    private litVersion = 0;
    private hits: number[] = [];
    private mark: Range | null = null;
    private measured: Range | null = null;
    private lineAt = -1;
    private frame = 0;
    private telling: ReturnType<typeof setTimeout> | undefined;
    /** The report's range as last seen here. */
    private seen: readonly [number, number] | null = null;
    private width = 0;
    private hue: Uint8Array;
    private laneOf = new Map<number, Line>();
    private path: { from: Float64Array; to: Float64Array; span: (number | undefined)[]; state: (string | null)[]; text: string[] };
    private onPath = new Map<number, Range[]>();

    constructor(readonly spans: Spans, private mode: Mode, private readonly context: Context, private readonly told: Told, path: Timeline["path"], private readonly ran: Times = spans) {
        this.whole = [0, Math.max(context.end_s, spans.end_s) || 1];
        this.view = this.whole;
        this.path = path;
        path.span.forEach((i, k) => {
            if (i === undefined) return;
            const parts = this.onPath.get(i) ?? [];
            parts.push([path.from[k]!, path.to[k]!]);
            this.onPath.set(i, parts);
        });
        // colours: an app's, a function's, or that of the kind
        const kinds = new Map<string, number>();
        this.hue = new Uint8Array(spans.all);
        for (let i = 0; i < spans.n; i++) {
            if (spans.app[i]! >= 0) this.hue[i] = 1 + (spans.app[i]! % 100);
            else {
                const name = spans.type[i] === "trace.call" ? spans.label(i) : `.${spans.type[i]}`;
                if (name.startsWith(".")) this.hue[i] = 0;
                else {
                    if (!kinds.has(name)) kinds.set(name, kinds.size);
                    this.hue[i] = 1 + (kinds.get(name)! % 100);
                }
            }
        }
        this.scroll.append(this.canvas, this.spacer);
        const all = modes(spans),
            choose = el("select", { "aria-label": "Lanes by", change: () => this.by(choose.value as Mode) }, ...all.map(m => el("option", { value: m, selected: m === mode }, `lanes by ${m}`))),
            button = (text: string, label: string, click: () => void) => el("button", { type: "button", "aria-label": label, title: label, click }, text);
        this.search.addEventListener("input", () => this.find(this.search.value));
        this.search.addEventListener("keydown", event => {
            if (event.key === "Enter") this.next(event.shiftKey ? -1 : 1);
            else if (event.key === "Escape") {
                this.search.value = "";
                this.find("");
                this.canvas.focus();
            } else return;
            event.preventDefault();
            event.stopPropagation();
        });
        this.box = el("figure", { class: "timeline" },
            el("div", { class: "timeline-bar" }, choose, this.search, button("↑", "the match before (Shift+n)", () => this.next(-1)), button("↓", "the next match (n)", () => this.next(1)), this.found,
                button("+", "zoom in (w)", () => this.zoom(0.5)), button("−", "zoom out (s)", () => this.zoom(2)), button("all", "all of the time (f)", () => this.go(this.whole)), button("?", "keys", () => this.toggleHelp())),
            this.help, this.scroll, this.said, this.about,
            el("details", { class: "behind", toggle: () => this.drawTable() }, el("summary", {}, "The lane as a table"), this.laneTable));
        this.by(mode);
        this.listen();
        this.again(choose);
        kept.leave(() => this.keep());
    }

    private get name(): string {
        return `timeline ${this.context.index} ${this.spans.n > 0 && this.spans.id[0]! < 0 ? "bins" : "spans"}`;
    }

    /** As it was left, where the page was made anew: spans are known by their ids. */
    private again(choose: HTMLSelectElement): void {
        const was = kept.get<Kept>(this.name);
        if (was) {
            if (was.mode !== this.mode && [...choose.options].some(o => o.value === was.mode)) this.by((choose.value = was.mode) as Mode);
            for (const g of this.groups) {
                g.open = was.open.get(g.label) ?? g.open;
                for (const l of g.lanes) l.open = was.open.get(`${g.label}\n${l.label}`) ?? l.open;
            }
            this.layout();
            this.mark = was.mark;
            this.search.value = was.search;
            if (was.view) this.go(was.view, false);
            this.seen = this.context.choice.now.range;
            this.find(was.search);
            const i = was.span === undefined ? undefined : this.spans.find(was.span);
            if (i !== undefined) this.choose(i, false, false);
            this.lineAt = was.lineAt;
            requestAnimationFrame(() => (this.scroll.scrollTop = was.top));
        } else {
            this.answer();
            const part = this.context.choice.now.range ? undefined : this.stretch();
            if (!part) return;
            this.go(part, false);
            this.box.insertBefore(el("p", { class: "quiet note" }, `Spans lie in stretches that are far apart, in ${seconds(this.whole[1])}: this is the one with most of them, from ${seconds(Math.max(0, part[0]))} on. All: f, or `,
                el("button", { type: "button", click: () => this.go(this.whole) }, "all of the time")), this.scroll);
        }
    }

    /** Of spans with nothing between them for nearly all of the time, as of clocks that have nothing to do with each other, the stretch with most; undefined: they are not such. */
    private stretch(): Range | undefined {
        const { from, to, n } = this.spans,
            order = Array.from({ length: n }, (_, i) => i).sort((a, b) => from[a]! - from[b]!),
            parts: { from: number; to: number; n: number }[] = [],
            far = (this.whole[1] - this.whole[0]) * 0.3;
        for (const i of order) {
            const last = parts[parts.length - 1];
            if (last && from[i]! - last.to <= far) {
                last.to = Math.max(last.to, to[i]!);
                last.n++;
            } else parts.push({ from: from[i]!, to: to[i]!, n: 1 });
        }
        const most = parts.reduce<(typeof parts)[number] | undefined>((best, p) => (!best || p.n > best.n ? p : best), undefined);
        if (!most || parts.length < 2 || most.to - most.from > far / 100) return undefined;
        const edge = Math.max((most.to - most.from) * 0.02, 1e-6);
        return [most.from - edge, most.to + edge];
    }

    private keep(): void {
        const open = new Map<string, boolean>();
        for (const g of this.groups) {
            open.set(g.label, g.open);
            for (const l of g.lanes) open.set(`${g.label}\n${l.label}`, l.open);
        }
        const all = this.view[0] <= this.whole[0] && this.view[1] >= this.whole[1];
        kept.set(this.name, {
            mode: this.mode, open, mark: this.mark, search: this.search.value, view: all ? undefined : this.view, span: this.chosen < 0 ? undefined : this.spans.id[this.chosen],
            lineAt: this.lineAt, top: this.scroll.scrollTop,
        } satisfies Kept);
    }

    private by(mode: Mode): void {
        this.mode = mode;
        this.groups = groups(this.spans, this.mode, this.ran);
        this.lineAt = -1;
        this.layout();
    }

    /** Where each line is. */
    private layout(): void {
        this.lines = [];
        this.laneOf.clear();
        let y = 0;
        const line = (height: number, of: Omit<Line, "y" | "height">): Line => {
            const l = { y, height, ...of };
            this.lines.push(l);
            y += height;
            return l;
        };
        for (const group of this.groups) {
            line(group.open ? HEAD : FOLDED, { group });
            if (!group.open) continue;
            for (const lane of group.lanes) {
                const tracks = lane.open ? lane.tracks : undefined;
                if (!tracks?.length) {
                    const l = line(lane.open && !tracks ? AREA : lane.open ? ROW : FOLDED, { group, lane });
                    if (lane.holder >= 0) this.laneOf.set(lane.holder, l);
                } else for (const track of tracks) {
                    const l = line(ROW, { group, lane, track });
                    if (track === tracks[0] && lane.holder >= 0) this.laneOf.set(lane.holder, l);
                    for (const i of track.items) this.laneOf.set(i, l);
                }
                y += GAP;
            }
        }
        const height = Math.max(120, Math.min(y + TOP + PATH + 8, Math.round(innerHeight * 0.7)));
        this.scroll.style.height = `${height + 2}px`;
        this.canvas.style.height = `${height}px`;
        this.spacer.style.height = `${Math.max(0, y + TOP + PATH + 8 - height)}px`;
        this.later();
    }

    // ---- time ----

    private x(t: number): number {
        return LEFT + ((t - this.view[0]) / (this.view[1] - this.view[0])) * (this.width - LEFT);
    }

    private time(x: number): number {
        return this.view[0] + ((x - LEFT) / (this.width - LEFT)) * (this.view[1] - this.view[0]);
    }

    /** Shows a range of time, and tells the report once it rests. */
    go(to: Range, tell = true): void {
        const whole = this.whole[1] - this.whole[0],
            width = Math.max(whole * 1e-9, 1e-9, Math.min(whole, to[1] - to[0])),
            from = Math.max(this.whole[0], Math.min(to[0], this.whole[1] - width));
        this.view = width >= whole * (1 - 1e-9) ? this.whole : [from, from + width];
        this.later();
        if (!tell) return;
        clearTimeout(this.telling);
        this.telling = setTimeout(() => {
            const all = this.view[0] <= this.whole[0] && this.view[1] >= this.whole[1];
            this.context.choice.set({ range: (this.seen = all ? null : this.view) });
        }, 250);
    }

    zoom(by: number, at = (this.view[0] + this.view[1]) / 2): void {
        this.go([at - (at - this.view[0]) * by, at + (this.view[1] - at) * by]);
    }

    move(by: number): void {
        const w = this.view[1] - this.view[0];
        this.go([this.view[0] + by * w, this.view[1] + by * w]);
    }

    // ---- what is found, and lit ----

    find(words: string): void {
        const s = this.spans,
            word = words.trim().toLowerCase();
        this.hits = [];
        if (word) {
            const told = this.told.matching(word);
            for (let i = 0; i < s.n; i++)
                if (s.label(i).toLowerCase().includes(word) || s.type[i]!.toLowerCase().includes(word) || s.key[i]!.toLowerCase() === word || told?.has(s.id[i]!)) this.hits.push(i);
        }
        // what is on lanes that are unfolded is seen at once
        this.hits.sort((a, b) => Number(this.laneOf.has(b)) - Number(this.laneOf.has(a)) || s.from[a]! - s.from[b]!);
        this.found.textContent = word ? (this.hits.length ? `${this.hits.length.toLocaleString("en-US")} found` : "nothing found") : "";
        this.light();
    }

    private light(): void {
        const { app, executor } = this.context.choice.now,
            word = this.search.value.trim() !== "";
        this.litVersion++;
        if (!word && app === null && executor === null) this.lit = null;
        else {
            const s = this.spans,
                want = app === null ? -2 : app === "" ? -1 : s.apps.indexOf(app),
                of = cells(this.context.run);
            this.lit = new Uint8Array(s.all);
            if (word) for (const i of this.hits) this.lit[i] = 1;
            else this.lit.fill(1);
            if (want !== -2) for (let i = 0; i < s.n; i++) if (s.app[i] !== want || (want === -1 && s.task[i]! < 0)) this.lit[i] = 0;
            if (executor !== null)
                for (let i = 0; i < s.n; i++) {
                    const t = s.task[i]!,
                        row = t < 0 ? undefined : of.find(s.key[t]!);
                    if (row === undefined || (of.executor[row] ?? "") !== executor) this.lit[i] = 0;
                }
        }
        this.later();
    }

    next(step: number): void {
        if (!this.hits.length) return;
        const at = this.hits.indexOf(this.chosen),
            to = at < 0 ? (step > 0 ? 0 : this.hits.length - 1) : (at + step + this.hits.length) % this.hits.length;
        this.choose(this.hits[to]!, true);
        this.found.textContent = `${(to + 1).toLocaleString("en-US")} of ${this.hits.length.toLocaleString("en-US")}`;
    }

    // ---- what is chosen ----

    /** A span by its index, -1: none. */
    choose(i: number, show = false, tell = true): void {
        const s = this.spans;
        this.chosen = i;
        this.related.clear();
        if (i < 0) {
            this.about.replaceChildren();
            this.said.textContent = "";
            if (tell && this.context.choice.now.task) this.context.choice.set({ task: null });
        } else {
            const add = (of: Iterable<number>, how: string) => {
                for (const k of of) if (k !== i && !this.related.has(k)) this.related.set(k, how);
            };
            add(s.facets.of(i), "facet");
            add(s.parents.of(i), "around");
            add(s.children.of(i), "inside");
            add(s.after.of(i), "waited for");
            add(s.before.of(i), "waits for it");
            add(s.flows.of(i), "to");
            add(s.flowsFrom.of(i), "from");
            this.said.textContent = `${s.label(i)}, ${s.type[i]}, at ${seconds(s.from[i]!)}, ${seconds(s.to[i]! - s.from[i]!)} long`;
            this.about.replaceChildren(...details(s, i, this.told, this.context, k => {
                this.choose(k, true);
                this.canvas.focus({ preventScroll: true });
            }, () => {
                this.choose(-1);
                this.canvas.focus({ preventScroll: true });
            }));
            const l = this.laneOf.get(i);
            if (l) this.lineAt = this.lines.indexOf(l);
            if (show) this.show(i, tell);
            const t = s.task[i]!;
            if (tell && t >= 0 && s.key[t] !== "") this.context.choice.set({ task: { run: this.context.index, task: s.key[t]! } });
        }
        this.later();
    }

    /** Unfolds its lane, and moves it into sight; in time, too, unless the page has chosen it: then it keeps the range that it has chosen. */
    private show(i: number, move: boolean): void {
        const s = this.spans;
        if (!(s.from[i]! >= 0 || s.from[i]! < 0)) return;
        if (!this.laneOf.has(i))
            for (const g of this.groups)
                for (const l of g.lanes)
                    if (l.items.includes(i) && (!g.open || !l.open)) {
                        g.open = true;
                        l.open = true;
                        this.layout();
                    }
        const line = this.laneOf.get(i);
        if (line) this.reveal(line);
        if (!move) return;
        const w = this.view[1] - this.view[0],
            { from, to } = this.drawn(i);
        if (from < this.view[0] || to > this.view[1]) {
            const half = Math.max(w, (to - from) * 1.2) / 2,
                middle = (from + to) / 2;
            this.go([middle - half, middle + half]);
        }
    }

    /** When a span is there on the lane that it is on. */
    private drawn(i: number): { from: number; to: number } {
        const of = this.laneOf.get(i)?.lane?.holder === undefined || this.laneOf.get(i)!.lane!.holder < 0 ? this.spans : this.ran;
        return { from: of.from[i]!, to: of.to[i]! };
    }

    private reveal(line: Line): void {
        const room = this.scroll.clientHeight - TOP - PATH,
            y = this.scroll.scrollTop;
        if (line.y < y) this.scroll.scrollTop = line.y - 8;
        else if (line.y + line.height > y + room) this.scroll.scrollTop = line.y + line.height - room + 8;
    }

    private at(x: number, y: number): { line?: Line; span: number } {
        const top = y - TOP - PATH + this.scroll.scrollTop;
        if (y < TOP) return { span: -1 };
        if (y < TOP + PATH) {
            const k = lowerBound(this.path.to, this.time(x));
            return { span: x > LEFT && k < this.path.from.length && this.path.from[k]! <= this.time(x) ? this.path.span[k] ?? -1 : -1 };
        }
        const line = this.lines.find(l => l.y <= top && top < l.y + l.height);
        if (!line) return { span: -1 };
        if (!line.track || x < LEFT) return { line, span: -1 };
        // what begins within two pixels counts, too: spans are often narrower
        const t = this.time(x),
            px = (this.view[1] - this.view[0]) / Math.max(1, this.width - LEFT),
            { from, items } = line.track,
            k = line.track.first(t - 2 * px);
        let best = -1,
            near = 2.5 * px;
        for (let i = k; i < items.length && from[i]! <= t + 2 * px && i < k + 64; i++) {
            const d = Math.max(0, from[i]! - t, t - line.track.to[i]!);
            if (d < near || best < 0) {
                near = d;
                best = items[i]!;
                if (d === 0) break;
            }
        }
        if (best < 0 && line.lane && line.lane.there[0] <= t && t <= line.lane.there[1]) best = line.lane.holder;
        return { line, span: best };
    }

    private fold(line: Line | undefined): void {
        if (!line) return;
        if (line.lane) line.lane.open = !line.lane.open;
        else line.group.open = !line.group.open;
        const { group, lane } = line;
        this.layout();
        this.lineAt = this.lines.findIndex(l => l.group === group && l.lane === lane);
    }

    private step(by: number): void {
        const line = this.lines[this.lineAt];
        let track = line?.track;
        if (!track) {
            this.lineAt = this.lines.findIndex((l, k) => l.track && (k >= this.lineAt || this.lineAt < 0));
            track = this.lines[this.lineAt]?.track;
        }
        if (!track) return;
        const now = track.items.indexOf(this.chosen),
            to = now < 0 ? Math.min(track.items.length - 1, track.first(this.view[0])) : now + by;
        if (to >= 0 && to < track.items.length) this.choose(track.items[to]!, true);
    }

    private row(by: number): void {
        const to = Math.max(0, Math.min(this.lines.length - 1, this.lineAt + by)),
            line = this.lines[to];
        if (!line) return;
        this.lineAt = to;
        this.reveal(line);
        if (line.track && this.chosen >= 0) {
            const middle = Math.max(this.view[0], Math.min(this.view[1], (this.spans.from[this.chosen]! + this.spans.to[this.chosen]!) / 2));
            const k = Math.min(line.track.items.length - 1, line.track.first(middle));
            this.choose(line.track.items[k]!, false);
            this.lineAt = to;
        } else {
            const n = line.lane ? line.lane.items.length : line.group.n;
            this.said.textContent = `${line.lane ? `${line.group.label}, ${line.lane.label}` : line.group.label}: ${digits(n)} spans${line.lane ? "" : `, ${line.group.open ? "unfolded" : "folded"}`}`;
        }
        this.drawTable();
        this.later();
    }

    private toggleHelp(): void {
        this.help.hidden = !this.help.hidden;
    }

    private listen(): void {
        const { canvas, scroll } = this,
            { choice } = this.context;
        let drag: { x: number; y: number; view: Range; top: number; moved: boolean; measure: boolean } | undefined,
            focused = false;
        canvas.addEventListener("focus", () => (focused = true));
        canvas.addEventListener("blur", () => (focused = false));
        canvas.addEventListener("pointerdown", event => {
            if (event.button !== 0) return;
            canvas.setPointerCapture(event.pointerId);
            drag = { x: event.offsetX, y: event.offsetY, view: this.view, top: scroll.scrollTop, moved: false, measure: event.shiftKey };
            if (event.shiftKey) this.measured = [this.time(event.offsetX), this.time(event.offsetX)];
        });
        canvas.addEventListener("pointermove", event => {
            if (!drag) {
                const { line, span } = this.at(event.offsetX, event.offsetY);
                canvas.style.cursor = event.offsetX < LEFT && line ? "pointer" : span >= 0 ? "pointer" : "grab";
                showTip(this.tip(event.offsetX, event.offsetY, span, line), event);
                return;
            }
            showTip(undefined, event);
            const dx = event.offsetX - drag.x,
                dy = event.offsetY - drag.y;
            drag.moved ||= Math.hypot(dx, dy) > 4;
            if (drag.measure) {
                this.measured = [this.measured?.[0] ?? 0, this.time(event.offsetX)];
                this.later();
            } else if (drag.moved) {
                const by = (dx / (this.width - LEFT)) * (drag.view[1] - drag.view[0]);
                this.go([drag.view[0] - by, drag.view[1] - by]);
                scroll.scrollTop = drag.top - dy;
                canvas.style.cursor = "grabbing";
            }
        });
        canvas.addEventListener("pointerup", event => {
            const was = drag;
            drag = undefined;
            if (!was || was.moved || was.measure) return;
            const { line, span } = this.at(event.offsetX, event.offsetY);
            if (line) this.lineAt = this.lines.indexOf(line);
            if (line && (event.offsetX < LEFT || (!line.track && span < 0))) this.fold(line);
            else this.choose(span);
            this.drawTable();
        });
        canvas.addEventListener("pointercancel", () => (drag = undefined));
        canvas.addEventListener("pointerleave", event => showTip(undefined, event));
        canvas.addEventListener("dblclick", event => {
            const { span } = this.at(event.offsetX, event.offsetY);
            if (span >= 0) this.focusOn(span);
        });
        canvas.addEventListener("wheel", event => {
            if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.move((event.deltaX || event.deltaY) / 1000);
            else if (event.ctrlKey || event.metaKey || focused) this.zoom(Math.exp(Math.max(-120, Math.min(120, event.deltaY)) / 300), this.time(Math.max(LEFT, event.offsetX)));
            else return;
            event.preventDefault();
        }, { passive: false });
        scroll.addEventListener("scroll", () => this.later());
        // keys are the timeline's wherever the focus is in it
        const key = (event: KeyboardEvent) => {
            if (event.ctrlKey || event.metaKey || event.altKey) return;
            const on = event.target as HTMLElement;
            if (on !== canvas && (/^(INPUT|SELECT|TEXTAREA)$/.test(on.tagName) || ([" ", "Enter"].includes(event.key) && /^(BUTTON|SUMMARY)$/.test(on.tagName)) || event.key.startsWith("Arrow"))) return;
            if (event.key === "Escape" && on !== canvas && this.about.contains(on)) {
                this.choose(-1);
                canvas.focus({ preventScroll: true });
                event.preventDefault();
                event.stopPropagation();
                return;
            }
            const act: Record<string, () => void> = {
                w: () => this.zoom(0.7), s: () => this.zoom(1 / 0.7), a: () => this.move(-0.15), d: () => this.move(0.15), "+": () => this.zoom(0.7), "-": () => this.zoom(1 / 0.7),
                ArrowLeft: () => this.step(-1), ArrowRight: () => this.step(1), ArrowUp: () => this.row(-1), ArrowDown: () => this.row(1),
                f: () => this.focusOn(this.chosen), m: () => this.setMark(), "/": () => this.search.focus(), n: () => this.next(1), N: () => this.next(-1), "?": () => this.toggleHelp(),
                Enter: () => (this.chosen >= 0 ? this.about.querySelector<HTMLElement>("button, h3")?.focus() : this.fold(this.lines[this.lineAt])),
                " ": () => this.fold(this.lines[this.lineAt]),
                Escape: () => this.back(),
            };
            const it = act[event.key] ?? (event.key.length === 1 && event.key !== "N" ? act[event.key.toLowerCase()] : undefined);
            if (!it) return;
            showTip(undefined);
            it();
            event.preventDefault();
            event.stopPropagation();
        };
        this.box.addEventListener("keydown", key);
        choice.on(() => this.answer());
        onLook(() => this.draw()); // a page that is printed has no later frame
        new ResizeObserver(() => this.later()).observe(this.scroll);
    }

    /** Shows what is chosen on the page. */
    private answer(): void {
        const { range, task } = this.context.choice.now;
        if (range !== this.seen) {
            this.seen = range;
            this.go(range ? [range[0], range[1]] : this.whole, false);
        }
        if (!task) {
            if (this.chosen >= 0 && this.spans.task[this.chosen]! >= 0) this.choose(-1, false, false);
        } else if (task.run === this.context.index) {
            const now = this.chosen >= 0 ? this.spans.task[this.chosen]! : -1;
            if (now < 0 || this.spans.key[now] !== task.task) {
                const i = this.ofTask(task.task);
                if (i >= 0) this.choose(i, true, false);
            }
        }
        this.light();
    }

    /** Of a task's spans the one that is on the first lanes. */
    private ofTask(key: string): number {
        const s = this.spans;
        let any = -1;
        for (let i = 0; i < s.n; i++) {
            const t = s.task[i]!;
            if (t < 0 || s.key[t] !== key) continue;
            if (this.laneOf.has(i)) return i;
            if (any < 0) any = i;
        }
        return any;
    }

    focusOn(i: number): void {
        if (i < 0) return this.go(this.whole);
        const { from, to } = this.drawn(i),
            length = Math.max(to - from, (this.whole[1] - this.whole[0]) * 1e-7),
            want: Range = [from - length * 0.1, from + length * 1.1],
            is = Math.abs(this.view[1] - this.view[0] - (want[1] - want[0])) < length * 0.01;
        this.go(is ? this.whole : want);
    }

    private setMark(): void {
        const s = this.spans,
            of: Range | null = this.measured ? [Math.min(...this.measured), Math.max(...this.measured)] : this.chosen >= 0 ? [s.from[this.chosen]!, s.to[this.chosen]!] : null;
        this.mark = this.mark && of && this.mark[0] === of[0] && this.mark[1] === of[1] ? null : of;
        if (this.mark) this.said.textContent = `marked: ${seconds(this.mark[0])} to ${seconds(this.mark[1])}, ${seconds(this.mark[1] - this.mark[0])}`;
        this.later();
    }

    private back(): void {
        if (this.measured) this.measured = null;
        else if (this.chosen >= 0) this.choose(-1);
        else if (this.mark) this.mark = null;
        else if (this.search.value) {
            this.search.value = "";
            this.find("");
        } else this.go(this.whole);
        this.later();
    }

    private tip(x: number, y: number, i: number, line: Line | undefined): string[] | undefined {
        const s = this.spans;
        if (y >= TOP && y < TOP + PATH && x > LEFT) {
            const k = lowerBound(this.path.to, this.time(x));
            return k < this.path.from.length && this.path.from[k]! <= this.time(x) ? ["critical path", this.path.text[k]!, seconds(this.path.to[k]! - this.path.from[k]!)] : undefined;
        }
        if (i >= 0) {
            const count = s.count[i]!,
                { from, to } = this.drawn(i);
            return [s.label(i), `${seconds(s.to[i]! - s.from[i]!)} at ${seconds(s.from[i]!)}`, ...(to - from < (s.to[i]! - s.from[i]!) * 0.999 ? [`${seconds(to - from)} of it here, at ${seconds(from)}`] : []), ...(count > 1 ? [`${digits(100 * s.share[i]!)} % of it busy`] : [s.type[i]!])];
        }
        if (!line) return undefined;
        const name = line.lane ? `${line.group.label} · ${line.lane.label}` : line.group.label;
        if (x < LEFT) return [name, `${digits(line.lane ? line.lane.items.length : line.group.n)} spans`];
        if (line.track) return undefined;
        const of = line.lane ?? line.group;
        return [name, `${digits(of.together.mean(this.time(x - 0.5), this.time(x + 0.5)))} at once, at most ${digits(of.together.most)}`];
    }

    /** The lane of the line that is chosen, for who cannot see it. */
    private drawTable(): void {
        const open = this.laneTable.parentElement as HTMLDetailsElement;
        if (!open.open) return;
        const lane = this.lines[this.lineAt]?.lane ?? this.groups.find(g => g.open)?.lanes[0];
        if (!lane) return this.laneTable.replaceChildren();
        const s = this.spans,
            here = Array.from(lane.items).filter(i => s.to[i]! >= this.view[0] && s.from[i]! <= this.view[1]),
            some = here.slice(0, MOST_TABLE),
            of = {
                rows: some.length, columns: ["span", "type", "from_s", "length_s"],
                data: { span: some.map(i => s.label(i)), type: some.map(i => s.type[i]!), from_s: some.map(i => s.from[i]!), length_s: some.map(i => s.to[i]! - s.from[i]!) },
            };
        this.laneTable.replaceChildren(
            el("p", { class: "quiet" }, `${lane.label}: ${digits(here.length)} spans from ${seconds(this.view[0])} to ${seconds(this.view[1])}${here.length > some.length ? `; the first ${MOST_TABLE}` : ""}.`),
            table(of, { label: `Spans of ${lane.label}`, figure: "timeline.lane", most: 20, pick: row => this.choose(some[row]!, true), picks: "Show this span" }));
    }

    // ---- drawing ----

    later(): void {
        this.frame ||= requestAnimationFrame(() => {
            const begin = performance.now();
            this.frame = 0;
            this.draw();
            this.cost.push(performance.now() - begin);
            if (this.cost.length > 600) this.cost.splice(0, 300);
        });
    }

    private draw(): void {
        const width = this.scroll.clientWidth,
            height = this.scroll.clientHeight,
            scale = devicePixelRatio || 1,
            { canvas } = this;
        if (!width) return;
        if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
            canvas.width = Math.round(width * scale);
            canvas.height = Math.round(height * scale);
        }
        const c = canvas.getContext("2d", { alpha: false });
        if (!c) return;
        this.width = width - 10;
        const t = theme(),
            top = this.scroll.scrollTop,
            y0 = TOP + PATH;
        c.setTransform(scale, 0, 0, scale, 0, 0);
        c.fillStyle = t.paper;
        c.fillRect(0, 0, width, height);
        c.font = t.font;
        c.textBaseline = "middle";
        const ticks = timeTicks(this.view[0], this.view[1], (this.width - LEFT) / 100),
            step = ticks.length > 1 ? ticks[1]! - ticks[0]! : this.view[1] - this.view[0];
        c.fillStyle = t.grid;
        for (const tick of ticks) c.fillRect(Math.round(this.x(tick)), TOP, 1, height - TOP);

        c.save();
        c.beginPath();
        c.rect(0, y0, width, height - y0);
        c.clip();
        const colours = [t.dark ? "#55606e" : "#b9c0c8", ...Array.from({ length: 100 }, (_, k) => category(t, k))],
            first = this.lines.findIndex(l => l.y + l.height + GAP > top);
        for (let k = Math.max(0, first); k < this.lines.length; k++) {
            const l = this.lines[k]!,
                y = l.y - top + y0;
            if (y > height) break;
            if (k === this.lineAt) {
                c.fillStyle = t.dark ? "#ffffff0c" : "#0000000a";
                c.fillRect(0, y, width, l.height);
            }
            const there = l.lane?.open ? l.lane.there : undefined;
            if (there && there[0] <= this.view[1] && there[1] >= this.view[0]) {
                const left = Math.max(LEFT, this.x(there[0]));
                c.fillStyle = t.grid;
                c.fillRect(left, y, Math.min(this.width, this.x(there[1])) - left, l.height);
            }
            if (l.track) this.drawTrack(c, t, l.track, y + 1, l.height - 2, colours);
            else if (l.lane ? l.lane.items.length > 0 : !l.group.open) this.drawArea(c, t, l, y + 2, l.height - 4);
        }
        this.drawRelations(c, t, top, y0);
        c.restore();
        this.drawLabels(c, t, top, y0, height, width);
        this.drawTop(c, t, ticks, step, height);
    }

    private drawTrack(c: CanvasRenderingContext2D, t: Theme, of: Track, y: number, h: number, colours: string[]): void {
        const { items, from, to, sum } = of,
            { lit, hue, spans } = this,
            [a, b] = this.view,
            per = (this.width - LEFT) / (b - a),
            n = items.length,
            dim = 0.13;
        let i = of.first(a);
        while (i < n && from[i]! <= b) {
            const item = items[i]!,
                x0 = LEFT + (from[i]! - a) * per,
                x1 = LEFT + (to[i]! - a) * per;
            if (x1 - x0 >= 1.5) {
                const left = Math.max(LEFT, x0),
                    right = Math.min(this.width, x1),
                    share = spans.share[item] ?? 1;
                c.globalAlpha = lit && !lit[item] ? dim : share < 1 ? 0.25 + 0.75 * share : 1;
                c.fillStyle = colours[hue[item]!]!;
                c.fillRect(left, y, Math.max(0.8, right - left - (right - left > 4 && x1 <= this.width ? 0.8 : 0)), h);
                if (right - left > 34 && h >= 11) {
                    c.fillStyle = hue[item] ? "#fff" : t.ink;
                    if (hue[item]) c.fillStyle = inkOn(colours[hue[item]!]!);
                    c.textAlign = "left";
                    c.fillText(this.named(c, item, right - left - 6), left + 3, y + h / 2 + 0.5);
                }
                const on = this.onPath.get(item);
                if (on) {
                    c.globalAlpha = 1;
                    c.fillStyle = t.bad;
                    for (const [p, q] of on) c.fillRect(Math.max(LEFT, this.x(p)), y + h - 2, Math.max(1, Math.min(this.width, this.x(q)) - Math.max(LEFT, this.x(p))), 2.5);
                }
                i++;
                continue;
            }
            // all that lies within this pixel together: those of a track do not overlap, so only the last may reach beyond it
            const px = Math.floor(x0),
                edge = a + (px + 1 - LEFT) / per;
            let j = gallop(from, i + 1, edge);
            if (j - 1 > i && to[j - 1]! > edge + 0.5 / per) j--;
            const cover = Math.min(1, (sum[j]! - sum[i]!) * per),
                bright = !lit || of.anyLit(i, j, lit, this.litVersion);
            c.globalAlpha = bright ? 0.35 + 0.65 * cover : dim * (0.35 + 0.65 * cover);
            c.fillStyle = colours[hue[item]!]!;
            if (px >= LEFT) c.fillRect(px, y, 1, h);
            i = j;
        }
        c.globalAlpha = 1;
    }

    /** As much of its name as fits; of a task no part of its number, which would be another task. */
    private named(c: CanvasRenderingContext2D, i: number, width: number): string {
        const label = this.spans.label(i),
            task = /^task [^ ]+/.exec(label)?.[0];
        if (task === undefined || fits(c, label, width)) return fitting(c, label, width);
        if (c.measureText(`${task} (…`).width <= width) return fitting(c, label, width);
        return [task, task.slice(5)].find(text => fits(c, text, width)) ?? "";
    }

    private drawArea(c: CanvasRenderingContext2D, t: Theme, l: Line, y: number, h: number): void {
        const of = (l.lane ?? l.group).together,
            most = Math.max(1, of.most);
        c.fillStyle = t.dark ? "#4a7290" : "#9cc3dd";
        c.beginPath();
        c.moveTo(LEFT, y + h);
        let before = this.time(LEFT);
        for (let x = LEFT; x < this.width; x++) {
            const after = this.time(x + 1),
                v = of.mean(before, after);
            c.lineTo(x, y + h - (v / most) * h);
            c.lineTo(x + 1, y + h - (v / most) * h);
            before = after;
        }
        c.lineTo(this.width, y + h);
        c.fill();
        c.fillStyle = t.quiet;
        c.textAlign = "right";
        c.fillText(`${digits(most)} at most`, this.width - 4, y + 7);
    }

    /** What belongs to the span that is chosen: outlined, and lines to it. */
    private drawRelations(c: CanvasRenderingContext2D, t: Theme, top: number, y0: number): void {
        const boxOf = (i: number): [number, number, number, number] | undefined => {
                const l = this.laneOf.get(i);
                return l && [this.x(this.drawn(i).from), l.y - top + y0, this.x(this.drawn(i).to), l.height];
            },
            me = this.chosen < 0 ? undefined : boxOf(this.chosen);
        if (this.chosen < 0) return;
        c.save();
        c.beginPath();
        c.rect(LEFT, y0, this.width - LEFT, 1e5);
        c.clip();
        let drawn = 0;
        for (const [k, how] of this.related) {
            const b = boxOf(k);
            if (!b || ++drawn > 200) continue;
            c.strokeStyle = how === "facet" ? kindColour(t, "depend", 1) : how === "around" || how === "inside" ? t.quiet : t.bad;
            c.lineWidth = how === "facet" ? 2 : 1.2;
            c.strokeRect(b[0] - 1, b[1] + 0.5, Math.max(2, b[2] - b[0]) + 2, b[3] - 1);
            if (!me || how === "around" || how === "inside") continue;
            const x1 = how === "waited for" || how === "from" ? b[2] : b[0],
                x2 = how === "waited for" || how === "from" ? me[0] : how === "facet" ? me[0] : me[2],
                y1 = b[1] + b[3] / 2,
                y2 = me[1] + me[3] / 2;
            c.beginPath();
            c.moveTo(x1, y1);
            c.bezierCurveTo(x1, (y1 + y2) / 2, x2, (y1 + y2) / 2, x2, y2);
            c.stroke();
        }
        if (me) {
            c.strokeStyle = t.ink;
            c.lineWidth = 2;
            c.strokeRect(me[0] - 1, me[1], Math.max(2, me[2] - me[0]) + 2, me[3]);
        }
        c.restore();
    }

    private drawLabels(c: CanvasRenderingContext2D, t: Theme, top: number, y0: number, height: number, width: number): void {
        c.save();
        c.beginPath();
        c.rect(0, y0, width, height - y0);
        c.clip();
        c.fillStyle = t.paper;
        c.fillRect(0, y0, LEFT - 1, height - y0);
        c.textAlign = "left";
        let before: Lane | undefined;
        for (const [k, l] of this.lines.entries()) {
            const y = l.y - top + y0;
            if (y > height) break;
            if (y + l.height < y0) {
                continue;
            }
            if (k === this.lineAt) {
                c.fillStyle = t.grid;
                c.fillRect(0, y, LEFT - 1, l.height);
            }
            if (!l.lane) {
                c.fillStyle = t.line;
                c.fillRect(0, y, width, 1);
                if (l.group.open) {
                    c.fillStyle = t.dark ? "#ffffff0a" : "#00000008";
                    c.fillRect(LEFT, y + 1, width - LEFT, l.height - 1);
                }
                c.fillStyle = t.ink;
                c.font = `600 ${t.font}`;
                c.fillText(fitting(c, `${l.group.open ? "▾" : "▸"} ${l.group.label}`, l.group.open ? width - 20 : LEFT - 12), 4, y + l.height / 2 + 1);
                c.font = t.font;
            } else if (l.lane !== before) {
                const tracks = l.lane.tracks?.length ?? 0;
                c.fillStyle = t.quiet;
                const fold = tracks > 1 && l.lane.open ? "▾ " : !l.lane.open ? "▸ " : "";
                c.fillText(fold + ending(c, l.lane.label, LEFT - 26 - (fold ? 12 : 0)), 16, y + Math.min(l.height, FOLDED) / 2);
            }
            before = l.lane;
        }
        c.restore();
    }

    /** The ruler, the critical path, marks and what is measured: over all lanes. */
    private drawTop(c: CanvasRenderingContext2D, t: Theme, ticks: number[], step: number, height: number): void {
        c.fillStyle = t.paper;
        c.fillRect(0, 0, LEFT, TOP + PATH);
        c.fillStyle = t.quiet;
        c.textAlign = "center";
        for (const tick of ticks) {
            const text = timeText(tick, step, ticks[ticks.length - 1] ?? 0),
                half = c.measureText(text).width / 2;
            c.fillText(text, Math.max(LEFT + half, Math.min(this.x(tick), this.width - half)), 11);
        }
        c.fillStyle = t.line;
        c.fillRect(LEFT, TOP - 2, this.width - LEFT, 1);
        c.textAlign = "left";
        const { from, to } = this.path;
        if (from.length) {
            c.fillStyle = t.quiet;
            c.fillText("critical path", 16, TOP + PATH / 2 - 1);
            let end = -1;
            for (let k = lowerBound(to, this.view[0]); k < from.length && from[k]! <= this.view[1]; k++) {
                const a = Math.max(LEFT, this.x(from[k]!)),
                    b = Math.min(this.width, this.x(to[k]!));
                if (b <= end) continue;
                c.fillStyle = stateColour(t, this.path.state[k]!);
                c.fillRect(a, TOP + 2, Math.max(0.7, b - a - (b - a > 3 ? 0.7 : 0)), PATH - 6);
                end = Math.max(b, a + 0.7);
            }
        }
        for (const [range, colour] of [[this.mark, kindColour(t, "wait", 0)], [this.measured, t.ink]] as const) {
            if (!range) continue;
            const a = Math.max(LEFT, this.x(Math.min(...range))),
                b = Math.min(this.width, this.x(Math.max(...range)));
            if (b < LEFT || a > this.width) continue;
            c.fillStyle = colour;
            c.globalAlpha = 0.12;
            c.fillRect(a, 0, b - a, height);
            c.globalAlpha = 1;
            c.fillRect(a, 0, 1, height);
            c.fillRect(b, 0, 1, height);
            const text = seconds(Math.abs(range[1] - range[0])),
                w = c.measureText(text).width;
            c.fillStyle = t.paper;
            c.fillRect((a + b) / 2 - w / 2 - 3, 2, w + 6, 16);
            c.fillStyle = t.ink;
            c.fillText(text, (a + b) / 2 - w / 2, 11);
        }
    }
}

/** The first i >= low with v[i] >= x, near to low as a rule. */
function gallop(v: Float64Array, low: number, x: number): number {
    let step = 1,
        at = low;
    while (at < v.length && v[at]! < x) {
        low = at + 1;
        at += step;
        step *= 2;
    }
    let high = Math.min(at, v.length);
    while (low < high) {
        const middle = (low + high) >>> 1;
        if (v[middle]! < x) low = middle + 1;
        else high = middle;
    }
    return low;
}

const inks = new Map<string, string>();
/** Black or white, whichever is read better on a colour (#rrggbb). */
function inkOn(colour: string): string {
    let ink = inks.get(colour);
    if (!ink) {
        const [r, g, b] = [1, 3, 5].map(i => (parseInt(colour.slice(i, i + 2), 16) / 255) ** 2.2) as [number, number, number];
        inks.set(colour, (ink = 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.19 ? "#000" : "#fff"));
    }
    return ink;
}

const EACH = 6; // a letter's width, about
const fits = (c: CanvasRenderingContext2D, text: string, width: number): boolean => text.length * EACH <= width * 0.8 || c.measureText(text).width <= width;

function fitting(c: CanvasRenderingContext2D, text: string, width: number): string {
    if (fits(c, text, width)) return text;
    let n = Math.max(0, Math.floor((width / EACH) * 1.1));
    while (n > 0 && c.measureText(`${text.slice(0, n)}…`).width > width) n--;
    return n > 0 ? `${text.slice(0, n)}…` : "";
}

/** The end of a text, which tells "....htex.manager" from "....htex.worker". */
function ending(c: CanvasRenderingContext2D, text: string, width: number): string {
    if (c.measureText(text).width <= width) return text;
    let n = text.length;
    while (n > 1 && c.measureText(`…${text.slice(text.length - n)}`).width > width) n--;
    return `…${text.slice(text.length - n)}`;
}
