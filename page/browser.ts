// SPDX-License-Identifier: Apache-2.0
// What an HTML file of a plot runs: the same specification as a canvas that answers to the mouse, in light or dark.
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

const messages = {
    error: (text: string) => tell(text, "error"),
    warn: (text: string) => tell(text, "warning"),
};

function tell(text: string, kind: string): void {
    const line = document.createElement("p");
    line.className = kind;
    line.textContent = text;
    element("messages").append(line);
}

let view: vega.View | undefined;

async function draw(): Promise<void> {
    const spec = read("spec");
    view?.finalize();
    element("messages").replaceChildren();
    if (isDark.matches) spec.config = configured(spec.config, read("look").dark);
    if (isVegaLite(spec)) makeInteractive(spec);
    const title = isObject(spec.title) ? spec.title.text : spec.title;
    document.title = String(title || "Spanloom");
    element("plot").setAttribute("aria-label", document.title);
    const compiled = toVega(spec, messages);
    view = new vega.View(vega.parse(compiled, undefined, { ast: true }), {
        container: element("plot"),
        renderer: "canvas",
        hover: true,
        loader,
        logger: logger(messages),
        expr: expressionInterpreter,
        tooltip: new Handler({ disableDefaultStyle: true }).call,
    });
    await view.runAsync();
    checkData(compiled, view, messages);
}

function save(href: string, suffix: string): void {
    const link = document.createElement("a");
    link.href = href;
    link.download = (decodeURIComponent(location.pathname).split("/").pop() ?? "").replace(/\.html?$/, "") + suffix;
    link.click();
}

element("svg").onclick = async () => {
    const url = URL.createObjectURL(new Blob([writable((await view?.toSVG()) ?? "")], { type: "image/svg+xml" }));
    save(url, ".svg");
    setTimeout(() => URL.revokeObjectURL(url), 10000);
};
element("png").onclick = async () => save((await view?.toImageURL("png", 2)) ?? "", ".png");

const start = () =>
    draw().catch((error: unknown) => messages.error(error instanceof Error ? error.message : String(error)));

isDark.onchange = start;
void start();
