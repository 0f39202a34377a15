-- SPDX-License-Identifier: Apache-2.0
-- Built after the first load, which is faster than keeping them during it.
CREATE INDEX IF NOT EXISTS sl_span_type ON sl_span (type, key);
CREATE INDEX IF NOT EXISTS sl_span_parent ON sl_span (parent);
CREATE INDEX IF NOT EXISTS sl_link_right ON sl_link (right_span, kind);
CREATE INDEX IF NOT EXISTS sl_link_bound ON sl_link (rule) WHERE confidence IS NOT NULL;
