-- clickhouse.sql - ClickHouse tables for [sink http] with "format = jsonl": nodometer-sinks(7)
--
--   clickhouse-client --multiquery < clickhouse.sql
--
-- For a cluster, where each table is replicated and distributed, see clickhouse-cluster.awk.
--
-- A line that was inserted twice has the same ORDER BY key: after OPTIMIZE or with FINAL the table
-- has the line once, and the views always count it once.  For a label of the sender (labels =
-- cluster=a), add a column: ALTER TABLE nodometer.rows ADD COLUMN cluster String.  Without the
-- column, insert with input_format_skip_unknown_fields=1.

CREATE DATABASE IF NOT EXISTS nodometer;

CREATE TABLE IF NOT EXISTS nodometer.rows
(
    time Float64,               -- seconds since the epoch
    host String,
    jobs Array(String),         -- jobs that own the node at this time
    type String,                -- empty if the line is a mark
    device String,
    key Array(String),
    value Array(Float64),       -- one for each key; a key whose value was not read is left out
    mark String,                -- text of a mark, such as "begin 7"
    day Date MATERIALIZED toDate(toDateTime(toUInt32(time)))
)
ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(day)
ORDER BY (type, host, device, mark, time);

-- Whole records as text of a raw file, from a second sink with "format = records".  nodometer
-- report, jobs, compare, fleet, plot and cat --from read this table.  Records cannot be made from
-- the table rows, which lacks kinds and widths of keys and rounds numbers above 2^53.
CREATE TABLE IF NOT EXISTS nodometer.records
(
    time Float64, host String, jobs Array(String),
    line UInt64,                -- line in the raw file: distinguishes records of one time
    restart UInt8,              -- 1: counters may start again in this record
    header String,              -- id of the header; head: its text, in the first record of the header
    head String, marks String, rows String,
    day Date MATERIALIZED toDate(toDateTime(toUInt32(time)))
)
ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(day)
ORDER BY (host, time, line)
SETTINGS index_granularity = 64;

CREATE TABLE IF NOT EXISTS nodometer.headers
(
    host String, header String, head String, day Date
)
ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(day)
ORDER BY (host, header, day);

CREATE MATERIALIZED VIEW IF NOT EXISTS nodometer.to_headers TO nodometer.headers
AS SELECT host, header, head, toDate(toDateTime(toUInt32(time))) AS day
FROM nodometer.records
WHERE head != '';

-- The hosts of each job on each day; job "-" stands for records without a job.
CREATE TABLE IF NOT EXISTS nodometer.job_days
(
    job String, host String, day Date,
    first_state AggregateFunction(min, Float64), last_state AggregateFunction(max, Float64)
)
ENGINE = AggregatingMergeTree
PARTITION BY tuple()
ORDER BY (job, host, day);

CREATE MATERIALIZED VIEW IF NOT EXISTS nodometer.to_job_days TO nodometer.job_days
AS SELECT
    job, host, toDate(toDateTime(toUInt32(time))) AS day,
    minState(time) AS first_state, maxState(time) AS last_state
FROM nodometer.records
ARRAY JOIN if(empty(jobs), ['-'], jobs) AS job
GROUP BY job, host, day;

-- One row for each value.
CREATE VIEW IF NOT EXISTS nodometer.values AS
SELECT time, host, type, device, k AS metric, any(v) AS reading
FROM nodometer.rows
ARRAY JOIN key AS k, value AS v
GROUP BY time, host, type, device, k;

