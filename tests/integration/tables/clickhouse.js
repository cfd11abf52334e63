// SPDX-License-Identifier: BSD-3-Clause
// clickhouse.js DIR SQL LINES QUERY - run in chdb the statements of a file SQL and those in its
// comments
//
// DIR is a new folder for the data. LINES are inserted into nodometer.rows, and the answer to QUERY
// is printed. If a statement fails, the status is 1, after a message.
const { Session } = require('chdb');
const fs = require('fs');
const [dir, file, lines, query] = process.argv.slice(2);
const text = fs.readFileSync(file, 'utf8');
const session = new Session(dir);
let failed = false;

function run(statement)
{
	try {
		return session.query(statement, 'TSV');
	} catch (error) {
		console.log(`${statement.split('\n')[0]}: ${error}`);
		failed = true;
		return '';
	}
}

const statements = text.replace(/--.*$/mg, '').split(';').map((s) => s.trim()).filter(Boolean);
const advice = [...text.matchAll(/^-- +.*?(ALTER TABLE .*);$/mg)].map((m) => m[1]);
if (statements.length < 15 || advice.length < 6)
	throw new Error(`${statements.length} statements, ${advice.length} in comments`);
statements.forEach(run);
run(`INSERT INTO nodometer.rows FORMAT JSONEachRow\n${fs.readFileSync(lines, 'utf8')}`);
advice.forEach(run);
process.stdout.write(run(query));
session.cleanup();
process.exit(failed ? 1 : 0);
