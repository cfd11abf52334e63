/* SPDX-License-Identifier: BSD-3-Clause */
/* host.c - who this node is */
#include "agent/host.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "formats/raw_write.h"

/* One line of a file below the root, or nothing. */
static struct str read_line(const struct files *root, const char *path, char *buf, size_t size)
{
	int fd CLEANUP(close_fd) = files_open(root, path, O_RDONLY);
	ssize_t n = fd >= 0 ? read(fd, buf, size) : 0;
	struct str text = { buf, n > 0 ? (size_t)n : 0 }, line = { buf, 0 };
	str_take_line(&text, &line);
	return str_trim(line);
}

static bool complete_name(struct str line, struct str name, struct str *full)
{
	struct str word, address, hash = line;
	bool ours = false;

	if (str_take_until(&hash, '#', &line) && line.n == 0)
		return false;
	full->n = 0;
	if (!str_take_word(&line, &address))
		return false;
	while (str_take_word(&line, &word)) {
		ours |= str_eq(word, name);
		if (full->n == 0 && word.n > name.n && str_starts(word, name) &&
		    word.p[name.n] == '.')
			*full = word;
	}
	return ours && full->n;
}

static void complete_from_hosts(struct host *h, const struct files *root)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	struct files f = { .rootfd = root->rootfd, .in_root = root->in_root };
	struct str text, line, full;
	int r = files_read(&f, "etc/hosts", FILE_RECORDS, &b, &text);
	f.rootfd = -1;
	files_free(&f);
	if (r < 0)
		return;

	while (str_take_line(&text, &line))
		if (complete_name(str_trim(line), str_of(h->name), &full)) {
			str_copy(h->name, sizeof(h->name), full);
			return;
		}
}

/* The name becomes a folder's. */
static void make_safe(char *name)
{
	for (char *p = name; *p; p++)
		if (*p == '/' || (unsigned char)*p <= ' ' || *p == 0x7f)
			*p = '_';
	if (name[0] == '.' || name[0] == '\0')
		name[0] = '_';
}

void host_identify(struct host *h, const struct files *root, const char *given)
{
	char buf[256];

	*h = (struct host){ .name = "" };
	str_copy(h->boot_id, sizeof(h->boot_id),
		 read_line(root, "proc/sys/kernel/random/boot_id", buf, sizeof(buf)));
	if (given && *given) {
		str_copy(h->name, sizeof(h->name), str_of(given));
	} else {
		str_copy(h->name, sizeof(h->name),
			 read_line(root, "proc/sys/kernel/hostname", buf, sizeof(buf)));
		if (!h->name[0] && gethostname(h->name, sizeof(h->name) - 1) < 0)
			str_copy(h->name, sizeof(h->name), STR("localhost"));
		if (!strchr(h->name, '.'))
			complete_from_hosts(h, root);
	}
	make_safe(h->name);
}

static void put_uptime(struct buf *b, const struct files *root)
{
	char buf[256];
	struct str line = read_line(root, "proc/uptime", buf, sizeof(buf)), seconds;
	if (str_take_until(&line, '.', &seconds))
		raw_put_property(b, "uptime", seconds);
}

#define CPUS_MAX 8192

static bool read_id(const struct files *root, const char *cpu, const char *leaf, uint64_t *id)
{
	char path[320], buf[32];
	snprintf(path, sizeof(path), "sys/devices/system/cpu/%s/topology/%s", cpu, leaf);
	struct str line = read_line(root, path, buf, sizeof(buf));
	return str_take_u64(&line, id);
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

/* One number per CPU that tells its topology: package << 32 | core. Returns how many. */
static size_t read_cores(const struct files *root, DIR *cpus, uint64_t *core)
{
	const struct dirent *e;
	uint64_t cpu, package, id;
	size_t n = 0;

	while (n < CPUS_MAX && (e = readdir(cpus))) {
		struct str name = str_of(e->d_name);
		if (str_take_prefix(&name, STR("cpu")) && str_take_u64(&name, &cpu) &&
		    name.n == 0 && read_id(root, e->d_name, "physical_package_id", &package) &&
		    read_id(root, e->d_name, "core_id", &id))
			core[n++] = package << 32 | (uint32_t)id;
	}
	qsort(core, n, sizeof(*core), by_value);
	return n;
}

static void put_cores(struct buf *b, const struct files *root)
{
	int fd = files_open(root, "sys/devices/system/cpu", O_RDONLY | O_DIRECTORY);
	DIR *cpus = fd >= 0 ? fdopendir(fd) : NULL;
	if (!cpus) {
		close_fd(&fd);
		return;
	}
	uint64_t *core = xrealloc(NULL, CPUS_MAX * sizeof(*core));
	size_t n = read_cores(root, cpus, core), sockets = n > 0, cores = n > 0;
	for (size_t i = 1; i < n; i++) {
		cores += core[i] != core[i - 1];
		sockets += core[i] >> 32 != core[i - 1] >> 32;
	}
	if (n)
		buf_addf(b, " sockets=%zu cores=%zu", sockets, cores);
	free(core);
	closedir(cpus);
}

static void put_list(struct buf *b, const struct files *root, const char *key, const char *path)
{
	char buf[1024];
	struct str list = read_line(root, path, buf, sizeof(buf));
	if (list.n)
		buf_addf(b, " %s=" STR_FMT, key, STR_ARG(list));
}

/* "sockets=2 cores=16 cpus=0-31 nodes=0-1"; what the kernel does not tell is left out. */
static void put_topology(struct buf *b, const struct files *root)
{
	struct buf t CLEANUP(buf_free) = { 0 };
	put_cores(&t, root);
	put_list(&t, root, "cpus", "sys/devices/system/cpu/online");
	put_list(&t, root, "nodes", "sys/devices/system/node/online");
	if (t.n)
		raw_put_property(b, "topology", str_skip(buf_str(&t), 1));
}

void host_put_header(struct buf *b, const struct host *h, const struct files *root,
		     const char *version)
{
	struct utsname u;

	raw_put_property(b, "hpcperfstats", str_of(version));
	raw_put_property(b, "hostname", str_of(h->name));
	if (uname(&u) == 0) {
		struct buf text CLEANUP(buf_free) = { 0 };
		buf_addf(&text, "%s %s %s %s", u.sysname, u.machine, u.release, u.version);
		raw_put_property(b, "uname", buf_str(&text));
	}
	put_uptime(b, root);
	raw_put_property(b, "agent", STR("nodometer " PACKAGE_VERSION));
	put_topology(b, root);
	if (h->boot_id[0])
		raw_put_property(b, "boot_id", str_of(h->boot_id));
}
