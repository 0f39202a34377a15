// SPDX-License-Identifier: Apache-2.0
// Numbers and times as people read them: three digits.

/** 1,230; 12.3; 0.0123; nothing for NaN. */
export function digits(x: number): string {
    if (!Number.isFinite(x)) return "";
    const a = Math.abs(x);
    if (Number.isInteger(x) || a >= 100) return Math.round(x).toLocaleString("en-US");
    return a >= 10 ? x.toFixed(1) : a >= 1 ? x.toFixed(2) : a >= 0.0001 ? String(Number(x.toPrecision(3))) : x.toExponential(1);
}

/** 412 us, 31.4 s, 5 min 17 s, 1 h 02 min; nothing for NaN. */
export function seconds(s: number): string {
    if (!Number.isFinite(s)) return "";
    const a = Math.abs(s),
        sign = s < 0 ? "-" : "",
        two = (x: number) => String(x).padStart(2, "0");
    if (a === 0) return "0 s";
    if (a < 0.9995e-6) return `${sign}${Number((a * 1e9).toPrecision(3))} ns`;
    if (a < 0.9995e-3) return `${sign}${Number((a * 1e6).toPrecision(3))} us`;
    if (a < 0.9995) return `${sign}${Number((a * 1e3).toPrecision(3))} ms`;
    if (a < 119.5) return `${sign}${Number(a.toPrecision(3))} s`;
    const whole = Math.round(a);
    if (whole < 3600) return `${sign}${Math.floor(whole / 60)} min ${two(whole % 60)} s`;
    const minutes = Math.round(a / 60);
    if (minutes < 48 * 60) return `${sign}${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
    const hours = Math.round(a / 3600);
    return `${sign}${Math.floor(hours / 24)} d ${two(hours % 24)} h`;
}

/** The same in one unit for all that stand below each other, of which the greatest is most: as sl_seconds_beside() of the terminal. */
export function secondsBeside(s: number, most: number): string {
    const a = Math.abs(s),
        unit = most >= 0.9995 ? 1 : most >= 0.9995e-3 ? 1e-3 : 0,
        n = unit ? a / unit : 0,
        sign = s < 0 ? "-" : "";
    if (a >= 59.95 && a < 119.5 && most >= 119.5) return `${sign}1 min ${String(Math.round(a) - 60).padStart(2, "0")} s`;
    if (a >= 3599.5 && a < 7200 && most >= 7200) {
        const minutes = Math.round(a / 60);
        return `${sign}${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
    }
    if (n < 0.5e-3 || (n >= 119.5 && most >= 119.5) || n >= 1e9) return seconds(s);
    return `${sign}${n.toFixed(n >= 99.95 ? 0 : n >= 9.995 ? 1 : n >= 0.9995 ? 2 : 3)} ${unit < 1 ? "ms" : "s"}`;
}

/** Whether a column holds seconds, as its name says. */
const isTime = (name: string): boolean => (name.endsWith("_s") && !name.endsWith("_per_s")) || name === "seconds";

/** The greatest of a column's seconds; 0 of others. */
export const greatest = (name: string, values: readonly (number | string | null)[]): number =>
    isTime(name) ? values.reduce<number>((most, v) => (typeof v === "number" && Math.abs(v) > most ? Math.abs(v) : most), 0) : 0;

/** 12 %, 0.4 %, < 0.1 % */
export function percent(share: number): string {
    if (!Number.isFinite(share)) return "";
    if (share > 0 && share < 0.001) return "< 0.1 %";
    return `${share >= 0.1 || share === 0 ? Math.round(100 * share) : Number((100 * share).toPrecision(1))} %`;
}

export const bytes = (n: number): string => {
    const units = ["B", "kB", "MB", "GB", "TB"];
    let i = 0;
    for (; n >= 1000 && i < units.length - 1; i++) n /= 1000;
    return Number.isFinite(n) ? `${digits(n)} ${units[i]}` : "";
};

/** Of a time in nanoseconds since 1970, as a text since it is beyond what a number holds: 2026-11-20 08:11:30 UTC. */
export function date(ns: string): string {
    const ms = Number(ns.slice(0, -6));
    return ns.length > 6 && Number.isFinite(ms) ? new Date(ms).toISOString().slice(0, 19).replace("T", " ") + " UTC" : "";
}

/** What a column holds is in its name; most is the greatest of its seconds. */
export function cell(name: string, value: number | string | null, most: number): string {
    if (value === null) return "";
    if (name.endsWith("_ns") && typeof value === "string") return date(value);
    if (typeof value === "string") return value;
    if (isTime(name)) return secondsBeside(value, most);
    if (name === "share" || name.endsWith("_share")) return percent(value);
    return name === "bytes" ? bytes(value) : digits(value);
}

/** As one word of a shell. */
export const shell = (s: string): string => (/^[\w./:-]+$/.test(s) ? s : `'${s.replaceAll("'", "'\\''")}'`);

/** "median_s" -> "median" */
export const heading = (name: string): string => name.replace(/_(s|ns)$/, "").replace(/_/g, " ");
