// SPDX-License-Identifier: Apache-2.0
// Makes dist/headless.js, dist/schemas.json, dist/page.html, dist/report.html, dist/run.html, dist/serve.html and dist/NOTICE. `make plots` runs it.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { buildSync } from "esbuild";

const read = path => readFileSync(path, "utf8");
const schema = name => JSON.parse(read(`node_modules/${name}/build/${name}-schema.json`));

const EXPLAINS = new Set(["description", "default", "title", "format"]);
const NAMED = new Set(["properties", "patternProperties", "definitions", "refs", "defs"]);

/** A JSON schema without what explains it to people; names: the keys of x are names that it gives. */
function bare(x, names = false) {
    if (Array.isArray(x)) return x.map(y => bare(y));
    if (!x || typeof x !== "object") return x;
    return Object.fromEntries(
        Object.entries(x)
            .filter(([key]) => names || !EXPLAINS.has(key))
            .map(([key, y]) => [key, !names && key === "enum" ? y : bare(y, !names && NAMED.has(key))]),
    );
}

function marks({ definitions }) {
    const words = x => x.enum ?? (x.const ? [x.const] : []);
    return ["Mark", "BoxPlot", "ErrorBar", "ErrorBand"].flatMap(name => words(definitions[name])).sort();
}

function bundle(entry, target) {
    const { outputFiles, metafile } = buildSync({
        entryPoints: [entry],
        target,
        bundle: true,
        minify: true,
        platform: "browser",
        format: "iife",
        write: false,
        metafile: true,
        legalComments: "none", // NOTICE has them
        define: { VEGA_LITE_MARKS: JSON.stringify(marks(schema("vega-lite"))) },
    });
    return { code: outputFiles[0].text, files: Object.keys(metafile.inputs) };
}

const minify = entry => buildSync({ entryPoints: [entry], minify: true, write: false }).outputFiles[0].text.trim();

/** What the licences of all packages in the bundles want to be told, each text once. */
function notices(files) {
    const packages = new Set(files.map(file => /^node_modules\/((@[^/]+\/)?[^/]+)\//.exec(file)?.[1]).filter(Boolean));
    const users = new Map();
    for (const name of [...packages].sort()) {
        const folder = `node_modules/${name}`,
            { version, license } = JSON.parse(read(`${folder}/package.json`));
        if (!/^(Apache-2.0|BSD-[23]-Clause|ISC|MIT|0BSD|Unlicense)$/.test(license))
            throw new Error(`${name} has the licence ${license}`);
        const file = readdirSync(folder).find(f => /^licen[cs]e/i.test(f));
        if (!file) throw new Error(`${name} has no file LICENSE`);
        const text = read(`${folder}/${file}`)
            .replace(/\r/g, "")
            .replace(/[ \t]+$/gm, "")
            .trim();
        users.set(text, [...(users.get(text) ?? []), `${name} ${version}`]);
    }
    if (!users.size) return "";
    return (
        "Spanloom draws by these programs, which are inside of this file or the one beside it.\n\n" +
        [...users].map(([text, names]) => `${names.join(", ")}:\n\n${text}\n`).join(`\n${"-".repeat(80)}\n\n`)
    );
}

const hash = text => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
// In HTML a script ends at its first </script, whatever that stands in.
const inHtml = code => code.replace(/<(?=\/script|!--)/gi, "\\x3c");

const headless = bundle("headless.ts", ["safari16"]);
const browser = bundle("browser.ts", ["es2021"]);
const run = bundle("report/run.ts", ["es2022"]);
const notice = notices([...headless.files, ...browser.files]);
const loader = inHtml(minify("loader.js"));

/** A page that allows its own scripts and its own style, and nothing else. */
function page(name, { code, files }, ...styles) {
    const style = styles.map(minify).join("");
    const parts = {
        "SCRIPTS": `${hash(loader)} ${hash(code)}`,
        "STYLE-HASH": hash(style),
        "STYLE": style,
        "LOADER": loader,
        "BUNDLE": gzipSync(code, { level: 9 }).toString("base64"),
    };
    const html = read(`${name}.html`).replace(/@([A-Z-]+)@/g, (all, part) => parts[part] ?? all);
    const notice = notices(files);
    return notice ? `${html}<!--\n${notice.replace(/--+/g, dashes => "- ".repeat(dashes.length))}-->\n` : html;
}

mkdirSync("dist", { recursive: true });
writeFileSync("dist/NOTICE", notice);
writeFileSync("dist/headless.js", `/*\n${notice.replace(/\*\//g, "* /")}*/\n${headless.code}`);
writeFileSync("dist/page.html", page("page", browser, "page.css"));
writeFileSync("dist/report.html", page("report", browser, "page.css", "report.css"));
writeFileSync("dist/run.html", page("run", run, "run.css", "timeline.css", "serve.css"));
// what serve sends asks it again, but for no picture of it, as browsers do
writeFileSync("dist/serve.html", read("dist/run.html").replace("base-uri 'none'", "connect-src 'self'; img-src data:; base-uri 'none'")
    .replace("<title>", '<link rel="icon" href="data:,"><title>'));
const schemas = Object.fromEntries(["vega", "vega-lite"].map(name => [name, bare(schema(name))]));
writeFileSync("dist/schemas.json", JSON.stringify(schemas));
