/* SPDX-License-Identifier: BSD-3-Clause */
/* nfs_calls - requests of NFS clients by version of the protocol, from /proc/net/rpc/nfs */
#include "collectors/collector.h"

/* The requests in the order of their numbers (the kernel's nfs3_procedures and nfs4_procedures). */
static const char *const version_3[] = {
	"null", "getattr", "setattr", "lookup", "access", "readlink", "read", "write", "create",
	"mkdir", "symlink", "mknod", "remove", "rmdir", "rename", "link", "readdir",
	"readdirplus", "fsstat", "fsinfo", "pathconf", "commit",
};

/* Requests of NFS 4.1 and 4.2, which later kernels append, have no keys. */
static const char *const version_4[] = {
	"null", "read", "write", "commit", "open", "open_confirm", "open_noattr",
	"open_downgrade", "close", "setattr", "fsinfo", "renew", "setclientid",
	"setclientid_confirm", "lock", "lockt", "locku", "access", "getattr", "lookup",
	"lookup_root", "remove", "rename", "link", "symlink", "create", "pathconf", "statfs",
	"readlink", "readdir", "server_caps", "delegreturn", "getacl", "setacl", "fs_locations",
};

static void nfs_calls_set(struct source *s, struct row row, const char *name, uint64_t value)
{
	for (size_t i = 0; i < s->rows.n_metrics; i++)
		if (str_eq(str_of(s->rows.metrics[i].name), str_of(name)))
			row_set(row, i, value);
}

/*
 * Parse what follows "proc3" in "proc3 22 0 17 ...": the number of kinds of requests, and a count
 * for each kind.
 */
static void nfs_calls_add(struct source *s, struct str version, const char *const *name, size_t n,
			  struct str line)
{
	uint64_t count, value;
	if (!str_take_u64(&line, &count) || count == 0)
		return;
	struct row row = rows_add(&s->rows, version);
	for (size_t i = 0; i < n && i < count && str_take_u64(&line, &value); i++)
		nfs_calls_set(s, row, name[i], value);
}

static int nfs_calls_collect(struct source *s)
{
	struct str text, line;
	int r = source_read(s, "proc/net/rpc/nfs", &text);
	if (r < 0)
		return r;
	while (str_take_line(&text, &line)) {
		if (str_take_prefix(&line, STR("proc3 ")))
			nfs_calls_add(s, STR("3"), version_3, ARRAY_SIZE(version_3), line);
		else if (str_take_prefix(&line, STR("proc4 ")))
			nfs_calls_add(s, STR("4"), version_4, ARRAY_SIZE(version_4), line);
	}
	return s->rows.n ? 0 : source_absent(s, "/proc/net/rpc/nfs has no line of a version");
}

const struct collector nfs_calls_collector = {
	.type    = &nfs_calls_type,
	.collect = nfs_calls_collect,
};
