// SPDX-License-Identifier: Apache-2.0
// Colours, light and dark: those of plots (plots/look.json) where these have them.

interface Look {
    range: { category: string[]; ramp: string[] };
}

export interface Theme {
    dark: boolean;
    ink: string;
    quiet: string;
    line: string;
    grid: string;
    paper: string;
    /** Over what is not chosen. */
    veil: string;
    font: string;
    category: string[];
    /** Of shares, from little to much. */
    ramp: string[];
    bad: string;
}

let look: { light: Look; dark: Look } | undefined;
const isDark = matchMedia("(prefers-color-scheme: dark)"),
    isPrint = matchMedia("print"),
    root = document.documentElement;
// Firefox prints a copy of the page, for which nothing here is drawn anew
addEventListener("beforeprint", () => (root.dataset["printed"] = "yes"));
addEventListener("afterprint", () => delete root.dataset["printed"]);

export function theme(): Theme {
    look ??= JSON.parse(document.getElementById("look")?.textContent ?? "") as { light: Look; dark: Look };
    const dark = isDark.matches && !isPrint.matches && root.dataset["printed"] === undefined,
        { range } = dark ? look.dark : look.light,
        style = getComputedStyle(root),
        of = (name: string) => style.getPropertyValue(name).trim();
    return {
        dark, ink: of("--ink"), quiet: of("--quiet"), line: of("--line"), grid: of("--grid"), paper: of("--paper"),
        veil: dark ? "#14171cb0" : "#ffffffb8", font: "11px system-ui, sans-serif", category: range.category, ramp: range.ramp, bad: of("--bad"),
    };
}

const KINDS: Record<string, readonly [light: string[], dark: string[]]> = {
    depend: [["#55307f", "#8f3f8f", "#c9a6e4"], ["#a98bd8", "#c98bc9", "#e0cdf2"]],
    wait: [["#e69f00", "#f3c56b", "#c2b000", "#8a5a00"], ["#f0b429", "#f8d48a", "#fff59d", "#b07a1a"]],
    run: [["#0072b2", "#003f63"], ["#4aa3df", "#2a6f9e"]],
    work: [["#009e73", "#56b4e9", "#00573f", "#b2dfd0", "#3f7f6b"], ["#2fc39a", "#8fd0f5", "#1a7d63", "#bfe9dc", "#6fae99"]],
    driver: [["#7f8c8d", "#4d545c", "#aab2bb"], ["#a5b0b1", "#747c85", "#cfd6dc"]],
    done: [["#aab2bb"], ["#6b7480"]],
    other: [["#cc79a7", "#d55e00", "#4d545c"], ["#de93bd", "#f27c38", "#747c85"]],
};

/** The n-th state of a kind: waiting is orange, running blue, being handed on green; what is lost is red, which no app is. */
export function kindColour(t: Theme, kind: string | null, n: number): string {
    if (kind === "lost") return t.bad;
    const of = (KINDS[kind ?? "other"] ?? KINDS["other"] as readonly [string[], string[]])[t.dark ? 1 : 0];
    return of[n % of.length] as string;
}

const known = new Map<string, readonly [kind: string | null, n: number]>();

/** States have their colours for as long as the page is there, whichever figure has them: those that are told of first have the first of their kind. */
export function learn(states: readonly (readonly [state: string, kind: string | null])[]): void {
    for (const [state, kind] of states)
        if (!known.has(state)) known.set(state, [kind, [...known.values()].filter(([k]) => k === kind).length]);
}

export const stateColour = (t: Theme, state: string | null): string => kindColour(t, ...(known.get(state ?? "") ?? ([null, 0] as const)));

export const category = (t: Theme, n: number): string => t.category[n % t.category.length] as string;

/** The colour of a share, 0 to 1. */
export const ramp = (t: Theme, share: number): string => t.ramp[Math.max(0, Math.min(t.ramp.length - 1, Math.floor(share * t.ramp.length)))] as string;
