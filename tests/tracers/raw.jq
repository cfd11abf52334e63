# SPDX-License-Identifier: BSD-3-Clause
# raw.jq - sums by server of transfers, of events, and of records, as lines [device, key, sum]
def device: if .server_hostname then "\(.server_hostname):\(.server_port)"
	else "\(.server):\(.serverID | split("#")[2])" end;
def event_device($ports): .hdr as $h | $ports[$h.server + "#\($h.port)"] // "\($h.server):\($h.port)";
def sums: group_by(.[0:2]) | map([.[0][0], .[0][1], (map(.[2]) | add)]) | .[] | select(.[2] != 0);

if $of == "transfers" then
	[.[] | device as $d | . as $t
	| [$d, "xrootd_server transfers", 1],
	  [$d, "xrootd_server incomplete", if .complete then 0 else 1 end],
	  (if .read != null then
		[$d, "xrootd read_bytes", .read], [$d, "xrootd readv_bytes", .readv],
		[$d, "xrootd write_bytes", .write], [$d, "xrootd closes", .HasFileCloseMsg],
		[$d, "xrootd closes_forced", if .forced then 1 else 0 end] else empty end),
	  (if .read_single_operations != null then
		[$d, "xrootd_ops reads", .read_single_operations],
		[$d, "xrootd_ops readvs", .read_vector_operations],
		[$d, "xrootd_ops readv_segments", .read_vector_segments],
		[$d, "xrootd_ops writes", .write_operations] else empty end)] | sums
elif $of == "events" then
	([.[] | select(.op.type == "server" and .op.values != null and .op.values.port != "0")
	  | { key: "\(.hdr.server)#\(.hdr.port)", value: "\(.hdr.server_host):\(.op.values.port)" }]
	 | from_entries) as $ports
	| [.[] | event_device($ports) as $d | .hdr.stream as $s | .op as $o | $o.type as $t
	   | select($o.repeated | not)
	   | if $s == "f" and $t == "open" then
			["xrootd opens", 1], ["xrootd opens_rw", if $o.for_write then 1 else 0 end]
	     elif $s == "f" and $t == "disconnect" then ["xrootd disconnects", 1]
	     elif $s == "t" and $t == "open" then ["xrootd_t opens", 1]
	     elif $s == "t" and $t == "close" then ["xrootd_t closes", 1],
			["xrootd_t read_bytes", $o.read], ["xrootd_t write_bytes", $o.write]
	     elif $t == "read" then ["xrootd_io reads", 1], ["xrootd_io read_bytes", $o.bytes]
	     elif $t == "write" then ["xrootd_io writes", 1], ["xrootd_io write_bytes", $o.bytes]
	     elif $t == "readv" then ["xrootd_io readvs", 1],
			["xrootd_io read_bytes", if $o.unpacked then 0 else $o.bytes end]
	     elif $t == "redirect" then ["xrootd_redirect redirects", 1]
	     elif $t == "login" then ["xrootd_user logins", 1]
	     else empty end
	   | [$d] + .] | sums
else	# records: the newest of each; what only "events" or only "transfers" can tell
	[.[] | select(.type // "" | startswith("xrootd")) | .type as $t | .device as $d
	 | .values | to_entries[] | [$d, "\($t | sub("_opens$"; "")) \(.key)", .value]]
	| group_by(.[0:2]) | map(last) | .[] | select(.[2] != 0)
	| select(.[1] | test("datagrams|lost|reordered|duplicate|started|open_files") | not)
end
