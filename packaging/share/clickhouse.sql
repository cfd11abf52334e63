-- clickhouse.sql - what "format = jsonl" of [sink http] fills: nodometer-send(8)
--
--   clickhouse-client --multiquery < clickhouse.sql
--
-- A line that came twice has the same key of order, and is there once after OPTIMIZE or with
-- FINAL; the views take each once at any time.  A label of the sender (labels = cluster=a) is a column that
-- you add: ALTER TABLE nodometer.rows ADD COLUMN cluster String.  Without it, insert with
-- input_format_skip_unknown_fields=1.

CREATE DATABASE IF NOT EXISTS nodometer;

CREATE TABLE IF NOT EXISTS nodometer.rows
(
    time Float64,               -- seconds of the epoch
    host String,
    jobs Array(String),         -- that own the node
    type String,                -- empty of a mark
    device String,
    key Array(String),
    value Array(Float64),       -- as many; a value that was not read has no key here either
    mark String,                -- "begin 7"
    day Date DEFAULT toDate(toDateTime(toUInt32(time)))
)
ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(day)
ORDER BY (type, host, device, mark, time);

-- One line for each value.
CREATE VIEW IF NOT EXISTS nodometer.values AS
SELECT time, host, type, device, k AS metric, any(v) AS reading
FROM nodometer.rows
ARRAY JOIN key AS k, value AS v
GROUP BY time, host, type, device, k;

-- What each job used on each node, from its control group: seconds and bytes.
CREATE VIEW IF NOT EXISTS nodometer.job_nodes AS
SELECT
    device AS job, host, min(time) AS first, max(time) AS last,
    (maxIf(reading, metric = 'cpu') - minIf(reading, metric = 'cpu')) / 1e6 AS cpu_seconds,
    maxIf(reading, metric = 'mem') AS memory_most,
    maxIf(reading, metric = 'rd_bytes') - minIf(reading, metric = 'rd_bytes') AS read_bytes,
    maxIf(reading, metric = 'wr_bytes') - minIf(reading, metric = 'wr_bytes') AS written_bytes
FROM nodometer.values
WHERE type = 'job'
GROUP BY device, host;

-- The same of all its nodes.
CREATE VIEW IF NOT EXISTS nodometer.jobs AS
SELECT
    job, count() AS nodes, min(first) AS began, max(last) AS ended,
    sum(cpu_seconds) AS cpu, max(memory_most) AS memory,
    sum(read_bytes) AS bytes_read, sum(written_bytes) AS bytes_written
FROM nodometer.job_nodes
GROUP BY job;

-- Worth asking:
--   SELECT * FROM nodometer.jobs WHERE job = '7';
--   SELECT host, (max(reading) - min(reading)) / 1048576 AS received FROM nodometer.values
--       WHERE type = 'net' AND metric = 'rx_bytes' AND time > 1700000000 GROUP BY host, device;
--   SELECT time, host, mark FROM nodometer.rows WHERE mark != '' ORDER BY time;