-- What each job used on each node, with a row for each job and node.  Each insert into rows updates
-- the least and largest readings, so a line that was inserted twice changes nothing.  Rows that are
-- older than this table are missing; add them with INSERT INTO nodometer.job_states SELECT ...,
-- with the SELECT of to_job_states.
CREATE TABLE IF NOT EXISTS nodometer.job_states
(
    job String, host String,
    first_state AggregateFunction(min, Float64), last_state AggregateFunction(max, Float64),
    cpu_least AggregateFunction(minIf, Float64, UInt8),
    cpu_most AggregateFunction(maxIf, Float64, UInt8),
    mem_most AggregateFunction(maxIf, Float64, UInt8),
    read_least AggregateFunction(minIf, Float64, UInt8),
    read_most AggregateFunction(maxIf, Float64, UInt8),
    written_least AggregateFunction(minIf, Float64, UInt8),
    written_most AggregateFunction(maxIf, Float64, UInt8)
)
ENGINE = AggregatingMergeTree
PARTITION BY tuple()
ORDER BY (job, host);

CREATE MATERIALIZED VIEW IF NOT EXISTS nodometer.to_job_states TO nodometer.job_states
AS SELECT
    device AS job, host, minState(time) AS first_state, maxState(time) AS last_state,
    minIfState(value[indexOf(key, 'cpu')], has(key, 'cpu')) AS cpu_least,
    maxIfState(value[indexOf(key, 'cpu')], has(key, 'cpu')) AS cpu_most,
    maxIfState(value[indexOf(key, 'mem')], has(key, 'mem')) AS mem_most,
    minIfState(value[indexOf(key, 'rd_bytes')], has(key, 'rd_bytes')) AS read_least,
    maxIfState(value[indexOf(key, 'rd_bytes')], has(key, 'rd_bytes')) AS read_most,
    minIfState(value[indexOf(key, 'wr_bytes')], has(key, 'wr_bytes')) AS written_least,
    maxIfState(value[indexOf(key, 'wr_bytes')], has(key, 'wr_bytes')) AS written_most
FROM nodometer.rows
WHERE type = 'job'
GROUP BY device, host;

-- The table job_states as numbers: seconds of CPU time, and bytes, as the job's cgroup counted
-- them.
CREATE VIEW IF NOT EXISTS nodometer.job_nodes AS
SELECT
    job, host, minMerge(first_state) AS first, maxMerge(last_state) AS last,
    (maxIfMerge(cpu_most) - minIfMerge(cpu_least)) / 1e6 AS cpu_seconds,
    maxIfMerge(mem_most) AS memory_most,
    maxIfMerge(read_most) - minIfMerge(read_least) AS read_bytes,
    maxIfMerge(written_most) - minIfMerge(written_least) AS written_bytes
FROM nodometer.job_states
GROUP BY job, host;

-- The sums over all nodes of each job.
CREATE VIEW IF NOT EXISTS nodometer.jobs AS
SELECT
    job, count() AS nodes, min(first) AS began, max(last) AS ended,
    sum(cpu_seconds) AS cpu, max(memory_most) AS memory,
    sum(read_bytes) AS bytes_read, sum(written_bytes) AS bytes_written
FROM nodometer.job_nodes
GROUP BY job;

-- Runs of jobs.  "nodometer jobs --append" writes a line for each run, which a sink with lines =
-- FILE sends to
--   INSERT INTO nodometer.runs FORMAT JSONEachRow
-- with input_format_skip_unknown_fields=1.  A run that has not ended gets another line later, with
-- more samples, and a run that is computed again repeats its line: FINAL selects the newest line.
-- An unknown number is -1.
CREATE TABLE IF NOT EXISTS nodometer.runs
(
    job String, start Float64, length Float64,
    user String, account String, partition String, name String, state String, exit String,
    nodes UInt32, ended UInt32, samples UInt64, node_hours Float64,
    program String, hosts Array(String),
    cpus Float64 DEFAULT -1, cpus_given Float64 DEFAULT -1,
    memory Float64 DEFAULT -1, memory_given Float64 DEFAULT -1,
    gpus Float64 DEFAULT -1, gpus_given Float64 DEFAULT -1,
    time Float64 DEFAULT -1, time_given Float64 DEFAULT -1,
    memory_peak Float64 DEFAULT -1, joules Float64 DEFAULT -1, joules_from String,
    share String, share_joules Float64 DEFAULT -1,
    share_least Float64 DEFAULT -1, share_most Float64 DEFAULT -1,
    kwh Float64 DEFAULT -1, co2_grams Float64 DEFAULT -1, price Float64 DEFAULT -1,
    unused_node_hours Float64 DEFAULT -1,
    part Array(String), part_seconds Array(Float64),    -- where the allocated CPU time went; one number each
    findings Array(String),
    figure Array(String), value Array(Float64),     -- one value for each figure
    at_least Array(String),                         -- figures whose value is a lower bound
    -- .kept: the whole run, which jobs --used and nodes --slow read with --from; .formula: the
    -- version of the rules that the run was computed with
    formula String, kept String,
    day Date MATERIALIZED toDate(toDateTime(toUInt32(start)))
)
ENGINE = ReplacingMergeTree(samples)
PARTITION BY toYYYYMM(day)
ORDER BY (day, job, start);

