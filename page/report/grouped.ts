// SPDX-License-Identifier: Apache-2.0
// Figures that come once more for each app and each executor, under `apps` and `executors`: rows have a `name`.
import type { Chosen } from "./choice";
import { figure, section, texts, type Figure, type Section } from "./data";
import type { Context } from "./view";

/** The figure that a choice asks for, and whose rows of it; of an app and an executor those of the app. */
export function grouped(s: Section | undefined, { app, executor }: Chosen): { of: Figure; name: string; what: string } | undefined {
    const apps = figure(s, "apps"),
        executors = figure(s, "executors");
    if (app !== null && apps) return { of: apps, name: app || "(none)", what: "app" };
    return executor !== null && executors ? { of: executors, name: executor || "(none)", what: "executor" } : undefined;
}

/** To which of app and executor such a section answers; what there is one of is all of it. */
export function answersGrouped(s: Section, { choice, run }: Context): (keyof Chosen)[] {
    const one = (what: "app" | "executor") => new Set(texts(figure(section(run, "apps"), `${what}s`), what)).size <= 1,
        apps = !!figure(s, "apps");
    return [...(apps || one("app") ? (["app"] as const) : []), ...(one("executor") || (figure(s, "executors") && !(apps && choice.now.app !== null)) ? (["executor"] as const) : [])];
}
