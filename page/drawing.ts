// SPDX-License-Identifier: Apache-2.0
// A specification as people write it into one that Vega draws, with what Vega passes over in silence said aloud.
import * as vega from "vega";
import { compile, type TopLevelSpec } from "vega-lite";
import { isObject, type Json, type Spec } from "./json";

/** Of the published schema, put in by build.mjs: every mark that there is. */
declare const VEGA_LITE_MARKS: string[];

export interface Messages {
    error(text: string): void;
    warn(text: string): void;
}

function say(args: readonly unknown[]): string {
    return args
        .map(x => (x instanceof Error ? x.message : typeof x === "object" ? JSON.stringify(x) : String(x)))
        .join(" ");
}

/** What Vega says, each thing once; nothing of empty axes, since checkData() knows which field has no values. */
export function logger(to: Messages): vega.LoggerInterface {
    const seen = new Set<string>();
    const once = (print: (text: string) => void) =>
        function (this: vega.LoggerInterface, ...args: readonly unknown[]) {
            const text = say(args);
            if (!seen.has(text)) {
                seen.add(text);
                print(text);
            }
            return this;
        };
    return {
        level(this: vega.LoggerInterface, _?: number) {
            return this;
        },
        error: once(to.error),
        warn: once(text =>
            /^Loading failed/.test(text)
                ? to.error(text.replace(/^Loading failed \S+ /, ""))
                : /^Infinite extent|^Dropping "fit-/.test(text) || to.warn(text),
        ),
        info() {
            return this;
        },
        debug() {
            return this;
        },
    } as vega.LoggerInterface;
}

/** XML has no way to write these, and some come out of logs. */
export const writable = (svg: string): string =>
    svg.replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/gu, "\ufffd");

