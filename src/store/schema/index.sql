-- SPDX-License-Identifier: Apache-2.0
-- Built after the first load, which is faster than keeping them during it.
CREATE INDEX IF NOT EXISTS sl_span_type ON sl_span (type, key, parent);
CREATE INDEX IF NOT EXISTS sl_span_parent ON sl_span (parent);
CREATE INDEX IF NOT EXISTS sl_ghost_type ON sl_ghost (type, key, parent);
CREATE INDEX IF NOT EXISTS sl_weak_right ON sl_weak (right_span);
CREATE INDEX IF NOT EXISTS sl_zone_root ON sl_zone (root);
CREATE INDEX IF NOT EXISTS sl_link_right ON sl_link (right_span, kind);
CREATE INDEX IF NOT EXISTS sl_link_bound ON sl_link (rule) WHERE confidence IS NOT NULL;
