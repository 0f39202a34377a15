// SPDX-License-Identifier: Apache-2.0
// What an HTML file of a plot, or a report of many, runs: the same specifications as canvases that answer to the mouse,
// in light or dark.
import * as vega from "vega";
import { expressionInterpreter } from "vega-interpreter";
import { Handler } from "vega-tooltip";
import { checkData, isVegaLite, loader, logger, toVega, writable } from "./drawing";
import { isObject, type Json, type Spec } from "./json";

const element = (id: string) => document.getElementById(id) as HTMLElement;
const read = (id: string) => JSON.parse(element(id).textContent ?? "") as Spec;
const isDark = matchMedia("(prefers-color-scheme: dark)");

/** A mark with what it is encoded by, its own and inherited. */
interface Unit {
    spec: Spec;
    encoding: Spec;
}

/** The units of a Vega-Lite specification, side by side where they share their scales. */
function groups(spec: Spec, inherited: Spec = {}): Unit[][] {
    const encoding = { ...inherited, ...(isObject(spec.encoding) ? spec.encoding : {}) };
    if (Array.isArray(spec.layer)) return [spec.layer.filter(isObject).flatMap(part => groups(part, encoding).flat())];
    if (spec.mark !== undefined) return [[{ spec, encoding }]];
    return [spec.concat, spec.hconcat, spec.vconcat, spec.spec]
        .flat()
        .filter(isObject)
        .flatMap(part => groups(part, encoding));
}

const mark = (unit: Unit): Spec => (isObject(unit.spec.mark) ? unit.spec.mark : { type: unit.spec.mark ?? null });
const continuous = (x: Json | undefined): boolean =>
    isObject(x) &&
    (x.type === "quantitative" || x.type === "temporal") &&
    !x.bin &&
    x.scale !== null &&
    x.field !== undefined;

function zoom(units: Unit[], name: string): void {
    for (const unit of units) {
        const { x, y } = unit.encoding,
            bars = /^(bar|area|rect)$/.test(String(mark(unit).type));
        const along = [...(continuous(x) ? ["x"] : []), ...(continuous(y) && !(bars && continuous(x)) ? ["y"] : [])];
        if (along.length > 0) {
            addParameter(unit, { name, select: { type: "interval", encodings: along }, bind: "scales" });
            return;
        }
    }
}

function pickByLegend(units: Unit[], name: string): void {
    let picked: Json | undefined;
    for (const unit of units) {
        const color = unit.encoding.color ?? unit.encoding.fill ?? unit.encoding.stroke;
        if (
            !isObject(color) ||
            typeof color.field !== "string" ||
            color.legend === null ||
            unit.encoding.opacity !== undefined ||
            continuous(color) ||
            (picked !== undefined && picked !== color.field)
        )
            continue;
        if (picked === undefined)
            addParameter(unit, { name, select: { type: "point", fields: [color.field] }, bind: "legend" });
        picked = color.field;
        unit.spec.encoding = {
            ...(isObject(unit.spec.encoding) ? unit.spec.encoding : {}),
            opacity: { condition: { param: name, value: mark(unit).opacity ?? 1 }, value: 0.1 },
        };
    }
}

function addParameter(unit: Unit, parameter: Spec): void {
    unit.spec.params = [...(Array.isArray(unit.spec.params) ? unit.spec.params : []), parameter];
}

const selects = (parameter: Json, what: string): boolean =>
    isObject(parameter) && (isObject(parameter.select) ? parameter.select.type : parameter.select) === what;

/** Of two configurations; the second one's word counts. */
const configured = (one: Json | undefined, two: Json | undefined): Json =>
    vega.mergeConfig(...([one, two].map(x => (isObject(x) ? x : {})) as vega.Config[])) as unknown as Json;

