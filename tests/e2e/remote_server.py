# SPDX-License-Identifier: BSD-3-Clause
"""remote_server.py PORT LOG [CERTIFICATE KEY] - archives and stores that are well and ill behaved

LOG gets each path and the login that came with it.  Without a certificate it speaks plain HTTP.
"""
import base64
import http.server
import json
import ssl
import sys
import time
from urllib.parse import parse_qs, unquote, urlsplit

port, log = int(sys.argv[1]), sys.argv[2]
RECORDS = '$hpcperfstats 2.3.5\n$hostname n1\n!mem a,U=KB\n\n1700000000 7\n%begin 7\nmem 0 1\n\n' \
    '1700000600 7\n%end 7\nmem 0 2\n'
NAMES = ['n1', 'n 1', 'n\x01', 'n\n', 'n"', 'n#', 'n?x', 'n%41', 'n\u00e9']


def page(name, token):
    key = f'<Contents><Key>{name}</Key><Size>1</Size></Contents>' if name else ''
    return f'<ListBucketResult>{key}<NextContinuationToken>{token}</NextContinuationToken>' \
        '</ListBucketResult>'


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    disable_nagle_algorithm = True
    count = 0
    busy = set()

    def answer(self):
        """Status and body of one request."""
        Handler.count += 1
        url = urlsplit(self.path)
        token = parse_qs(url.query).get('continuation-token', [''])[0]
        parts = [unquote(p) for p in url.path.split('/')[1:]]
        kind = parts[0]
        if kind == 'moved':
            return 302, ''
        if kind == 'silent':
            time.sleep(100)
        if kind == 'alternating':	# object store: give two tokens alternately
            return 200, page(f'n1/{Handler.count}', 'b' if token == 'a' else 'a')
        if kind == 'endless':		# object store: always give another token, and no object
            return 200, page('', f't{Handler.count}')
        if kind == 'busy' and self.path not in Handler.busy:	# the second try succeeds
            Handler.busy.add(self.path)
            return 503, '<html>' + 10000 * 'busy '
        if kind == 'empty' and len(parts) > 1:	# web server: one host with an empty file
            return 200, json.dumps([{'name': 'n1', 'type': 'directory'}] if len(parts) == 2 else
                                   [{'name': '1700000000', 'type': 'file', 'size': 0}]) \
                if parts[-1] == '' else ''
        # web server: list names that must be quoted in a URL
        if kind == 'names' and len(parts) > 1:
            if len(parts) == 2:
                return 200, json.dumps([{'name': n, 'type': 'directory'} for n in NAMES])
            if parts[1] not in NAMES:
                return 404, ''
            if parts[2] == '1700000000':
                return 200, RECORDS.replace('n1', parts[1]) if parts[1] == 'n1' else RECORDS
            return 200, json.dumps([{'name': '1700000000', 'type': 'file',
                                     'size': len(RECORDS)}] if parts[2] == '' else [])
        return 200, '[]'

    def do_GET(self):
        login = self.headers.get('Authorization', 'none')
        if login.startswith('Basic '):
            login = base64.b64decode(login[6:]).decode()
        with open(log, 'a') as f:
            f.write(f'{self.path} {login}\n')
        status, body = self.answer()
        self.send_response(status)
        if status == 302:
            self.send_header('Location', f'https://127.0.0.1:{port}/target')
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    do_POST = do_GET

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(('127.0.0.1', port), Handler)
server.daemon_threads = True
if len(sys.argv) > 3:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*sys.argv[3:])
    server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()
