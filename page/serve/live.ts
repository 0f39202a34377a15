// SPDX-License-Identifier: Apache-2.0
// The page of `spanloom serve`: the same report, of the run that is chosen, made anew when the store has grown; and SQL.
import { figure, section, text as textOf, type Report, type Table } from "../report/data";
import { el, FOCUSABLE } from "../report/dom";
import { kept } from "../report/kept";
import { table } from "../report/table";
import { remote, remoteStretch } from "../timeline/told";

interface Version {
    version: string;
    store: string;
    follow: string | null;
    imported_ago_s: number;
    problem: string | null;
}

const KEY = "spanloom-token",
    /** The run that was chosen, for this tab. */
    RUN = "spanloom-run";
/** What the report says of a run's end, in words. */
const ENDS: Record<string, string> = { ended: "has ended", done: "has no task left", "goes on": "goes on", "cut short": "is silent, and has not ended" };

/** The key stands behind the # of the address, which browsers send to nobody; it is kept for this tab, and not shown. */
function token(): string {
    const given = location.hash.slice(1);
    if (/^[0-9a-f]{32}$/.test(given)) {
        sessionStorage.setItem(KEY, given);
        history.replaceState(null, "", location.pathname);
    }
    return sessionStorage.getItem(KEY) ?? "";
}

async function ask<T>(path: string, body?: string): Promise<T> {
    const response = await fetch(`/api/${path}`, {
        headers: { "X-Spanloom-Token": sessionStorage.getItem(KEY) ?? "" }, cache: "no-store", credentials: "omit",
        ...(body === undefined ? {} : { method: "POST", body }),
    });
    if (response.status === 403) throw new Error("this address has not the key: open the one that `spanloom serve` printed");
    if (response.status === 503) throw new Error("the server is busy; try again");
    const answer = (await response.json()) as T & { error?: string };
    if (!response.ok) throw new Error(answer.error ?? `status ${response.status}`);
    return answer;
}

const csvCell = (x: unknown): string => {
    const text = x === null || x === undefined ? "" : String(x);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

export const csv = (of: Table): string =>
    [of.columns, ...Array.from({ length: of.rows }, (_, i) => of.columns.map(c => of.data[c]?.[i]))].map(row => row.map(csvCell).join(",")).join("\r\n") + "\r\n";

/** A box for a SELECT, and what it yields. */
function sqlBox(run: () => string | null): HTMLElement {
    const text = el("textarea", { rows: 4, spellcheck: false, "aria-label": "SQL", placeholder: "SELECT app, count(*), sum(run_s) FROM task GROUP BY app" }),
        out = el("div"),
        said = el("p", { class: "quiet", role: "status" }),
        go = el("button", { type: "button", click: () => void ask_() }, "Run (Ctrl+Enter)"),
        save = el("button", { type: "button", hidden: true }, "Save as csv");
    let last: Table | undefined;
    async function ask_(): Promise<void> {
        said.textContent = "asking …";
        said.classList.remove("problem");
        go.disabled = true;
        try {
            const name = run(),
                begin = performance.now(),
                got = await ask<Table & { limit: string | null }>(`sql${name === null ? "" : `?run=${encodeURIComponent(name)}`}`, text.value);
            last = got;
            said.textContent = `${got.rows.toLocaleString("en-US")} ${got.rows === 1 ? "row" : "rows"}, ${((performance.now() - begin) / 1000).toFixed(2)} s${got.limit ? `; ${got.limit}` : ""}`;
            out.replaceChildren(got.columns.length ? table(got, { label: "What the SQL yields", figure: "sql", most: 50 }) : "");
            save.hidden = got.rows === 0;
        } catch (error) {
            said.textContent = error instanceof Error ? error.message : String(error);
            said.classList.add("problem");
            out.replaceChildren();
            save.hidden = true;
        }
        go.disabled = false;
    }
    save.addEventListener("click", () => {
        if (!last) return;
        const url = URL.createObjectURL(new Blob([csv(last)], { type: "text/csv" }));
        el("a", { href: url, download: "spanloom.csv" }).click();
        setTimeout(() => URL.revokeObjectURL(url), 10_000);
    });
    text.addEventListener("keydown", event => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            void ask_();
        }
        event.stopPropagation();
    });
    return el("section", { id: "sql", class: "sql", "aria-labelledby": "sql-title" }, el("h2", { id: "sql-title" }, "SQL"),
        el("p", { class: "quiet" }, "One SELECT over the store; of the run that is chosen, run, task, attempt, worker, path … are tables, :run is its span. It reads only."),
        text, el("p", {}, go, " ", save), said, out);
}

