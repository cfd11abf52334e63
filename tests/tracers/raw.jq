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
	  [$d, "xrootd_receiver incomplete", if .complete then 0 else 1 end],
	  [$d, "xrootd_receiver joined", if .complete then 1 else 0 end],
	  ($d + ":" + (.vo // "-") | [., "xrootd_transfer transfers", 1],
		[., "xrootd_transfer read_bytes", $t.read // 0],
		[., "xrootd_transfer readv_bytes", $t.readv // 0],
		[., "xrootd_transfer write_bytes", $t.write // 0],
		[., "xrootd_transfer untold", if [$t.read, $t.readv, $t.write] | any(. == null)
			then 1 else 0 end]),
	  (if .open_window and .ended_by != "close" and .read == null then empty else
		[$d, "xrootd read_bytes", .read // 0], [$d, "xrootd readv_bytes", .readv // 0],
		[$d, "xrootd write_bytes", .write // 0],
		[$d, "xrootd closes", .HasFileCloseMsg],
		[$d, "xrootd closes_untold", if .missing | index("bytes") then 1 else 0 end],
		[$d, "xrootd closes_forced", if .forced then 1 else 0 end] end),
	  [$d, "xrootd_ops reads", .read_single_operations // 0],
	  [$d, "xrootd_ops readvs", .read_vector_operations // 0],
	  [$d, "xrootd_ops readv_segments", .read_vector_segments // 0],
	  [$d, "xrootd_ops writes", .write_operations // 0]] | sums
elif $of == "events" then
	([.[] | .op.port = (.op.values.port // .op.event.src.port)
	  | select(.op.type == "server" and .op.port != null and .op.port != "0")
	  | { key: "\(.hdr.server)#\(.hdr.port)", value: "\(.hdr.server_host):\(.op.port)" }]
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
	     elif $t == "cache" then $o.event as $c | ["xrootd_cache closes", 1],
			["xrootd_cache hits", if $c.b_hit > 0 and $c.b_miss + $c.b_bypass == 0 then 1
				else 0 end],
			["xrootd_cache hit_bytes", $c.b_hit], ["xrootd_cache miss_bytes", $c.b_miss],
			["xrootd_cache bypass_bytes", $c.b_bypass]
	     elif $t == "tpc" and $o.event.Xeq.RC != 0 then ["xrootd_tpc failed", 1]
	     elif $t == "tpc" then ["xrootd_tpc copies", 1], ["xrootd_tpc bytes", $o.event.Size],
			["xrootd_tpc size_unknown", if $o.event.Size == 0 then 1 else 0 end]
	     elif $t == "login" then ["xrootd_user logins", 1]
	     else empty end
	   | [$d] + .] | sums
else	# records: the newest of each; what only "events" or only "transfers" can tell
	[.[] | select(.type // "" | startswith("xrootd")) | .type as $t | .device as $d
	 | .values | to_entries[] | [$d, "\($t | sub("_opens$"; "")) \(.key)", .value]]
	| group_by(.[0:2]) | map(last) | .[] | select(.[2] != 0)
	| select(.[1] | test("datagrams|packets|records|damaged|gaps|evicted|lost|reordered|duplicate|started|open_files") | not)
end
