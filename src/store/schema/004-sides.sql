-- SPDX-License-Identifier: Apache-2.0
-- Facets have sides (monitoring left, as in dnpcsql), where the smaller id stood left before; and dnpcsql's uuids of
-- events, so that INSERT OR REPLACE knows which is meant.

ALTER TABLE sl_note ADD COLUMN uuid TEXT;
CREATE UNIQUE INDEX sl_note_uuid ON sl_note (uuid) WHERE uuid IS NOT NULL;
CREATE INDEX sl_event_inserted ON sl_event (place) WHERE source = 0;

-- Those that stand the wrong way round: by what recipes and users' bindings say.  What scripts inserted stays as it is.
CREATE TEMP TABLE sl_turn AS
WITH pair AS (
    SELECT left_span, right_span, rule FROM sl_link WHERE kind = 2 AND source IS NOT 0
    UNION SELECT left_span, right_span, rule FROM sl_link_also WHERE kind = 2 AND source <> 0
    UNION SELECT left_span, right_span, rule FROM sl_link_off WHERE kind = 2 AND source IS NOT 0
    UNION SELECT left_span, right_span, rule FROM sl_weak WHERE kind = 2 AND source <> 0
    UNION SELECT left_span, right_span, rule FROM sl_doubt WHERE kind = 2),
side AS (
    SELECT left_span, right_span, (SELECT name FROM sl_name WHERE id = pair.rule) AS rule,
        (SELECT name FROM sl_name WHERE id = coalesce((SELECT type FROM sl_span WHERE id = left_span),
            (SELECT type FROM sl_ghost WHERE id = left_span))) AS a,
        (SELECT name FROM sl_name WHERE id = coalesce((SELECT type FROM sl_span WHERE id = right_span),
            (SELECT type FROM sl_ghost WHERE id = right_span))) AS b
    FROM pair),
-- [guess] A facet B [where ...]; A and B are types, or unique ends of them
said AS (
    SELECT name, '.' || substr(text, 1, instr(text, ' facet ') - 1) AS a,
        '.' || substr(right, 1, instr(right || ' ', ' ') - 1) AS b
    FROM (SELECT name, text, ltrim(substr(text, instr(text, ' facet ') + 7)) AS right
        FROM (SELECT name, trim(iif(trim(rule) LIKE 'guess %', substr(trim(rule), 7), rule)) AS text FROM sl_bind)
        WHERE instr(text, ' facet ') > 0))
SELECT DISTINCT left_span, right_span FROM side WHERE
    CASE WHEN a LIKE 'parsl.monitoring.%' THEN 1 WHEN a LIKE 'parsl.tracing.%' THEN 2 ELSE 3 END >
    CASE WHEN b LIKE 'parsl.monitoring.%' THEN 1 WHEN b LIKE 'parsl.tracing.%' THEN 2 ELSE 3 END
        AND rule NOT IN (SELECT name FROM said)
    OR (b = 'slurm.job' AND a <> b AND rule = 'slurm.block')
    OR (a <> b AND rule IN (SELECT s.name FROM said s
        WHERE substr('.' || side.b, -length(s.a)) = s.a AND substr('.' || side.a, -length(s.a)) <> s.a
            OR substr('.' || side.a, -length(s.b)) = s.b AND substr('.' || side.b, -length(s.b)) <> s.b))
    OR (rule = 'same root' AND
        (WITH RECURSIVE up(key, parent) AS (SELECT key, parent FROM sl_span WHERE id = left_span
            UNION ALL SELECT s.key, s.parent FROM up JOIN sl_span s ON s.id = up.parent)
            SELECT group_concat(key, char(10)) FROM up) >
        (WITH RECURSIVE up(key, parent) AS (SELECT key, parent FROM sl_span WHERE id = right_span
            UNION ALL SELECT s.key, s.parent FROM up JOIN sl_span s ON s.id = up.parent)
            SELECT group_concat(key, char(10)) FROM up));

UPDATE OR IGNORE sl_link SET left_span = right_span, right_span = left_span,
    weak = CASE weak WHEN 1 THEN 2 WHEN 2 THEN 1 ELSE weak END
    WHERE kind = 2 AND source IS NOT 0 AND (left_span, right_span) IN (SELECT left_span, right_span FROM temp.sl_turn);
UPDATE OR IGNORE sl_link_also SET left_span = right_span, right_span = left_span,
    weak = CASE weak WHEN 1 THEN 2 WHEN 2 THEN 1 ELSE weak END
    WHERE kind = 2 AND source <> 0 AND (left_span, right_span) IN (SELECT left_span, right_span FROM temp.sl_turn);
UPDATE sl_link_off SET left_span = right_span, right_span = left_span,
    weak = CASE weak WHEN 1 THEN 2 WHEN 2 THEN 1 ELSE weak END
    WHERE kind = 2 AND source IS NOT 0 AND (left_span, right_span) IN (SELECT left_span, right_span FROM temp.sl_turn);
UPDATE OR IGNORE sl_weak SET left_span = right_span, right_span = left_span,
    weak = CASE weak WHEN 1 THEN 2 WHEN 2 THEN 1 ELSE weak END
    WHERE kind = 2 AND source <> 0 AND (left_span, right_span) IN (SELECT left_span, right_span FROM temp.sl_turn);
UPDATE OR IGNORE sl_doubt SET left_span = right_span, right_span = left_span
    WHERE kind = 2 AND (left_span, right_span) IN (SELECT left_span, right_span FROM temp.sl_turn);
DROP TABLE temp.sl_turn;
