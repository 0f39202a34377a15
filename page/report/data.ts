// SPDX-License-Identifier: Apache-2.0
// The report's JSON (docs/report.md), and how it is opened.

export type Cell = number | string | null;

/** Rows, kept by column. */
export interface Table {
    rows: number;
    columns: string[];
    data: Record<string, Cell[]>;
}

export interface Figure extends Table {
    name: string;
    about: string;
    /** What its rows come from; `answer` where it is no SQL. */
    sql?: string;
    answer?: string;
    /** How its rows were reduced. */
    note?: string;
    /** Why there are none. */
    problem?: string;
}

export interface Section {
    name: string;
    title: string;
    about: string;
    needs: string | null;
    figures: Figure[];
}

export interface Run {
    store: string;
    /** What it is called; null: the store holds no run. */
    run: string | null;
    sections: Section[];
}

export interface Report {
    spanloom: number;
    runs: Run[];
    /** Of two runs, what is slower or faster. */
    compared?: Record<string, Table>;
}

/** The JSON that the page holds, gzip in base64. */
export async function open(base64: string): Promise<Report> {
    const bytes = atob(base64),
        packed = new Uint8Array(bytes.length);
    for (let i = 0; i < packed.length; i++) packed[i] = bytes.charCodeAt(i);
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text()) as Report;
}

export const section = (run: Run, name: string): Section | undefined => run.sections.find(s => s.name === name);
export const figure = (of: Section | undefined, name: string): Figure | undefined =>
    of?.figures.find(f => f.name === name && f.rows > 0);

const none: Cell[] = [];
export const column = (table: Table | undefined, name: string): Cell[] => table?.data[name] ?? none;
/** Numbers of a column; what is none is NaN. */
export function numbers(table: Table | undefined, name: string): Float64Array {
    const from = column(table, name),
        all = new Float64Array(from.length);
    for (let i = 0; i < all.length; i++) {
        const x = from[i];
        all[i] = typeof x === "number" ? x : NaN;
    }
    return all;
}
export const texts = (table: Table | undefined, name: string): (string | null)[] =>
    column(table, name).map(x => (x === null ? null : String(x)));
export const number = (table: Table | undefined, name: string, row = 0): number => {
    const x = column(table, name)[row];
    return typeof x === "number" ? x : NaN;
};
export const text = (table: Table | undefined, name: string, row = 0): string => {
    const x = column(table, name)[row];
    return x === null || x === undefined ? "" : String(x);
};

export const hasRows = (s: Section | undefined): boolean => !!s && s.figures.some(f => f.rows > 0 || f.problem !== undefined);
