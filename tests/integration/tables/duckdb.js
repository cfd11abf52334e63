// SPDX-License-Identifier: BSD-3-Clause
// duckdb.js - run SQL as "duckdb -c SQL" would, with DuckDB's package for Node.js; print each row
// as a line
const { DuckDBInstance } = require('@duckdb/node-api')

async function main(sql) {
	const instance = await DuckDBInstance.create(':memory:')
	const connection = await instance.connect()
	const reader = await connection.runAndReadAll(sql)
	for (const row of reader.getRows())
		console.log(row.map(String).join(' '))
}

main(process.argv[3]).catch(error => {
	console.error(String(error))
	process.exit(1)
})