/** A picture has all of its data with it. */
export const loader: vega.Loader = {
    load: uri => Promise.reject(new Error(`a picture may not read ${uri}: put its data into the specification`)),
    sanitize: (uri, options: { context?: string } = {}) =>
        (options.context === "href" ? /^https?:/ : /^data:image\//).test(uri)
            ? Promise.resolve({ href: uri })
            : Promise.reject(new Error(`a picture may not read ${uri}`)),
    http: uri => Promise.reject(new Error(`a picture may not read ${uri}`)),
    file: uri => Promise.reject(new Error(`a picture may not read ${uri}`)),
};

// Times are UTC whatever the reader's clock says.
vega.expressionFunction("timeFormat", vega.expressionFunction("utcFormat"));
vega.expressionFunction("timeParse", vega.expressionFunction("utcParse"));
// Vega tells the ticks of an axis apart by their texts, which for times would end at the second.
Date.prototype.toString = function () {
    return isNaN(Number(this)) ? "Invalid Date" : this.toISOString();
};

/** Every view of a Vega-Lite specification that has marks of its own. */
export function units(spec: Spec, visit: (unit: Spec) => void): void {
    for (const key of ["layer", "concat", "hconcat", "vconcat"]) {
        const parts = spec[key];
        if (Array.isArray(parts)) parts.filter(isObject).forEach(part => units(part, visit));
    }
    if (isObject(spec.spec)) units(spec.spec, visit);
    if (isObject(spec.encoding) || spec.mark !== undefined) visit(spec);
}

function inUtc(unit: Spec): void {
    if (!isObject(unit.encoding)) return;
    for (const channel of Object.values(unit.encoding)) {
        if (!isObject(channel) || channel.scale === null || (channel.type ?? "temporal") !== "temporal") continue;
        if (typeof channel.timeUnit === "string" && !/^(utc|binned)/.test(channel.timeUnit))
            channel.timeUnit = `utc${channel.timeUnit}`;
        const scale = isObject(channel.scale) ? channel.scale : {};
        if (channel.type === "temporal" || channel.timeUnit !== undefined) channel.scale = { type: "utc", ...scale };
    }
}

/** Axes of time that say no format of their own: as much of a time as tells what the axis shows, alike at all ticks. */
function labelTimes(scope: Spec, outer: Map<Json, Json>): void {
    const scales = new Map(outer);
    const parts = (key: string) => (Array.isArray(scope[key]) ? scope[key].filter(isObject) : []);
    for (const scale of parts("scales")) scales.set(scale.name ?? null, scale.type ?? null);
    for (const axis of parts("axes")) {
        const name = axis.scale ?? null;
        if (!/^(utc|time)$/.test(String(scales.get(name))) || axis.labels === false) continue;
        const encode = isObject(axis.encode) ? axis.encode : {};
        const labels = isObject(encode.labels) ? encode.labels : {};
        const update = isObject(labels.update) ? labels.update : {};
        if (axis.format !== undefined || update.text !== undefined) continue;
        const length = `span(domain(${JSON.stringify(name)}))`,
            at = "datum.value";
        const within = (parts: string[]) => parts.map(part => `utc${part}(${at})`).join(" + ");
        const format =
            `${length} < 6e5 ? (${within(["milliseconds"])} ? '%H:%M:%S.%L' : '%H:%M:%S')` +
            ` : ${within(["hours", "minutes", "seconds"])} ? '%H:%M' : ${length} > 1.5e10 ? '%Y-%m-%d' : '%b %d'`;
        const text = { signal: `utcFormat(${at}, ${format})` };
        axis.encode = { ...encode, labels: { ...labels, update: { ...update, text } } };
    }
    for (const mark of parts("marks")) labelTimes(mark, scales);
}

/** Titles of axes and legends may be expressions, as most else may be; Vega has that, Vega-Lite only hands it on. */
export function titleExpressions(x: Json, as: (expression: string) => Json): void {
    if (Array.isArray(x)) x.forEach(y => titleExpressions(y, as));
    else if (isObject(x))
        for (const [key, value] of Object.entries(x))
            if (key !== "title" || !isObject(value) || typeof value.expr !== "string") titleExpressions(value, as);
            else x.title = as(value.expr);
}

function checkMark(mark: Json | undefined, known: string[]): void {
    if (mark !== undefined && !(typeof mark === "string" && known.includes(mark)))
        throw new Error(`"${String(mark)}" is no mark; there are ${known.join(", ")}`);
}

/** Of Vega, within groups, too. */
function checkMarks(spec: Spec, known: string[]): void {
    if (Array.isArray(spec.marks))
        spec.marks.filter(isObject).forEach(mark => {
            checkMark(mark.type, known);
            checkMarks(mark, known);
        });
}

export const isVegaLite = (spec: Spec): boolean =>
    typeof spec.$schema === "string" ? !/\/vega\/v/.test(spec.$schema) : !("marks" in spec || "signals" in spec);

/** The Vega specification of either; throws where it is none. */
export function toVega(spec: Spec, to: Messages): vega.Spec {
    if (!isObject(spec)) throw new Error("a specification is a JSON object");
    const version = /\/(vega|vega-lite)\/v(\d+)/.exec(String(spec.$schema ?? ""));
    if (version && version[2] !== "6")
        to.warn(`this is ${version[1]} 6, and the specification is of version ${version[2]}`);
    if (!isVegaLite(spec)) {
        checkMarks(spec, Object.keys((vega as unknown as { Marks: object }).Marks).sort());
        return spec as unknown as vega.Spec;
    }
    units(spec, unit => checkMark(isObject(unit.mark) ? unit.mark.type : unit.mark, VEGA_LITE_MARKS));
    units(spec, inUtc);
    units(spec, unit => titleExpressions(unit.encoding ?? null, signal => ({ signal })));
    const compiled = compile(spec as unknown as TopLevelSpec, { logger: logger(to) as never }).spec;
    labelTimes(compiled as unknown as Spec, new Map());
    return compiled;
}

/** Names that transforms give to what they make. */
function madeBy(x: Json, names = new Set<string>()): Set<string> {
    if (Array.isArray(x)) x.forEach(y => madeBy(y, names));
    else if (isObject(x))
        for (const [key, value] of Object.entries(x))
            if (key === "as") [value].flat().forEach(name => names.add(String(name)));
            else madeBy(value, names);
    return names;
}

/** After a run: data sets without rows, and fields that no row has. Those inside of groups are not looked at. */
export function checkData(spec: vega.Spec, view: vega.View, to: Messages): void {
    const sets = new Map((spec.data ?? []).map(data => [data.name, data as unknown as Spec]));
    const told = new Set<string>();
    const ours = (spec.usermeta as { spanloom?: { data?: object } } | undefined)?.spanloom?.data !== undefined;
    for (const [name, data] of sets) {
        if (/_store$/.test(name) || data.source !== undefined || data.url !== undefined || data.on !== undefined)
            continue;
        if (data.values === undefined && !Array.isArray(data.transform)) to.warn(`there is no data set "${name}"`);
        else if (view.data(name).length === 0 && !ours) to.warn(`the data set "${name}" has no rows`);
    }
    const check = (from: string, field: string): void => {
        const data = sets.get(from);
        if (data === undefined || told.has(field) || madeBy(data.transform ?? []).has(field)) return;
        const rows: object[] = view.data(from),
            get = vega.field(field);
        if (rows.length === 0 && typeof data.source === "string")
            // a filter may have taken them, since they lack it
            return check(data.source, field);
        const has = (row: object) => {
            try {
                return get(row) !== undefined;
            } catch {
                return false;
            }
        };
        if (rows.length > 0 && !rows.some(has)) {
            told.add(field);
            to.warn(`no row has a field "${field.replace(/\\(.)/g, "$1")}"`);
        }
    };
    const walk = (x: Json, from: string | undefined): void => {
        if (Array.isArray(x)) return x.forEach(y => walk(y, from));
        if (!isObject(x)) return;
        const data = isObject(x.from) ? x.from.data : (x.data ?? from);
        if (typeof data === "string")
            [x.field, x.fields].flat().forEach(field => typeof field === "string" && check(data, field));
        for (const [key, value] of Object.entries(x))
            if (key !== "values" && key !== "transform" && key !== "sort" && key !== "signals")
                walk(value, typeof data === "string" ? data : undefined);
    };
    for (const [name, data] of sets)
        if (typeof data.source === "string" && view.data(name).length === 0)
            for (const step of [data.transform ?? []].flat().filter(isObject))
                [step.field, step.fields, step.groupby]
                    .flat()
                    .forEach(field => typeof field === "string" && check(name, field));
    const { scales, marks } = spec as unknown as Spec;
    walk([scales ?? [], marks ?? []], undefined);
}
