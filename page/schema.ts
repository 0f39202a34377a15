// SPDX-License-Identifier: Apache-2.0
// What of a specification is not as the published schema says, in words.  Of JSON Schema, what those of Vega and
// Vega-Lite use; of several forms that a value may have, that is told which it comes nearest to.
import { isObject, type Json, type Spec } from "./json";

interface Problem {
    at: string;
    text: string;
    /** Where the value itself is wrong: what it could be. */
    could?: string[];
    value?: Json;
    /** Keys, of which there must be one. */
    missing?: string[];
}

const MANY = 12,
    MOST_LINES = 4;
const KINDS: Record<string, string> = {
    string: "a text",
    number: "a number",
    integer: "a whole number",
    boolean: "true, false",
    array: "a list",
    object: "an object",
};

const quoted = (x: Json | undefined): string => {
    const text = JSON.stringify(x) ?? "nothing";
    return text.length > 60 ? `${text.slice(0, 60)}…` : text;
};
const kindOf = (x: Json): string =>
    x === null ? "null" : Array.isArray(x) ? "array" : Number.isInteger(x) ? "integer" : typeof x;
const listed = (words: string[]): string =>
    words.length > MANY ? `${words.slice(0, MANY).join(", ")} and ${words.length - MANY} more` : words.join(", ");
const within = (at: string, key: string): string => (/^[A-Za-z_]\w*$/.test(key) ? `${at}.${key}` : `${at}["${key}"]`);

/** How many letters have to be changed, added, taken away or exchanged with the next, if less than most. */
function distance(a: string, b: string, most: number): number {
    if (Math.abs(a.length - b.length) >= most) return most;
    let before: number[] = [],
        last = Array.from({ length: b.length + 1 }, (_, j) => j);
    for (let i = 1; i <= a.length; i++) {
        const row = [i];
        for (let j = 1; j <= b.length; j++) {
            const same = a[i - 1] === b[j - 1] ? 0 : 1;
            row[j] = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + same);
            if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
                row[j] = Math.min(row[j] ?? 0, (before[j - 2] ?? 0) + 1);
        }
        before = last;
        last = row;
    }
    return Math.min(most, last[b.length] ?? most);
}

function unknownKey(at: string, key: string, known: string[]): Problem {
    const near = known.map(name => ({ name, far: distance(key.toLowerCase(), name.toLowerCase(), 3) }));
    const best = near.sort((a, b) => a.far - b.far)[0];
    const hint =
        best !== undefined && best.far < 3 ? `; near it: "${best.name}"` : `; keys there: ${listed(known.sort())}`;
    return { at: within(at, key), text: `there is no key "${key}" at this place${hint}` };
}

function wrong(at: string, value: Json, could: string[]): Problem {
    return { at, value, could, text: `${quoted(value)} is not what can stand here: ${listed(could)}` };
}

function lacks(at: string, missing: string[]): Problem {
    const names = listed(missing.map(quoted));
    return { at, missing, text: missing.length > 1 ? `one of these keys is missing: ${names}` : `the key ${names} is missing` };
}

const union = (a: string[], b: string[]): string[] => [...new Set([...a, ...b])];

/** Two forms that are as near, and with which the same is wrong. */
function either(a: Problem[], b: Problem[]): Problem[] {
    const [one, other] = [a[0], b[0]];
    if (a.length !== 1 || b.length !== 1 || one === undefined || other === undefined || one.at !== other.at) return a;
    if (one.could && other.could) return [wrong(one.at, one.value ?? null, union(one.could, other.could))];
    return one.missing && other.missing ? [lacks(one.at, union(one.missing, other.missing))] : a;
}

class Checker {
    private readonly known = new WeakMap<object, Map<Json, Problem[]>>();
    constructor(private readonly root: Spec) {}

    private follow(reference: string): Json {
        let at: Json | undefined = this.root;
        for (const part of reference.split("/").slice(1))
            at = isObject(at) ? at[decodeURIComponent(part).replace(/~1/g, "/").replace(/~0/g, "~")] : undefined;
        return at ?? true;
    }

    /** No problem of the same value by the same schema is looked for twice: forms within forms would take for ever. */
    check(value: Json, schema: Json, at: string): Problem[] {
        if (schema === true || !isObject(schema)) return schema === false ? [wrong(at, value, ["nothing"])] : [];
        if (typeof value !== "object" || value === null) return this.find(value, schema, at);
        let by = this.known.get(value);
        if (!by) this.known.set(value, (by = new Map()));
        let found = by.get(schema);
        if (!found) by.set(schema, (found = this.find(value, schema, at)));
        return found;
    }

