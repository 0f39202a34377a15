# SPDX-License-Identifier: Apache-2.0
"""A store of texts that break formats, and what exports must say of them: types, keys, events, attributes."""
import contextlib
import json
import sqlite3

LONG = "name, \"of\" a\tmegabyte\n" * 45_600
TEXTS = [text.encode() for text in (
    'quote " and \' and ``', "line\nend\r\nand \r alone", "tab\tcomma, semicolon; pipe|", "\\n \\u0000 \\x00 \\\\ \\\" ends in \\", "%s%n$(id)`id`",
    "=1+1", "=HYPERLINK(\"http://x\",\"y\")", "+1", "-1", "@SUM(A1)", " leading and trailing ", "<script>alert(1)</script>&amp;", "]]>--><!--", "{\"json\": [1, null]}",
    "".join(map(chr, range(1, 32))) + "\x7f\x85\u2028\u2029", "\u202eright to left\u202c \u2066isolate\u2069 \u200b\ufeff", "\U0001f600 e\u0301 \ufffe\uffff \U0010ffff",
    "NULL", "null", "true", "007", "1e5", "-0", "spanloom", "spanloom.type", "args.spanloom", "name", "span", "key", LONG)] + [
    b"bytes \xff\xfe \xc3( \xed\xa0\x80 \xf4\x90\x80\x80 \xc0\xaf cut \xe2\x82"]


def said(text):
    """As all exports write it: what is not UTF-8 is \\xNN."""
    return text.decode(errors="backslashreplace")


def make(store, longest=len(LONG)):
    """{span: {"type", "key", "event": {...}, "attr": {(name, value), ...}}}.  store is one that is there; longest: of texts, in bytes."""
    texts = [t[:longest] for t in TEXTS]
    want, short = {}, [t for t in texts if len(t) < 1000]
    with contextlib.closing(sqlite3.connect(store)) as db:
        source = db.execute("INSERT INTO sl_source (path, recipe, component) VALUES ('/x', 'x', ?) RETURNING id", (said(texts[0]),)).fetchone()[0]

        def name(text):
            db.execute("INSERT OR IGNORE INTO sl_name (name) VALUES (CAST(? AS TEXT))", (text,))
            return db.execute("SELECT id FROM sl_name WHERE name = CAST(? AS TEXT)", (text,)).fetchone()[0]

        shape = db.execute("SELECT ifnull(max(id), 0) + 1 FROM sl_shape").fetchone()[0]
        db.executemany("INSERT INTO sl_shape VALUES (?, ?, CAST(? AS TEXT), ?)", [(shape, i, t, f"$[{i}]") for i, t in enumerate(texts)])
        for i, text in enumerate(texts):
            kind = text if text in short else b"type"
            span = db.execute("INSERT INTO sl_span (type, key, source) VALUES (?, CAST(? AS TEXT), ?) RETURNING id", (name(kind), text, source)).fetchone()[0]
            events = {text, texts[i - 1]}
            db.executemany("INSERT INTO sl_event VALUES (?, ?, ?, ?, 1, NULL)", [(span, 10**18 + n, name(e), source) for n, e in enumerate(sorted(events))])
            values = [said(texts[(i + k) % len(texts)]) if k < 3 else (None, 7, -2.5e-7, 2**62)[k % 4] for k in range(len(texts))]
            values[i] = said(text)
            db.execute("INSERT INTO sl_attr VALUES (?, ?, ?, 1, ?)", (span, shape, source, json.dumps(values, ensure_ascii=i % 2 == 0)))
            want[span] = {"type": said(kind), "key": said(text), "event": {said(e) for e in events},
                          "attr": {(said(n), v) for n, v in zip(texts, values) if v is not None}}
        db.commit()
    return want
