// SPDX-License-Identifier: BSD-3-Clause
// receiver.js PORT LIST - receive POSTs of OTLP, and decode them with OpenTelemetry's own package
//
// LIST gets a line for each data point: TIME HOST NAME{ATTRIBUTES} UNIT KIND VALUE.
'use strict';
const fs = require('fs');
const http = require('http');
const zlib = require('zlib');
const root = require('@opentelemetry/otlp-transformer/build/src/generated/root');

const Request = root.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
const [port, list] = process.argv.slice(2);
const attributes = (a) => a.map((x) => `${x.key}=${x.value.stringValue}`).sort().join(',');

function lines(body) {
  const text = [];
  const request = Request.toObject(Request.decode(body), { longs: String, enums: String });
  for (const resource of request.resourceMetrics)
    for (const scope of resource.scopeMetrics)
      for (const m of scope.metrics) {
        const kind = !m.sum ? 'gauge' :
          `${m.sum.isMonotonic ? 'monotonic' : 'sum'},${m.sum.aggregationTemporality}`;
        for (const p of (m.sum || m.gauge).dataPoints)
          text.push([Number(p.timeUnixNano) / 1e9, attributes(resource.resource.attributes),
            `${m.name}{${attributes(p.attributes || [])}}`, m.unit, kind, p.asDouble].join(' '));
      }
  return text;
}

http.createServer((q, answer) => {
  const parts = [];
  q.on('data', (d) => parts.push(d));
  q.on('end', () => {
    let body = Buffer.concat(parts);
    try {
      if (q.headers['content-type'] !== 'application/x-protobuf')
        throw new Error(`content type ${q.headers['content-type']}`);
      if (q.headers['x-scope-orgid'] !== 'hpc')
        throw new Error('no tenant');
      if (q.headers['content-encoding'] === 'gzip')
        body = zlib.gunzipSync(body);
      fs.appendFileSync(list, lines(body).map((l) => `${l}\n`).join(''));
      answer.writeHead(200, { 'content-type': 'application/x-protobuf' });
    } catch (e) {
      fs.appendFileSync(list, `wrong ${e.message}\n`);
      answer.writeHead(400);
    }
    answer.end();
  });
}).listen(Number(port), '127.0.0.1');
