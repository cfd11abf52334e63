# events.jq - an event as the reference has it, and as we print it, in the same words
def types: {"=": "server", u: "login", d: "path", i: "info", U: "flow", x: "stage", p: "purge"};
def text: . as $d | (.text | split("\n")) as $l |
	if ($l[0] | test("\"=\"|code==")) then {server: .src, type: "server"}
	else $l[1:][] | rtrimstr("\u0000") | select(. != "") | {server: $d.src, type: "event", line: (. as $l | try fromjson catch $l)} end;
def map: {server: .src, type: types[.code], id: .dictid,
	text: (if .code == "d" or .code == "i" then .info | split("\n")[1:] | join("\n") else null end)};
def record($d): {server: $d.src, stream: $d.code} +
	if .rec == "open" then {type: .rec, id: (.fileID // .dictid), size: .fsz, rw}
	elif .rec == "close" and $d.code == "t" then
		{type: .rec, id: .dictid, read: .rbytes, write: .wbytes}
	elif .rec == "close" then {type: .rec, id: .fileID, xfr, ops, forced, ssq}
	elif .rec == "xfr" then {type: "transfer", id: .fileID, xfr}
	elif .rec == "disc" then {type: "disconnect", id: (.userID // .dictid), seconds: .csec}
	elif .rec == "read" or .rec == "write" then
		{type: .rec, id: .dictid, offset, bytes: (.len | if . < 0 then -. else . end)}
	elif .rec == "readv" or .rec == "readu" then
		{type: "readv", id: .dictid, bytes: .len, segments: .nseg, vector: .rid, u: (.rec == "readu")}
	else {type: "redirect", id: .dictid, op, port, host, path, local: (.rec == "redlocal")} end;
def reference: . as $d |
	if .kind == "text" then text
	elif .code == "g" then .lines[] | {server: $d.src, type: "event", line: (. as $l | try fromjson catch $l)}
	elif types[.code] then map
	else .recs[] | select(.rec | IN("window", "time", "sid") | not) | record($d) end;
def ours: .hdr as $h | "\($h.server):\($h.port)" as $s | .op |
	if .type == "server" and (has("userid") | not) then {server: $s, type}
	elif $h.stream == "g" then {server: $s, type: "event", line: (.event // .line)}
	elif types[$h.stream] then {server: $s, type, id: (.id // 0), text:
		(if .type == "path" then .path elif .type == "info" then .info else null end)}
	else {server: $s, stream: $h.stream} +
		if .type == "open" then {type, id, size, rw: .for_write}
		elif .type == "close" and $h.stream == "t" then {type, id, read, write}
		elif .type == "close" then
			{type, id, xfr: {read, readv, write}, ops, forced, ssq}
		elif .type == "transfer" then {type, id, xfr: {read, readv, write}}
		elif .type == "disconnect" then {type, id: (.id // 0), seconds}
		elif .type == "readv" then {type, id, bytes, segments, vector, u: .unpacked}
		elif .type == "redirect" then {type, id, op: .operation, port, host: (.target // ""),
			path, local: (.by == "xrootd")}
		else {type, id, offset, bytes} end
	end;
if .hdr then ours else reference end
