// SPDX-License-Identifier: BSD-3-Clause
// duckdb.js - what "duckdb -c SQL" does, by DuckDB's own package: rows as lines of words
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
