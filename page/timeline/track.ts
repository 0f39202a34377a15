// SPDX-License-Identifier: Apache-2.0
// Spans of one line, and how many of a lane are there at once, such that what a pixel shows is found by halving.

/** The first i in [low, v.length) with v[i] >= x; v ascends. */
export function lowerBound(v: Float64Array, x: number, low = 0): number {
    let high = v.length;
    while (low < high) {
        const middle = (low + high) >>> 1;
        if (v[middle]! < x) low = middle + 1;
        else high = middle;
    }
    return low;
}

/** Spans that do not overlap, in order of time. */
export class Track {
    readonly from: Float64Array;
    readonly to: Float64Array;
    /** sum[i]: how long the first i are, together. */
    readonly sum: Float64Array;
    /** lit[i]: how many of the first i are lit, as of `version`. */
    private lit: Int32Array | undefined;
    private version = -1;

    constructor(readonly items: Int32Array, from: Float64Array, to: Float64Array, share: Float64Array) {
        const n = items.length;
        this.from = new Float64Array(n);
        this.to = new Float64Array(n);
        this.sum = new Float64Array(n + 1);
        for (let k = 0; k < n; k++) {
            const i = items[k]!;
            this.from[k] = from[i]!;
            this.to[k] = to[i]!;
            this.sum[k + 1] = this.sum[k]! + (to[i]! - from[i]!) * (share[i] ?? 1);
        }
    }

    /** The first that ends after t. */
    first(t: number): number {
        return lowerBound(this.to, t);
    }

    /** Whether any of [a, b) is lit. */
    anyLit(a: number, b: number, lit: Uint8Array, version: number): boolean {
        if (this.version !== version || !this.lit) {
            this.lit = new Int32Array(this.items.length + 1);
            for (let k = 0; k < this.items.length; k++) this.lit[k + 1] = this.lit[k]! + lit[this.items[k]!]!;
            this.version = version;
        }
        return this.lit[b]! > this.lit[a]!;
    }
}

/** How many spans are there at once. */
export class Together {
    private readonly starts: Float64Array;
    private readonly ends: Float64Array;
    private readonly startSum: Float64Array;
    private readonly endSum: Float64Array;
    readonly most: number;

    constructor(items: Int32Array, from: Float64Array, to: Float64Array) {
        const sorted = (of: Float64Array) => Float64Array.from(items, i => of[i]!).sort(),
            sums = (of: Float64Array) => {
                const s = new Float64Array(of.length + 1);
                for (let i = 0; i < of.length; i++) s[i + 1] = s[i]! + of[i]!;
                return s;
            };
        this.starts = sorted(from);
        this.ends = sorted(to);
        this.startSum = sums(this.starts);
        this.endSum = sums(this.ends);
        let most = 0;
        for (let i = 0, e = 0; i < this.starts.length; i++) {
            while (this.ends[e]! <= this.starts[i]!) e++;
            most = Math.max(most, i + 1 - e);
        }
        this.most = most;
    }

    /** Span-seconds until t. */
    private until(t: number): number {
        const s = lowerBound(this.starts, t),
            e = lowerBound(this.ends, t);
        return t * (s - e) - this.startSum[s]! + this.endSum[e]!;
    }

    /** The mean between two times. */
    mean(a: number, b: number): number {
        return b > a ? (this.until(b) - this.until(a)) / (b - a) : 0;
    }
}

/** Beside each other in as few tracks as there are, a span in the first that is free; undefined: in more than `most`. */
export function inTracks(items: Int32Array, from: Float64Array, to: Float64Array, share: Float64Array, most: number): Track[] | undefined {
    const ends: number[] = [],
        rows: number[][] = [];
    for (const i of items) {
        const a = from[i]!;
        let row = 0;
        while (row < ends.length && ends[row]! > a) row++;
        if (row === most) return undefined;
        if (row === ends.length) rows.push([]);
        ends[row] = Math.max(to[i]!, a + Number.EPSILON);
        rows[row]!.push(i);
    }
    return rows.map(row => new Track(Int32Array.from(row), from, to, share));
}
