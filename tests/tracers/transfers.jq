# transfers.jq - a transfer as the reference has it, and as we print it, in the same words
#
# The reference has the bytes of the close and its requests, whether servers count all of them there
# or not; where a close has no bytes and we have, or do not know, it has no requests either. Where it
# has some of the bytes, our requests are of the t-stream and are not compared: $printed is all of ours.
#
# The reference gives each transfer the last application info of its user. The info that held at the
# open is the newest of $infos, the decoded i records, with a smaller number than the file.
def at_close($close; $bytes; $requests): if $close == 0 and $bytes != 0 then 0 else $requests end;
def is_part($close; $bytes): ($close // 0) != 0 and $close != $bytes;
def reads_in_part: is_part(.read_single_bytes; .read);
def writes_in_part: is_part(.write_bytes_at_close; .write);
def as_compared($reads; $writes):
	if $reads then del(.reads, .read_sizes) else . end | if $writes then del(.writes) else . end;
def ours_of: . as $r | $printed[] | select(.file_id == $r.fileID and .server_start == $r.stod);
def info_at_open: . as $r |
	[$infos[] | select(.src == $r.src and .stod == $r.stod and .dictid < $r.fileID and
		(.info | startswith($r.user.raw + "\n")))] |
	max_by(.dictid) | if . then .info[(.info | index("\n")) + 1:] else null end;
def reference: {
	server: .src, start: .stod, id: .fileID, filename: .path, filesize: .fsz, for_write: .rw,
	site: (.site | if . == "" then null else . end), instance: .inst,
	user: .user.user, host: .user.host, pid: .user.pid, protocol: .user.prot,
	dn: (.auth.n | if . == "" then null else . end), appinfo: info_at_open,
	flow: (.ea | if . then map(tostring) else null end),
	open_window, close_window, forced,
	read: .xfr.read, readv: .xfr.readv, write: .xfr.write,
	reads: .ops.read, readvs: .ops.readv, writes: .ops.write, segments: .ops.rsegs,
	read_sizes: (.ops | if . and .read > 0 and .rdMin <= .rdMax then [.rdMin, .rdMax] else null end)
};
def ours: {
	server: "\(.server_ip):\(.serverID | split("#")[2])", start: .server_start, id: .file_id,
	filename, filesize, for_write, site, instance: .server_instance, user, host, pid, protocol,
	dn: .user_dn, appinfo, flow: (if .experiment then [.experiment, .activity] else null end),
	open_window, close_window, forced,
	read: (.read_single_bytes // .read), readv: (.read_vector_bytes // .readv),
	write: (.write_bytes_at_close // .write),
	reads: at_close(.read_single_bytes; .read; .read_single_operations),
	readvs: .read_vector_operations,
	writes: at_close(.write_bytes_at_close; .write; .write_operations),
	segments: .read_vector_segments,
	read_sizes: (if .read_single_min then [.read_single_min, .read_single_max] else null end)
};
if .fileID then
	([ours_of | reads_in_part] | any) as $reads | ([ours_of | writes_in_part] | any) as $writes |
	reference | as_compared($reads; $writes)
else
	reads_in_part as $reads | writes_in_part as $writes | ours | as_compared($reads; $writes)
end
