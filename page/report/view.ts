// SPDX-License-Identifier: Apache-2.0
// What a section of the report is shown by. A section without a view of its own is shown as tables.
import type { Choice, Chosen } from "./choice";
import type { Report, Run, Section } from "./data";
import { el } from "./dom";

export interface Context {
    report: Report;
    run: Run;
    /** Which of the report's runs it is. */
    index: number;
    choice: Choice;
    /** From the begin of the run to its end, of the longest of them; what charts over time show. */
    end_s: number;
}

/** The nodes below the section's title; undefined: it has nothing to show. */
export type View = (section: Section, context: Context) => Node[] | undefined;
/** To what of a choice it answers; of the rest the page says that it does not. */
type Answers = readonly (keyof Chosen)[] | ((section: Section, context: Context) => readonly (keyof Chosen)[]);

const views = new Map<string, { view: View; answers: Answers }>();

export const shows = (name: string, answers: Answers, view: View): void => void views.set(name, { view, answers });
export const viewOf = (name: string): View | undefined => views.get(name)?.view;

const WORDS: Record<keyof Chosen, string> = { range: "time", app: "app", executor: "executor", task: "task" };

/** A line that says so, while something is chosen to which a section does not answer. */
export function scope(s: Section, context: Context): HTMLElement {
    const p = el("p", { class: "quiet note scope", hidden: true }),
        { choice } = context;
    function draw(): void {
        const answers = views.get(s.name)?.answers ?? [],
            to = typeof answers === "function" ? answers(s, context) : answers,
            deaf = (Object.keys(WORDS) as (keyof Chosen)[]).filter(what => choice.now[what] !== null && !to.includes(what)).map(what => WORDS[what]);
        p.hidden = deaf.length === 0;
        p.textContent = `Whole run, whatever ${deaf.length > 1 ? `${deaf.slice(0, -1).join(", ")} and ${deaf[deaf.length - 1]} are` : `${deaf[0]} is`} chosen.`;
    }
    choice.on(draw);
    draw();
    return p;
}

/** The most of all runs, so that charts beside each other have the same axes. */
export const across = (context: Context, most: (run: Run) => number): number =>
    Math.max(...context.report.runs.map(most).filter(Number.isFinite), 1e-9);
