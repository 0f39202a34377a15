// SPDX-License-Identifier: Apache-2.0
// Elements. Whatever comes out of a store is a text here, never HTML.

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | null | undefined | ((event: Event) => void)>;

/** el("a", { class: "b", href: "#c", click: event => ... }, "text", child) */
export function el<K extends keyof HTMLElementTagNameMap>(
    name: K,
    attributes: Attributes = {},
    ...children: Child[]
): HTMLElementTagNameMap[K] {
    const e = document.createElement(name);
    set(e, attributes);
    e.append(...children.filter((c): c is Node | string => typeof c === "string" || c instanceof Node));
    return e;
}

export function svg<K extends keyof SVGElementTagNameMap>(
    name: K,
    attributes: Attributes = {},
    ...children: Child[]
): SVGElementTagNameMap[K] {
    const e = document.createElementNS("http://www.w3.org/2000/svg", name);
    set(e, attributes);
    e.append(...children.filter((c): c is Node | string => typeof c === "string" || c instanceof Node));
    return e;
}

function set(e: Element, attributes: Attributes): void {
    for (const [name, value] of Object.entries(attributes)) {
        if (typeof value === "function") e.addEventListener(name, value);
        else if (value !== null && value !== undefined && value !== false) e.setAttribute(name, value === true ? "" : String(value));
    }
}

export const FOCUSABLE = "a[href], button, canvas, input, select, summary, textarea, [tabindex]";

/** Other nodes in a box; where the focus was inside, it is on what stands in its place. */
export function refill(box: HTMLElement, ...nodes: (Node | string)[]): void {
    const here = document.activeElement,
        at = here && box.contains(here) ? [...box.querySelectorAll(FOCUSABLE)].indexOf(here) : -1;
    box.replaceChildren(...nodes);
    if (at < 0) return;
    const now = box.querySelectorAll<HTMLElement>(FOCUSABLE),
        to = now[Math.min(at, now.length - 1)];
    if (!to) box.tabIndex = -1;
    (to ?? box).focus({ preventScroll: true });
}

/** A name in any script: the text around it keeps its direction. */
export const name = (text: string): HTMLElement => el("bdi", {}, text);

/** A value that is shown, and what it is exactly. */
export const shown = (text: string, value: number | string | null, attributes: Attributes = {}): HTMLElement =>
    el("span", { ...attributes, "data-value": value }, text);
