# SPDX-License-Identifier: Apache-2.0
Statistics in the program: what tests/sql/stats.py checks the numbers of, and what is refused, also with sanitizers.

  $ spanloom import --quiet "$ROOT/examples/parsl-htex/runinfo"
  $ q() { spanloom sql --format csv "$1" | tail -n +2; }
  $ numbers="WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)"

Many, some, one, none:

  $ q "$numbers SELECT median(i), quantile(i, 0.25), round(stddev(i), 6), corr(i, -i), round(json_extract(ols(2 * i + 1, i), '$.coefficients[1]'), 9), spark(histogram(i)) FROM n"
  10000.5,5000.75,5773.647028,-1.0,2.0,████████████████████████████
  $ q "$numbers SELECT i % 3 AS g, median(i), quantile(i, 1), round(stddev(i), 6), spark(histogram(i, 5)), json_array_length(kde(i)), json_extract(ols(i % 7, i), '$.n') FROM n GROUP BY 1"
  0,10000.5,19998.0,5773.358338,█████,512,6666
  1,10000.0,19999.0,5774.224363,█████,512,6667
  2,10001.0,20000.0,5774.224363,█████,512,6667
  $ q "SELECT median(7), quantile('7', 0), stddev(7), corr(7, 7), histogram(7), kde(7), json_extract(ols(7, 7), '$.coefficients')"
  7.0,7.0,,,"[{""low"":7,""high"":7,""count"":1}]",,"[7,null]"
  $ q "SELECT median(key), stddev(key), corr(key, key), ols(key, key), histogram(key), kde(key), spark(histogram(key)) = '' FROM spans WHERE 0"
  ,,,,[],[],1
  $ q "SELECT median(v), kde(v), histogram(v, 5) FROM (SELECT 3 AS v UNION ALL SELECT 3)"
  3.0,,"[{""low"":3,""high"":3,""count"":2}]"
  $ q "SELECT json_extract(kde(v, 3, 1), '\$[2].x'), round(json_extract(kde(v, 3, 1), '\$[2].density'), 9), spark(kde(v, 9)) FROM (SELECT 3 AS v UNION ALL SELECT 4)"
  7,0.002282839,▁▂██▅██▂▁
  $ q "SELECT round(value, 9) FROM json_each((SELECT json_extract(ols(y, a, b, 2 * a), '$.coefficients') FROM (SELECT 1 AS y, 2 AS a, 3 AS b UNION ALL VALUES (3, 4, 6), (2, 2, 4), (7, NULL, 3))))"
  -1.0
  -0.5
  1.0
  

Keys are text:

  $ q "SELECT median(key), max(CAST(key AS INTEGER)) FROM spans WHERE type = 'parsl.monitoring.task'"
  98.5,197

In the middle of a group, when memory is held:

  $ for f in 'median(v)' 'quantile(v, 0.5)' 'stddev(v)' 'corr(v, 1)' 'ols(1, v)' 'histogram(v)' 'kde(v)' 'histogram(1, v)' 'kde(1, 9, v)'; do
  >   q "SELECT $f FROM (SELECT 1 AS v UNION ALL SELECT 'word')"
  > done
  spanloom: query: median(): 'word' is not a number
  spanloom: query: quantile(): 'word' is not a number
  spanloom: query: stddev(): 'word' is not a number
  spanloom: query: corr(): 'word' is not a number
  spanloom: query: ols(): 'word' is not a number
  spanloom: query: histogram(): 'word' is not a number
  spanloom: query: kde(): 'word' is not a number
  spanloom: query: histogram(): 'word' is not a number
  spanloom: query: kde(): 'word' is not a number
  $ q "SELECT quantile(i, i / 3.0) FROM (SELECT 0 AS i UNION ALL SELECT 1)"
  spanloom: query: quantile(): p must be the same in all rows of a group
  $ q "SELECT quantile(1, 1.5)"
  spanloom: query: quantile(): p must be a number from 0 to 1, not 1.5
  $ q "SELECT ols(1)"
  spanloom: query: ols(): takes y, then from 1 to 126 of x
  $ q "SELECT spark('[1, 2'), 1"
  spanloom: query: spark(): malformed JSON
  $ q "SELECT spark('[[1]]')"
  spanloom: query: spark(): a bin has neither a count nor a density, or a negative one
  $ q "SELECT stddev(v) FROM (SELECT 1.5e308 AS v UNION ALL SELECT -1.5e308)"
  spanloom: query: stddev(): the values are too far apart
  $ q "SELECT kde(9e999)"
  spanloom: query: kde(): a value is infinite
