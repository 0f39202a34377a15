// SPDX-License-Identifier: Apache-2.0
// What a reader has set up - how tables are sorted, what is unfolded or zoomed to - by name: pages are made anew as runs go on.
const all = new Map<string, unknown>();
let leaving: (() => void)[] = [];

export const kept = {
    get: <T>(name: string): T | undefined => all.get(name) as T | undefined,
    set: (name: string, value: unknown): void => void all.set(name, value),
    clear: (): void => all.clear(),
    /** Sets something, once, before the page is made anew. */
    leave: (set: () => void): void => void leaving.push(set),
    gather(): void {
        for (const set of leaving) set();
        leaving = [];
    },
};
