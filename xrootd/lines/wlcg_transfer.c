/* SPDX-License-Identifier: BSD-3-Clause */
/* wlcg_transfer.c - write an access to a file as a record of WLCG's pipeline */
#include "xrootd/lines/osg.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include "base/json.h"
#include "xrootd/lines/request_sizes.h"
#include "xrootd/join/xrd_put.h"

/* Make a random UUID: RFC 9562, 5.4. */
void wlcg_make_id(char id[WLCG_ID_SIZE])
{
	unsigned char r[16] = { 0 };
	if (getrandom(r, sizeof(r), 0) != (ssize_t)sizeof(r))
		abort();
	r[6] = (unsigned char)(0x40 | (r[6] & 0x0f));
	r[8] = (unsigned char)(0x80 | (r[8] & 0x3f));
	snprintf(id, WLCG_ID_SIZE,
		 "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
		 r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8], r[9], r[10], r[11], r[12],
		 r[13], r[14], r[15]);
}

/* Get the text between the first "CN=" and the next one: "alice/" of "/DC=ch/CN=alice/CN=1". */
static struct str wlcg_common_name(struct str dn)
{
	const char *at = dn.n ? memmem(dn.p, dn.n, "CN=", 3) : NULL;
	struct str name = at ? str_skip(dn, (size_t)(at - dn.p) + 3) : STR("");
	const char *next = name.n ? memmem(name.p, name.n, "CN=", 3) : NULL;
	if (next)
		name.n = (size_t)(next - name.p);
	return name;
}

/*
 * Append the three parts of a text such as "162_https://glidein.cern.ch/162/190501:u:crab:X_0".
 * Only the last word of the second part is used.
 */
static void wlcg_put_crab(struct buf *b, struct str info)
{
	struct str id, flow, head;
	if (!str_take_until(&info, '_', &id) || !str_take_until(&info, '_', &flow) ||
	    str_has(info, '_'))
		return;
	while (str_take_until(&flow, '/', &head))
		;
	json_str(b, "CRAB_Id", id);
	json_str(b, "CRAB_Retry", info);
	json_str(b, "CRAB_Workflow", flow);
}

static void wlcg_put_sizes(struct buf *b, const char *prefix, bool counted,
			   const struct request_sizes *k)
{
	char name[48];
	bool sizes = has_sizes(k);
	snprintf(name, sizeof(name), "%s_average", prefix);
	json_double(b, name, average_of(k));
	snprintf(name, sizeof(name), "%s_max", prefix);
	json_int(b, name, sizes ? k->max : 0);
	snprintf(name, sizeof(name), "%s_min", prefix);
	json_int(b, name, sizes ? k->min : 0);
	snprintf(name, sizeof(name), "%s_sigma", prefix);
	json_double(b, name, has_sigma(k) ? sigma_of(k) : 0);
	snprintf(name, sizeof(name), "%s_operations", prefix);
	if (counted)
		json_int(b, name, requests_of(k));
}

static void wlcg_put_operations(struct buf *b, const struct byte_counts *all,
				const struct xrd_close *close)
{
	static const struct xrd_record none;
	const struct xrd_record *c = close ? &close->record : &none;
	const struct all_sizes z = all_sizes_of(all, c);
	bool reads = c->flags & XRD_HAS_OPS && c->read >= 0 && c->readv >= 0;
	bool writes = c->flags & XRD_HAS_OPS && c->write >= 0;
	wlcg_put_sizes(b, "read", false, &z.reads);
	json_int(b, "read_operations", requests_of(&z.reads));
	wlcg_put_sizes(b, "read_single", true, &z.single);
	wlcg_put_sizes(b, "read_vector", true, &z.vector);
	wlcg_put_sizes(b, "read_vector_count", false, &z.segments);
	wlcg_put_sizes(b, "write", true, &z.write);
	json_int(b, "read_bytes_at_close", reads ? bytes_plus(c->read, c->readv) : 0);
	json_int(b, "write_bytes_at_close", writes ? c->write : 0);
}

void wlcg_put_metadata(struct buf *b, const struct wlcg_metadata *m)
{
	json_open(b, "metadata", '{');
	json_str(b, "producer", str_of(m->producer));
	json_str(b, "type", str_of(m->type));
	json_int(b, "timestamp", m->now / 1000);
	json_str(b, "type_prefix", STR("raw"));
	json_str(b, "host", str_of(m->host));
	json_str(b, "_id", str_of(m->id));
	json_close(b, '}');
}

static void wlcg_put_places(struct buf *b, const struct xrd_transfer *t, const struct osg_facts *o)
{
	struct str site = str_of(o->site ? o->site : "");
	json_str(b, "site_name", site);
	json_bool(b, "fallback", true);
	json_str(b, "user_dn", o->dn);
	put_known(b, "user", wlcg_common_name(o->dn));
	json_str(b, "client_host", o->host);
	json_str(b, "client_domain", o->domain);
	json_str(b, "server_host", str_of(o->server));
	put_known(b, "server_domain", osg_domain(str_of(o->server)));
	json_str(b, "server_ip", str_of(t->server ? t->server->ip : "unknown"));
	json_str(b, "server_site", site);
}

static void wlcg_put_bytes(struct buf *b, const struct osg_facts *o)
{
	int64_t read = bytes_plus(o->read, o->readv);
	json_int(b, "read_bytes", read);
	json_int(b, "read_single_bytes", o->read);
	json_int(b, "read_vector_bytes", o->readv);
	json_int(b, "write_bytes", o->write);
	json_str(b, "operation", read > 0 ? STR("read") : o->write > 0 ? STR("write") :
		 STR("unknown"));
}

void wlcg_transfer_put(struct buf *b, const struct xrd_transfer *t, int64_t now, const char *host)
{
	const struct xrd_file *f = t->file;
	const struct xrd_who w = xrd_who_of(t->client, f);
	const struct osg_facts o = osg_facts_of(t, &w);
	char id[WLCG_ID_SIZE];
	if (!o.any)
		return;
	wlcg_make_id(id);
	json_open(b, NULL, '{');
	wlcg_put_places(b, t, &o);
	json_str(b, "unique_id", str_of(id));
	put_path(b, "file_lfn", o.path.n ? o.path : STR("missing directory"));
	if (f->opened && f->size >= 0)
		json_int(b, "file_size", f->size);
	else
		json_str(b, "file_size", STR("-1"));
	wlcg_put_bytes(b, &o);
	json_bool(b, "ipv6", str_eq(xrd_pair(w.auth, STR("I")), STR("6")));
	json_int(b, "start_time", o.start);
	json_int(b, "end_time", o.end);
	json_int(b, "operation_time", (o.end - o.start) / 1000);
	put_known(b, "user_protocol", w.user.protocol);
	put_known(b, "vo", o.vo);
	put_known(b, "experiment", xrd_pair(w.flow, STR("Ec")));
	put_known(b, "activity", xrd_pair(w.flow, STR("Ac")));
	wlcg_put_crab(b, o.appinfo);
	wlcg_put_operations(b, &o.counts, f->close);
	wlcg_put_metadata(b, &(struct wlcg_metadata){
		.producer = "cms", .type = "aaa-ng", .now = now, .host = host, .id = id,
	});
	buf_add(b, STR("}\n"));
}