/** Makes the page anew: the reader is where he was, as far as that is still there. */
function around(make: () => void): void {
    const parts = () => [...document.querySelectorAll<HTMLElement>("body > .top, main > header, main > section")],
        named = (e: Element) => e.id || e.className || e.tagName,
        here = parts().slice(1).filter(e => e.getBoundingClientRect().top <= innerHeight / 3).pop(),
        place = here && { name: named(here), top: here.getBoundingClientRect().top },
        focus = document.activeElement,
        box = focus && parts().find(e => e.contains(focus)),
        focused = box && { name: named(box), at: [...box.querySelectorAll(FOCUSABLE)].indexOf(focus) },
        typed = focus instanceof HTMLInputElement || focus instanceof HTMLTextAreaElement ? ([focus.selectionStart, focus.selectionEnd] as const) : undefined;
    kept.gather();
    make();
    const again = focused && parts().find(e => named(e) === focused.name)?.querySelectorAll<HTMLElement>(FOCUSABLE)[focused.at];
    again?.focus({ preventScroll: true });
    if (typed && (again instanceof HTMLInputElement || again instanceof HTMLTextAreaElement) && again.selectionStart !== null) again.setSelectionRange(...typed);
    const now = place && parts().find(e => named(e) === place.name);
    if (now) scrollBy(0, now.getBoundingClientRect().top - place.top);
}

/** Shows what the server has, until it ends. show: anew, or of the same run, where what is chosen stays. */
export async function live(show: (report: Report, anew: boolean) => void): Promise<void> {
    token();
    let version = await ask<Version>("version"),
        of: string | null = null,
        shown: string | null | undefined,
        showing = false,
        held = false,
        state = "",
        loaded = 0;
    // what is being dragged or chosen from stays under the hand
    addEventListener("pointerdown", () => (held = true), true);
    for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => (held = false), true);
    const say = el("span", { class: "quiet", role: "status" }),
        age = el("span", { class: "quiet" }),
        choose = el("select", { "aria-label": "Run", change: () => {
            sessionStorage.setItem(RUN, choose.value);
            void load(choose.value);
        } }),
        again = el("button", { type: "button", hidden: true, click: () => void load(of) }, "show what is new"),
        auto = el("input", { type: "checkbox", checked: version.follow !== null }),
        box = el("div", { class: "live", role: "region", "aria-label": "Which run, and what is new" }, el("label", {}, "Run ", choose), el("label", {}, auto, " show what is new at once"), again, say, age);

    async function names(): Promise<void> {
        const told = await ask<Table & { first: string | null }>("runs"),
            all = (told.data["run"] ?? []).map(String),
            before = sessionStorage.getItem(RUN);
        choose.replaceChildren(...all.map(name => el("option", { value: name, selected: name === of }, name)));
        choose.parentElement!.hidden = all.length === 0;
        of ??= all.find(name => name === before) ?? all.find(name => name === told.first) ?? all[all.length - 1] ?? null;
        if (of !== null) choose.value = of;
    }
    async function load(name: string | null): Promise<void> {
        if (showing) return;
        showing = true;
        if (!box.isConnected) document.body.prepend(el("div", { class: "top" }, box));
        say.textContent = "reading …";
        const begin = performance.now(),
            clock = setInterval(() => (age.textContent = `${Math.round((performance.now() - begin) / 1000)} s so far; the first time, a large run takes a while`), 1000);
        try {
            of = name;
            await names();
            const report = await ask<Report>(`report${of === null ? "" : `?run=${encodeURIComponent(of)}`}`),
                ran = report.runs[0] && figure(section(report.runs[0], "findings"), "run");
            while (held) await new Promise(done => setTimeout(done, 100));
            around(() => {
                document.querySelectorAll("body > .top, body > main").forEach(e => e.remove());
                show(report, shown !== of);
                document.querySelector("body > .top")?.prepend(box);
                document.querySelector("main")?.append(sql);
                document.querySelector("nav")?.append(el("a", { href: "#sql" }, "SQL"));
            });
            shown = of;
            loaded = performance.now();
            state = textOf(ran, "state");
            document.title = `${of ?? "Spanloom"}${ENDS[state] ? `: ${ENDS[state]}` : ""}`;
            document.documentElement.dataset["shown"] = version.version;
            again.hidden = true;
            tell();
        } catch (error) {
            say.textContent = error instanceof Error ? error.message : String(error);
            age.textContent = "";
        }
        clearInterval(clock);
        showing = false;
    }
    function tell(): void {
        const { follow, imported_ago_s, problem } = version;
        const words = problem ?? (ENDS[state] ? `The run ${ENDS[state]}.` : "");
        if (say.textContent !== words) say.textContent = words; // told aloud
        age.textContent = follow === null ? "" : `following ${follow}, read ${imported_ago_s} s ago`;
        say.classList.toggle("problem", problem !== null);
    }
    const sql = sqlBox(() => of);
    remote(async id => ask(`span?id=${id}`));
    remoteStretch(async (from, to, start) => ask(`spans?run=${encodeURIComponent(of ?? "")}&from_ns=${from}&to_ns=${to}&start_ns=${start}`));
    await load(null);
    const look = async () => {
        if (document.hidden || showing || held) return;
        try {
            const now = await ask<Version>("version"),
                grown = now.version !== version.version;
            version = now;
            // a minute of silence is told, too
            if (!grown && state === "goes on" && performance.now() - loaded > 65_000) await load(of);
            else if (!grown) tell();
            else if (auto.checked) await load(of);
            else {
                again.hidden = false;
                tell();
            }
        } catch (error) {
            age.textContent = "";
            say.textContent = error instanceof TypeError ? "the server has ended" : error instanceof Error ? error.message : String(error);
            say.classList.add("problem");
        }
    };
    setInterval(() => void look(), 2000);
}