    private find(value: Json, schema: Spec, at: string): Problem[] {
        if (typeof schema.$ref === "string") return this.check(value, this.follow(schema.$ref), at);
        if ("const" in schema && schema.const !== value) return [wrong(at, value, [quoted(schema.const)])];
        if (Array.isArray(schema.enum) && !schema.enum.includes(value as never))
            return [wrong(at, value, schema.enum.map(quoted))];
        const types = [schema.type ?? []].flat();
        const kind = kindOf(value);
        if (types.length > 0 && !types.includes(kind) && !(kind === "integer" && types.includes("number")))
            return [wrong(at, value, types.map(type => KINDS[String(type)] ?? String(type)))];
        const problems = this.size(value, schema, at);
        if (Array.isArray(value) && schema.items !== undefined)
            value.forEach((item, i) => {
                const of = Array.isArray(schema.items) ? schema.items[i] : schema.items;
                if (of !== undefined) problems.push(...this.check(item, of, `${at}[${i}]`));
            });
        if (isObject(value)) problems.push(...this.keys(value, schema, at));
        for (const all of Array.isArray(schema.allOf) ? schema.allOf : []) problems.push(...this.check(value, all, at));
        for (const forms of [schema.anyOf, schema.oneOf])
            if (Array.isArray(forms)) problems.push(...this.nearest(value, forms, at));
        if (schema.not !== undefined && this.check(value, schema.not, at).length === 0)
            problems.push({ at, text: `${quoted(value)} may not stand here` });
        return problems;
    }

    private size(value: Json, schema: Spec, at: string): Problem[] {
        const size = typeof value === "number" ? value : Array.isArray(value) ? value.length : undefined;
        const [low, high] = typeof value === "number" ? [schema.minimum, schema.maximum] : [schema.minItems, schema.maxItems];
        const what = typeof value === "number" ? `${value}` : `a list of ${size}`;
        if (size !== undefined && typeof low === "number" && size < low)
            return [{ at, text: `${what} is less than ${low}, the least that can stand here` }];
        if (size !== undefined && typeof high === "number" && size > high)
            return [{ at, text: `${what} is more than ${high}, the most that can stand here` }];
        if (typeof value === "string" && typeof schema.pattern === "string" && !new RegExp(schema.pattern).test(value))
            return [{ at, text: `${quoted(value)} is not of the form ${schema.pattern}` }];
        return [];
    }

    private keys(value: Spec, schema: Spec, at: string): Problem[] {
        const problems: Problem[] = [];
        const named = isObject(schema.properties) ? schema.properties : {};
        const patterns = Object.entries(isObject(schema.patternProperties) ? schema.patternProperties : {});
        for (const [key, item] of Object.entries(value)) {
            const own = Object.hasOwn(named, key) ? named[key] : undefined;
            const by = own === undefined ? patterns.filter(([pattern]) => new RegExp(pattern).test(key)) : [];
            if (own !== undefined) problems.push(...this.check(item, own, within(at, key)));
            else if (by.length > 0) by.forEach(([, of]) => problems.push(...this.check(item, of, within(at, key))));
            else if (schema.additionalProperties === false) problems.push(unknownKey(at, key, Object.keys(named)));
            else problems.push(...this.check(item, schema.additionalProperties ?? true, within(at, key)));
        }
        for (const key of Array.isArray(schema.required) ? schema.required : [])
            if (typeof key === "string" && !Object.hasOwn(value, key))
                problems.push(lacks(at, [key]));
        return problems;
    }

    /** Of several forms, the problems with the one that has the least; of a value that is none of them, all that it could be. */
    private nearest(value: Json, forms: Json[], at: string): Problem[] {
        let best: Problem[] | undefined,
            least = Infinity;
        const could: string[] = [];
        for (const form of forms) {
            const problems = this.check(value, form, at);
            if (problems.length === 0) return [];
            const itself = problems.find(p => p.at === at && p.could !== undefined);
            could.push(...(itself?.could ?? []));
            const here = problems.filter(p => p.at.length <= at.length || !/[.[].*[.[]/.test(p.at.slice(at.length)));
            const weight = itself ? 1e6 : 1000 * here.length + problems.length;
            if (weight === least && best && !itself) best = either(best, problems);
            else if (weight < least) [best, least] = [problems, weight];
        }
        return least < 1e6 ? (best ?? []) : [wrong(at, value, union(could, []))];
    }
}

/** Data are the store's and of any kind; what follows "$" and what only we read, too. */
function withoutData(x: Json, key = ""): Json {
    if (Array.isArray(x)) return key === "values" && x.some(isObject) ? [] : x.map(y => withoutData(y));
    if (!isObject(x)) return x;
    return Object.fromEntries(
        Object.entries(x)
            .filter(([name]) => name !== "datasets" && name !== "usermeta")
            .map(([name, y]) => [name, withoutData(y, name)]),
    );
}

export function problemsOf(spec: Json, schema: Spec): string[] {
    const found = new Checker(schema).check(withoutData(spec), schema, "$");
    const lines = [...new Set(found.map(p => `${p.at}: ${p.text}`))];
    const more = lines.length - MOST_LINES;
    return more > 1 ? [...lines.slice(0, MOST_LINES), `and ${more} more of the kind`] : lines;
}