-- A row for each figure of a run, so that the worst runs of a month by any figure are found by
-- reading a part of one column.
CREATE TABLE IF NOT EXISTS nodometer.run_figures
(
    name String, day Date, job String, start Float64, user String, account String,
    number Float64, samples UInt64
)
ENGINE = ReplacingMergeTree(samples)
PARTITION BY toYYYYMM(day)
ORDER BY (name, day, job, start);

CREATE MATERIALIZED VIEW IF NOT EXISTS nodometer.to_run_figures TO nodometer.run_figures
AS SELECT f AS name, toDate(toDateTime(toUInt32(start))) AS day, job, start, user, account, v AS number, samples
FROM nodometer.runs
ARRAY JOIN figure AS f, value AS v;

-- What a job did on each node, as the node itself reports at the end of the job.  A sink with "runs
-- = yes" sends these lines to INSERT INTO nodometer.run_nodes FORMAT JSONEachRow, also with
-- input_format_skip_unknown_fields=1.  The figures listed in partial are lower bounds; -1 is
-- unknown.
CREATE TABLE IF NOT EXISTS nodometer.run_nodes
(
    job String, host String, user String, account String,
    end Float64, elapsed_s Float64 DEFAULT -1,
    complete UInt8, partial Array(String),
    cpu_user Float64 DEFAULT -1, cpu_sys Float64 DEFAULT -1, job_cpu Float64 DEFAULT -1,
    mem_peak Float64 DEFAULT -1, job_mem_peak Float64 DEFAULT -1, oom_kills Float64 DEFAULT -1,
    energy Float64 DEFAULT -1, gpu_energy Float64 DEFAULT -1, node_energy Float64 DEFAULT -1,
    gpu_busy Float64 DEFAULT -1,
    fs_read Float64 DEFAULT -1, fs_written Float64 DEFAULT -1,
    disk_read Float64 DEFAULT -1, disk_written Float64 DEFAULT -1,
    ib_rx Float64 DEFAULT -1, ib_tx Float64 DEFAULT -1,
    net_rx Float64 DEFAULT -1, net_tx Float64 DEFAULT -1,
    swapped_in Float64 DEFAULT -1, swapped_out Float64 DEFAULT -1,
    day Date MATERIALIZED toDate(toDateTime(toUInt32(end)))
)
ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(day)
ORDER BY (day, job, host, end);

