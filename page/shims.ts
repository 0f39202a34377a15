// SPDX-License-Identifier: Apache-2.0
// What Vega expects around the language, for JavaScriptCore alone. It is imported before Vega.
const waiting: { time: number; run: () => void }[] = [];
let now = 0;

function clone(x: unknown): unknown {
    if (Array.isArray(x)) return x.map(clone);
    if (x instanceof Date) return new Date(x);
    if (x instanceof Set) return new Set([...x].map(clone));
    if (x instanceof Map) return new Map([...x].map(([key, value]) => [clone(key), clone(value)]));
    if (typeof x === "object" && x !== null)
        return Object.fromEntries(Object.entries(x).map(([key, value]) => [key, clone(value)]));
    return x;
}

const shims = {
    structuredClone: clone,
    console: Object.fromEntries(
        ["log", "info", "debug", "warn", "error"].map(name => [
            name,
            (...args: unknown[]) => spanloomWarn(args.map(String).join(" ")),
        ]),
    ),
    setTimeout: (run: () => void, ms = 0): number => {
        waiting.push({ time: now + ms, run });
        waiting.sort((a, b) => a.time - b.time);
        return 0;
    },
    clearTimeout: () => undefined,
};

for (const [name, value] of Object.entries(shims))
    if (!(name in globalThis)) Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });

globalThis.spanloomTimer = () => {
    const next = waiting.shift();
    if (next) {
        now = next.time;
        next.run();
    }
    return next !== undefined;
};

export {};
