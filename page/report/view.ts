// SPDX-License-Identifier: Apache-2.0
// What a section of the report is shown by. A section without a view of its own is shown as tables.
import type { Choice } from "./choice";
import type { Report, Run, Section } from "./data";

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

export const views = new Map<string, View>();

/** The most of all runs, so that charts beside each other have the same axes. */
export const across = (context: Context, most: (run: Run) => number): number =>
    Math.max(...context.report.runs.map(most).filter(Number.isFinite), 1e-9);
