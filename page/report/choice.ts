// SPDX-License-Identifier: Apache-2.0
// What is chosen on the page: a time range, an app, an executor, a task. All figures show that.

export interface Chosen {
    /** Seconds since the run began. */
    range: readonly [number, number] | null;
    /** A task that names no app has the app "". */
    app: string | null;
    executor: string | null;
    /** A task's key, of which run. */
    task: { run: number; task: string } | null;
}

const NONE: Chosen = { range: null, app: null, executor: null, task: null };

export class Choice {
    now: Chosen = NONE;
    private readonly told: (() => void)[] = [];
    private waiting = false;

    /** Calls it after each change, and once for several that come together. */
    on(tell: () => void): void {
        this.told.push(tell);
    }

    set(some: Partial<Chosen>): void {
        this.now = { ...this.now, ...some };
        if (this.waiting) return;
        this.waiting = true;
        requestAnimationFrame(() => {
            this.waiting = false;
            for (const tell of this.told) tell();
        });
    }

    /** Those that were told are gone; what is chosen stays. */
    forget(): void {
        this.told.length = 0;
    }

    clear(): void {
        this.set(NONE);
    }

    get any(): boolean {
        return this.now.range !== null || this.now.app !== null || this.now.executor !== null || this.now.task !== null;
    }
}
