// SPDX-License-Identifier: BSD-3-Clause
// store.js - a proxy that adds to s3rver what it lacks: TLS, and a check of each request's AWS
// signature (version 4); it can also cut answers off, ignore ranges, or be busy
const crypto = require('crypto'), fs = require('fs'), http = require('http'), https = require('https');
const [port, behind, cert, key, log, faults] = process.argv.slice(2);
const hmac = (k, s) => crypto.createHmac('sha256', k).update(s).digest();
const sha = (s) => crypto.createHash('sha256').update(s).digest('hex');
const strict = (s) => encodeURIComponent(s).replace(/[!'()*]/g,
	(c) => '%' + c.charCodeAt(0).toString(16).toUpperCase());

// Return why the request is refused, or nothing.
function refused(q) {
	const a = /Credential=([^/]+)\/(\d+)\/([^/]+)\/s3\/aws4_request, SignedHeaders=(\S+), Signature=(\w+)/
		.exec(q.headers.authorization || '');
	if (!a) return 'AccessDenied';
	const [, id, day, region, signed, signature] = a;
	if (region !== 'us-east-1') return 'AuthorizationHeaderMalformed';
	const url = new URL(q.url, 'https://localhost');
	const query = [...url.searchParams].map(([n, v]) => strict(n) + '=' + strict(v)).sort().join('&');
	const path = decodeURIComponent(url.pathname).split('/').map(strict).join('/');
	const text = [q.method, path, query,
		...signed.split(';').map((n) => n + ':' + q.headers[n].trim()), '', signed,
		q.headers['x-amz-content-sha256']].join('\n');
	const to_sign = ['AWS4-HMAC-SHA256', q.headers['x-amz-date'], `${day}/${region}/s3/aws4_request`,
		sha(text)].join('\n');
	const k = ['us-east-1', 's3', 'aws4_request'].reduce(hmac, hmac('AWS4S3RVER', day));
	return id === 'S3RVER' && hmac(k, to_sign).toString('hex') === signature ?
		'' : 'SignatureDoesNotMatch';
}

function refuse(a, status, code) {
	a.writeHead(status, { 'Content-Type': 'application/xml' });
	a.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>refused</Message>` +
		'<Region>us-east-1</Region></Error>');
}

https.createServer({ cert: fs.readFileSync(cert), key: fs.readFileSync(key) }, (q, a) => {
	const fault = fs.existsSync(faults) ? fs.readFileSync(faults, 'utf8').trim() : '';
	const why = refused(q);
	fs.appendFileSync(log, `${q.method} ${q.url} ${q.headers.range || '-'} ${why || fault || '-'}\n`);
	if (why) return refuse(a, 403, why);
	if (fault === 'busy') { fs.unlinkSync(faults); return refuse(a, 503, 'SlowDown'); }
	const url = q.url.replace('max-keys=1000', 'max-keys=10');	// make several pages
	if (fault === 'whole') delete q.headers.range;
	const to = http.request({ host: '127.0.0.1', port: behind, method: q.method, path: url,
		headers: { ...q.headers, authorization: q.headers.authorization } }, (r) => {
		if (fault !== 'cut' || !/\/[0-9]+(\.zst)?$/.test(q.url)) {
			a.writeHead(r.statusCode, r.headers);
			return r.pipe(a);
		}
		const parts = [];
		r.on('data', (d) => parts.push(d));
		r.on('end', () => {
			const whole = Buffer.concat(parts);
			a.writeHead(r.statusCode, { ...r.headers, 'content-length': whole.length });
			a.write(whole.subarray(0, whole.length >> 1), () => a.destroy());
		});
	});
	to.on('error', () => a.destroy());
	q.pipe(to);
}).listen(port, '127.0.0.1');