-- The readings of each key by the hour, which stay when old rows are deleted.  A line that was
-- inserted twice changes nothing.
CREATE TABLE IF NOT EXISTS nodometer.hour_states
(
    type String, metric String, host String, device String, hour UInt32, day Date,
    least AggregateFunction(min, Float64), most AggregateFunction(max, Float64),
    first AggregateFunction(argMin, Float64, Float64),
    last AggregateFunction(argMax, Float64, Float64)
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(day)
ORDER BY (type, metric, host, device, hour, day);

CREATE MATERIALIZED VIEW IF NOT EXISTS nodometer.to_hour_states TO nodometer.hour_states
AS SELECT
    type, k AS metric, host, device, toUInt32(intDiv(toUInt32(time), 3600) * 3600) AS hour,
    toDate(toDateTime(toUInt32(time))) AS day,
    minState(v) AS least, maxState(v) AS most,
    argMinState(v, time) AS first, argMaxState(v, time) AS last
FROM nodometer.rows
ARRAY JOIN key AS k, value AS v
GROUP BY type, metric, host, device, hour, day;

CREATE VIEW IF NOT EXISTS nodometer.hours AS
SELECT type, metric, host, device, hour, minMerge(least) AS minimum, maxMerge(most) AS maximum,
    argMinMerge(first) AS at_first, argMaxMerge(last) AS at_last
FROM nodometer.hour_states
GROUP BY type, metric, host, device, hour;

-- From Kafka, rows that [sink kafka] with format = jsonl has sent:
--   CREATE TABLE nodometer.rows_queue (time Float64, host String, jobs Array(String), type String,
--       device String, key Array(String), value Array(Float64), mark String) ENGINE = Kafka
--       SETTINGS kafka_broker_list = 'k1.example.org:9092', kafka_topic_list = 'nodometer',
--       kafka_group_name = 'clickhouse', kafka_format = 'JSONEachRow';
--   CREATE MATERIALIZED VIEW nodometer.to_rows TO nodometer.rows AS SELECT * FROM nodometer.rows_queue;
-- ClickHouse 18 reads only messages that arrive after these statements, unless the configuration of
-- the server has <kafka><auto_offset_reset>smallest</auto_offset_reset></kafka>.
-- The same for format = records: use the columns of nodometer.records except day.

-- Access for users.  In any version, a user who may only use a database of their own
-- (<allow_databases> in users.xml) can see their own runs in a copy there:
--   CREATE DATABASE ann;
--   CREATE MATERIALIZED VIEW ann.runs ENGINE = ReplacingMergeTree(samples) ORDER BY (job, start)
--       POPULATE AS SELECT * FROM nodometer.runs WHERE user = 'ann';
-- Versions since 20.4 need no copy:
--   CREATE ROW POLICY own ON nodometer.runs, nodometer.run_figures, nodometer.run_nodes
--       FOR SELECT USING user = currentUser() TO ALL EXCEPT managers;

-- Retention and compression, in ClickHouse 20.3 and later:
--   ALTER TABLE nodometer.rows MODIFY TTL day + INTERVAL 90 DAY;
--   ALTER TABLE nodometer.records MODIFY TTL day + INTERVAL 1 YEAR;
--   ALTER TABLE nodometer.records MODIFY COLUMN rows String CODEC(ZSTD(3));
--   ALTER TABLE nodometer.hour_states MODIFY TTL day + INTERVAL 2 YEAR;
--   ALTER TABLE nodometer.rows MODIFY COLUMN key Array(String) CODEC(ZSTD(3));
--   ALTER TABLE nodometer.rows MODIFY COLUMN value Array(Float64) CODEC(ZSTD(3));
-- In earlier versions, drop a month at a time:  ALTER TABLE nodometer.rows DROP PARTITION 202601;
-- The runs and the sums of jobs are kept.

-- Useful queries:
--   SELECT * FROM nodometer.jobs WHERE job = '7';
--   SELECT host, (max(reading) - min(reading)) / 1048576 AS received FROM nodometer.values
--       WHERE type = 'net' AND metric = 'rx_bytes' AND time > 1700000000 GROUP BY host, device;
--   SELECT job, user, unused_node_hours FROM nodometer.runs FINAL
--       WHERE day >= today() - 30 ORDER BY unused_node_hours DESC LIMIT 10;
--   SELECT job, user, number FROM nodometer.run_figures FINAL
--       WHERE name = 'llite.write_bytes' AND day >= today() - 30 ORDER BY number DESC LIMIT 10;
--   SELECT time, host, mark FROM nodometer.rows WHERE mark != '' ORDER BY time;
