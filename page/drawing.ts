// SPDX-License-Identifier: Apache-2.0
// A specification as people write it into one that Vega draws, with what Vega passes over in silence said aloud.
import * as vega from "vega";
import { compile, type TopLevelSpec } from "vega-lite";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Spec = { [key: string]: Json };

/** Of the published schemas, put in by build.mjs: every key that a specification can have, and every mark. */
declare const VEGA_KEYS: string[], VEGA_LITE_KEYS: string[], VEGA_LITE_MARKS: string[];

export interface Messages {
    error(text: string): void;
    warn(text: string): void;
}

export const isObject = (x: Json | undefined): x is Spec => typeof x === "object" && x !== null && !Array.isArray(x);

function say(args: readonly unknown[]): string {
    return args.map(x => x instanceof Error ? x.message : typeof x === "object" ? JSON.stringify(x) : String(x)).join(" ");
}

export function logger(to: Messages): vega.LoggerInterface {
    const seen = new Set<string>();
    const once = (print: (text: string) => void) => function (this: vega.LoggerInterface, ...args: readonly unknown[]) {
        const text = say(args);
        if (!seen.has(text)) {
            seen.add(text);
            print(text);
        }
        return this;
    };
    return {
        level(this: vega.LoggerInterface, _?: number) { return this; },
        error: once(to.error),
        warn: once(text => text.startsWith("Loading failed") ? to.error(text) : to.warn(text)),
        info() { return this; },
        debug() { return this; },
    } as vega.LoggerInterface;
}

/** XML has no way to write these, and some come out of logs. */
export const writable = (svg: string): string => svg.replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/gu, "\ufffd");

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
Date.prototype.toString = function () { return isNaN(Number(this)) ? "Invalid Date" : this.toISOString(); };

/** Every view of a Vega-Lite specification that has marks of its own. */
export function units(spec: Spec, visit: (unit: Spec) => void): void {
    for (const key of ["layer", "concat", "hconcat", "vconcat"]) {
        const parts = spec[key];
        if (Array.isArray(parts))
            parts.filter(isObject).forEach(part => units(part, visit));
    }
    if (isObject(spec.spec))
        units(spec.spec, visit);
    if (isObject(spec.encoding) || spec.mark !== undefined)
        visit(spec);
}

function inUtc(unit: Spec): void {
    if (!isObject(unit.encoding))
        return;
    for (const channel of Object.values(unit.encoding)) {
        if (!isObject(channel) || channel.scale === null || (channel.type ?? "temporal") !== "temporal")
            continue;
        if (typeof channel.timeUnit === "string" && !/^(utc|binned)/.test(channel.timeUnit))
            channel.timeUnit = `utc${channel.timeUnit}`;
        const scale = isObject(channel.scale) ? channel.scale : {};
        if (channel.type === "temporal" || channel.timeUnit !== undefined)
            channel.scale = { type: "utc", ...scale };
    }
}

// Below these, keys are names that users choose.
const OPEN = new Set(["datasets", "values", "value", "usermeta", "config", "parse", "init", "encode", "params", "signals"]);

function checkKeys(x: Json, keys: Set<string>, what: string, to: Messages): void {
    if (Array.isArray(x))
        x.forEach(y => checkKeys(y, keys, what, to));
    else if (isObject(x))
        for (const [key, value] of Object.entries(x)) {
            if (!key.startsWith("$") && !keys.has(key))
                to.warn(`${what} has no key "${key}"; it does nothing`);
            else if (!OPEN.has(key))
                checkKeys(value, keys, what, to);
        }
}

function checkMarks(unit: Spec): void {
    const mark = isObject(unit.mark) ? unit.mark.type : unit.mark;
    if (mark !== undefined && !(typeof mark === "string" && VEGA_LITE_MARKS.includes(mark)))
        throw new Error(`"${String(mark)}" is no mark; there are ${VEGA_LITE_MARKS.join(", ")}`);
}

export const isVegaLite = (spec: Spec): boolean =>
    typeof spec.$schema === "string" ? !/\/vega\/v/.test(spec.$schema) : !("marks" in spec || "signals" in spec);

/** The Vega specification of either; throws where it is none. */
export function toVega(spec: Spec, to: Messages): vega.Spec {
    if (!isObject(spec))
        throw new Error("a specification is a JSON object");
    const version = /\/(vega|vega-lite)\/v(\d+)/.exec(String(spec.$schema ?? ""));
    if (version && version[2] !== "6")
        to.warn(`this is ${version[1]} 6, and the specification is of version ${version[2]}`);
    if (!isVegaLite(spec)) {
        checkKeys(spec, new Set(VEGA_KEYS), "Vega", to);
        return spec as unknown as vega.Spec;
    }
    checkKeys(spec, new Set(VEGA_LITE_KEYS), "Vega-Lite", to);
    units(spec, checkMarks);
    units(spec, inUtc);
    // The same lines come again, better told, from checkData().
    const log = logger({ error: to.error, warn: text => /^Infinite extent/.test(text) || to.warn(text) });
    return compile(spec as unknown as TopLevelSpec, { logger: log as never }).spec;
}

/** After a run: data sets without rows, and fields that no row has. Those inside of groups are not looked at. */
export function checkData(spec: vega.Spec, view: vega.View, to: Messages): void {
    const empty = new Set<string>(), told = new Set<string>();
    for (const data of spec.data ?? []) {
        const known = data as unknown as Spec;
        if (/_store$/.test(data.name) || known.source !== undefined || known.url !== undefined || known.on !== undefined)
            continue;
        if (known.values === undefined && !Array.isArray(known.transform))
            to.warn(`there is no data set "${data.name}"`);
        else if (view.data(data.name).length === 0)
            to.warn(`the data set "${data.name}" has no rows`);
        if (view.data(data.name).length === 0)
            empty.add(data.name);
    }
    const check = (data: string, field: string) => {
        if (told.has(field))
            return;
        const rows = view.data(data), get = vega.field(field);
        const has = (row: unknown) => {
            try { return get(row as object) !== undefined; } catch { return false; }
        };
        if (rows.length > 0 && !rows.some(has)) {
            told.add(field);
            to.warn(`no row has a field "${field}"`);
        }
    };
    const walk = (x: Json, from: string | undefined): void => {
        if (Array.isArray(x))
            return x.forEach(y => walk(y, from));
        if (!isObject(x))
            return;
        const data = isObject(x.from) && typeof x.from.data === "string" ? x.from.data
            : typeof x.data === "string" ? x.data : isObject(x.from) ? undefined : from;
        const fields = [x.field, ...(Array.isArray(x.fields) ? x.fields : [])];
        if (data !== undefined && names.has(data))
            fields.forEach(field => typeof field === "string" && check(data, field));
        for (const [key, value] of Object.entries(x))
            if (key !== "values" && key !== "transform" && key !== "sort" && key !== "signals")
                walk(value, data);
    };
    const names = new Set((spec.data ?? []).map(data => data.name));
    const { scales, marks } = spec as unknown as Spec;
    walk([scales ?? [], marks ?? []], undefined);
}
