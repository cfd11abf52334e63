#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - pages of nodometer site: from a folder, a browser shows no error, and the search finds a
# run; behind nginx and Apache, users see only their own folders
packages='chromium nginx-light apache2-bin curl'
. "$(dirname "$0")/../lib.sh"
browser=$(command -v chromium) || skip 'no chromium'
archive=$scratch/archive out=$scratch/site

# run HOST EPOCH JOB USER: make a file of HOST with a run of 20 minutes
run()
{
	mkdir -p "$archive/$1"
	{
		printf '%s\n' '$hpcperfstats 1.0.2' "\$hostname $1" '!cpu user,E,U=cs idle,E,U=cs'
		printf '\n%s %s\n%%begin %s user=%s account=phys\ncpu 0 0 0\n' "$2" "$3" "$3" "$4"
		printf '\n%s %s\n%%end %s\ncpu 0 60000 60000\n' $(($2 + 1200)) "$3" "$3"
	} >"$archive/$1/$2"
}
run n1 1700000000 4711 ann
run n1 1700010000 4712 bob
run n2 1700020000 '<script>nothing()</script>' '<script>nothing()</script>'
"$bin/nodometer-site" --dir "$archive" --out "$out" || die 'no site'

# shown FILE: print the page FILE after its scripts ran in a browser; messages of its scripts and
# about policies go to $scratch/said
shown()
{
	HOME=$scratch/home timeout 120 "$browser" --headless --no-sandbox --disable-gpu \
		--user-data-dir="$scratch/home" --enable-logging=stderr --dump-dom "file://$1" \
		>"$scratch/dom" 2>"$scratch/said" </dev/null
	grep -q '</html>' "$scratch/dom" || die "$1: $(tail -n 3 "$scratch/said")"
}
{ sed '$d' "$out/index.html"; echo '<script>nothing()</script></body></html>'; } \
	>"$scratch/wrong.html"
shown "$scratch/wrong.html"
grep -q 'CONSOLE.*source: file:' "$scratch/said" || die 'errors are not seen'
pages=0
find "$out" -name '*.html' >"$scratch/pages"
while IFS= read -r page; do
	shown "$page"
	! grep 'CONSOLE' "$scratch/said" || fail "$page: errors in the console"
	pages=$((pages + 1))
done <"$scratch/pages"
[ $pages -ge 12 ] || fail "only $pages pages"

# found FOLDER TEXT: search for TEXT on the page of FOLDER, and print the target of the first hit
found()
{
	cat >"$scratch/type" <<-X
	<script>
	const box = document.getElementById("job");
	box.value = "$2";
	box.dispatchEvent(new Event("input"));
	const hit = document.querySelector("#found a");
	document.title = hit ? hit.getAttribute("href") : "none";
	</script>
	X
	{ sed '$d' "$out/$1/index.html"; cat "$scratch/type"; echo '</body></html>'; } \
		>"$out/$1/typed.html"
	shown "$out/$1/typed.html"
	rm "$out/$1/typed.html"
	sed -n 's|.*<title>\(.*\)</title>.*|\1|p' "$scratch/dom"
}
[ "$(found all 4711)" = ../users/ann/run-4711-1700000000.html ] || fail "found: $(found all 4711)"
[ "$(found users/bob 471)" = run-4712-1700010000.html ] || fail "bob: $(found users/bob 471)"
[ "$(found users/bob 4711)" = none ] || fail 'bob finds a run of ann'

# get WHO PATH: request PATH as user WHO, and print the HTTP status; all passwords are x
get() { curl -sS -o "$scratch/answer" -w '%{http_code}' ${1:+-u "$1:x"} --path-as-is "$url/$2"; }
answers() { [ "$(get ann users/ann/index.html)" = 200 ]; }
# judged SERVER: fail unless SERVER shows to each user only the right pages
judged()
{
	wait_until answers || die "$1 does not answer: $(tail -n 3 "$scratch"/*.log)"
	server=$1
	while read -r who path want; do
		is=$(get "$who" "$path")
		case $server:$want:$is in
		*:403:401) ;;	# the server asks for another login
		*:"$is":*) ;;
		*) fail "$server: $who $path: $is, not $want" ;;
		esac
	done <<-END
	ann users/ann/run-4711-1700000000.html 200
	ann users/bob/index.html 403
	ann users/bob/search.js 403
	ann all/index.html 403
	ann all/search.js 403
	bob users/bob/index.html 200
	bob users/ann/../bob/index.html 200
	bob users/bob/../ann/index.html 403
	alice all/index.html 200
	alice all/week-2023-W46.html 200
	ann users/ann/.htaccess 403
	ann index.html 200
	END
	[ "$(get '' users/ann/index.html)" = 401 ] || fail "$server asks for no name"
	curl -sS -o "$scratch/answer" -w '%{http_code}' -u ann:y "$url/users/ann/index.html" |
		grep -q 401 || fail "$server takes any password"
}
chmod -R a+rX "$out" && chmod a+x "$scratch"
hash=$(openssl passwd -apr1 x)
printf '%s\n' "ann:$hash" "bob:$hash" "alice:$hash" >"$scratch/passwords"
echo 'nodometer: alice' >"$scratch/groups"
mkdir -p "$scratch/tmp"

if command -v nginx >"$scratch/log"; then
	port=$(free_port) url=http://127.0.0.1:$port/nodometer
	sed -e "s|listen 443 ssl|listen 127.0.0.1:$port|; /ssl_certificate/d" \
		-e "s|/srv/nodometer/|$out/|; s|/etc/nginx/runs.users|$scratch/passwords|" \
		"$top/packaging/share/nginx-site.conf" >"$scratch/site.conf"
	cat >"$scratch/nginx.conf" <<-X
	daemon off;
	pid $scratch/nginx.pid;
	error_log $scratch/nginx.log;
	events { }
	http { access_log off; client_body_temp_path $scratch/tmp; include $scratch/site.conf; }
	X
	background nginx -e "$scratch/nginx.log" -c "$scratch/nginx.conf"
	judged nginx
	stop "$started"
	say 'nginx'
fi
if command -v apache2 >"$scratch/log"; then
	port=$(free_port) url=http://127.0.0.1:$port/nodometer
	modules=$(dirname "$(find /usr/lib -name mod_auth_basic.so | head -n 1)")
	{
		for m in mpm_event authn_core authz_core auth_basic authn_file authz_user \
			authz_groupfile alias; do
			echo "LoadModule ${m}_module $modules/mod_$m.so"
		done
		cat <<-X
		ServerName localhost
		Listen 127.0.0.1:$port
		PidFile $scratch/apache.pid
		ErrorLog $scratch/apache.log
		User nobody
		Group nogroup
		Alias /nodometer $out
		<Directory $out>
			AllowOverride AuthConfig
			AuthType Basic
			AuthName nodometer
			AuthUserFile $scratch/passwords
			AuthGroupFile $scratch/groups
			Require valid-user
		</Directory>
		<Files ".ht*">
			Require all denied
		</Files>
		X
	} >"$scratch/apache.conf"
	background apache2 -X -f "$scratch/apache.conf"
	judged apache
	stop "$started"
	say 'apache'
fi
say "$pages pages without an error"
finish
