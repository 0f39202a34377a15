-- SPDX-License-Identifier: Apache-2.0
-- Built after the first load, which is faster than keeping them during it.
CREATE INDEX IF NOT EXISTS sl_span_type ON sl_span (type, key, parent);
CREATE INDEX IF NOT EXISTS sl_span_parent ON sl_span (parent);
CREATE INDEX IF NOT EXISTS sl_ghost_type ON sl_ghost (type, key, parent);
CREATE INDEX IF NOT EXISTS sl_weak_right ON sl_weak (right_span);
CREATE INDEX IF NOT EXISTS sl_zone_root ON sl_zone (root);
CREATE INDEX IF NOT EXISTS sl_zone_learned ON sl_zone (offset_s) WHERE how NOT IN ('assumed', 'given');
CREATE INDEX IF NOT EXISTS sl_zone_guessed ON sl_zone (root) WHERE how IN ('assumed', 'given');
CREATE INDEX IF NOT EXISTS sl_link_right ON sl_link (right_span, kind);
CREATE INDEX IF NOT EXISTS sl_link_bound ON sl_link (rule) WHERE confidence IS NOT NULL;
CREATE INDEX IF NOT EXISTS sl_doubt_right ON sl_doubt (right_span);

CREATE INDEX IF NOT EXISTS sl_source_packed ON sl_source (recipe) WHERE path GLOB '*.gz' OR path GLOB '*.zst' OR path GLOB '*.xz'
    OR path GLOB '*.bz2';

-- What check.sql asks for, in the same words: rows that no import writes, so these are empty.
CREATE INDEX IF NOT EXISTS sl_source_pathless ON sl_source (path) WHERE typeof(path) <> 'text';
CREATE INDEX IF NOT EXISTS sl_source_damaged ON sl_source (id) WHERE id NOT BETWEEN 0 AND 4000000000 OR typeof(id) <> 'integer'
    OR typeof(recipe) <> 'text' OR typeof(component) <> 'text' OR typeof(part) = 'blob' OR typeof(hash) = 'blob' OR typeof(context) = 'blob'
    OR bytes NOT BETWEEN 0 AND 9223372036854775807 OR mtime_ns >= '' OR replaced_by >= '' OR input >= ''
    OR typeof(records + used + skipped + rejected) <> 'integer' OR min(records, used, skipped, rejected) < 0;
CREATE INDEX IF NOT EXISTS sl_zone_damaged ON sl_zone (id) WHERE id NOT BETWEEN 1 AND 4000000000 OR typeof(id + root + offset_s) <> 'integer'
    OR since_ns >= '' OR until_ns >= '' OR offset_s NOT BETWEEN -86400 AND 86400 OR typeof(how) <> 'text';
CREATE INDEX IF NOT EXISTS sl_shared_damaged ON sl_shared (scope) WHERE typeof(field) <> 'text' OR typeof(scope) <> 'text' OR typeof(value) <> 'text';
