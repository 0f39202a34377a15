// SPDX-License-Identifier: Apache-2.0
// Where what is told of a span is asked for, when the page has not got it: of `spanloom serve`.
import type { Table } from "../report/data";

export interface Stretch {
    /** How many there are; the longest of them, if that is more than are here. */
    n: number;
    spans: Table;
    groups: Table;
    links: Table;
    types: Table;
}
type AskStretch = (from_ns: bigint, to_ns: bigint, start_ns: bigint) => Promise<Stretch>;
let stretch: AskStretch | undefined;
export const remoteStretch = (by: AskStretch): void => void (stretch = by);
export const askedStretch = (): AskStretch | undefined => stretch;

type Ask = (id: number) => Promise<{ events: Table; attributes: Table }>;
let ask: Ask | undefined;

export const remote = (by: Ask): void => void (ask = by);
export const asked = (): Ask | undefined => ask;