/** Where the specification says nothing of it: zoom, a legend that picks, tooltips, and the width of the window. */
function makeInteractive(spec: Spec): void {
    const all = groups(spec);
    const own = [spec, ...all.flat().map(unit => unit.spec)].flatMap(x => (Array.isArray(x.params) ? x.params : []));
    all.forEach((units, i) => {
        if (!own.some(parameter => selects(parameter, "interval"))) zoom(units, `zoom_${i}`);
        if (!own.some(parameter => selects(parameter, "point"))) pickByLegend(units, `legend_${i}`);
    });
    spec.config = configured({ mark: { tooltip: true } }, spec.config);
    const single =
        (spec.mark !== undefined || spec.layer !== undefined) &&
        !["row", "column", "facet"].some(channel => isObject(spec.encoding) && channel in spec.encoding);
    if (single && !isObject(spec.width)) spec.width = "container";
}

/** A picture of the page: an element with data-spec, the id of the script that holds its specification. */
class Picture {
    title = "Spanloom";
    private view: vega.View | undefined;
    private readonly told: HTMLElement;
    readonly messages = {
        error: (text: string) => this.tell(text, "error"),
        warn: (text: string) => this.tell(text, "warning"),
    };

    constructor(private readonly place: HTMLElement) {
        this.told = document.getElementById(`${place.id}-messages`) ?? element("messages");
        for (const button of document.querySelectorAll<HTMLElement>(`button[data-of="${CSS.escape(place.id)}"]`))
            button.onclick = () => void this.save(button.dataset.form ?? "svg");
    }

    private tell(text: string, kind: string): void {
        const line = document.createElement("p");
        line.className = kind;
        line.textContent = text;
        this.told.append(line);
    }

    async draw(): Promise<void> {
        const spec = read(this.place.dataset.spec ?? "");
        this.view?.finalize();
        this.told.replaceChildren();
        if (isDark.matches) spec.config = configured(spec.config, read("look").dark);
        if (isVegaLite(spec)) makeInteractive(spec);
        this.title = String((isObject(spec.title) ? spec.title.text : spec.title) || "Spanloom");
        if (this.place.id === "plot") document.title = this.title; // it is all of the page
        const compiled = toVega(spec, this.messages);
        this.view = new vega.View(vega.parse(compiled, undefined, { ast: true }), {
            container: this.place,
            renderer: "canvas",
            hover: true,
            loader,
            logger: logger(this.messages),
            expr: expressionInterpreter,
            tooltip: new Handler({ disableDefaultStyle: true }).call,
        });
        await this.view.runAsync();
        this.place.setAttribute("aria-label", this.title);
        checkData(compiled, this.view, this.messages);
    }

    private async save(form: string): Promise<void> {
        if (form === "png") return download((await this.view?.toImageURL("png", 2)) ?? "", this.suffix(".png"));
        const svg = new Blob([writable((await this.view?.toSVG()) ?? "")], { type: "image/svg+xml" });
        const url = URL.createObjectURL(svg);
        download(url, this.suffix(".svg"));
        setTimeout(() => URL.revokeObjectURL(url), 10000);
    }

    private suffix(end: string): string {
        return pictures.length > 1 ? `-${this.place.id}${end}` : end;
    }
}

function download(href: string, suffix: string): void {
    const link = document.createElement("a");
    link.href = href;
    link.download = (decodeURIComponent(location.pathname).split("/").pop() ?? "").replace(/\.html?$/, "") + suffix;
    link.click();
}

const pictures = [...document.querySelectorAll<HTMLElement>("[data-spec]")].map(place => new Picture(place));

/** One after the other, from the top: those that are seen come first, and the page stays alive. */
async function start(): Promise<void> {
    for (const picture of pictures) {
        await picture
            .draw()
            .catch((error: unknown) => picture.messages.error(error instanceof Error ? error.message : String(error)));
        if (pictures.length > 1) await new Promise(done => setTimeout(done));
    }
    document.body.dataset.drawn = String(pictures.length);
}

isDark.onchange = () => void start();
void start();
