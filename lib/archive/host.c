/* SPDX-License-Identifier: BSD-3-Clause */
/* host.c - identify this node and write the header of a raw file */
#include "archive/host.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "base/clock.h"
#include "formats/raw_write.h"

#define FAULT_PAGES 32	/* number of page faults that are timed */

static bool host_complete_name(struct str line, struct str name, struct str *full)
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

static void host_complete_from_hosts(struct host *h, const struct files *root)
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
		if (host_complete_name(str_trim(line), str_of(h->name), &full)) {
			str_copy(h->name, sizeof(h->name), full);
			return;
		}
}

/* Make a hostname safe to use as the name of a folder. */
static void host_make_safe(char *name)
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
		 files_line(root, "proc/sys/kernel/random/boot_id", buf, sizeof(buf)));
	if (given && *given) {
		str_copy(h->name, sizeof(h->name), str_of(given));
	} else {
		str_copy(h->name, sizeof(h->name),
			 files_line(root, "proc/sys/kernel/hostname", buf, sizeof(buf)));
		if (!h->name[0] && gethostname(h->name, sizeof(h->name) - 1) < 0)
			str_copy(h->name, sizeof(h->name), STR("localhost"));
		if (!strchr(h->name, '.'))
			host_complete_from_hosts(h, root);
	}
	host_make_safe(h->name);
}

static void host_put_uptime(struct buf *b, const struct files *root)
{
	char buf[256];
	struct str line = files_line(root, "proc/uptime", buf, sizeof(buf)), seconds;
	if (str_take_until(&line, '.', &seconds))
		raw_put_property(b, "uptime", seconds);
}

static void host_put_list(struct buf *b, const struct files *root, const char *key,
			  const char *path)
{
	char buf[1024];
	struct str list = files_line(root, path, buf, sizeof(buf));
	if (list.n)
		buf_addf(b, " %s=" STR_FMT, key, STR_ARG(list));
}

/*
 * Append a line such as "$topology sockets=2 cores=16 cpus=0-31 nodes=0-1". Unknown values are
 * omitted.
 */
static void host_put_topology(struct buf *b, const struct files *root, struct topology *topology)
{
	struct buf t CLEANUP(buf_free) = { 0 };
	/* read the topology again, so that the counts match the lists below */
	topology->checked = false;
	if (topology_look(topology, root) == 0 && topology->packages && topology->cores)
		buf_addf(&t, " sockets=%zu cores=%zu", topology->packages, topology->cores);
	host_put_list(&t, root, "cpus", "sys/devices/system/cpu/online");
	host_put_list(&t, root, "nodes", "sys/devices/system/node/online");
	if (t.n)
		raw_put_property(b, "topology", str_skip(buf_str(&t), 1));
}

/*
 * Append a line such as "$fault_ns 4210": the CPU time of a page fault in ns. In a virtual machine
 * it may be 90 times as long. Only the second of two rounds is timed, because the first has cold
 * caches. Does nothing for a captured tree (a copy of another node's files).
 */
static void host_put_fault_cost(struct buf *b, const struct files *root)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), size = FAULT_PAGES * page;
	volatile char *p = root->in_root ? MAP_FAILED :
			   mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				-1, 0);
	int64_t begin = 0;
	char text[32];

	if (p == MAP_FAILED)
		return;
	for (int round = 0; round < 2; round++) {
		madvise((void *)p, size, MADV_DONTNEED);
		begin = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		for (size_t i = 0; i < FAULT_PAGES; i++)
			p[i * page] = 1;
	}
	snprintf(text, sizeof(text), "%" PRId64,
		 (clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin) / FAULT_PAGES);
	munmap((void *)p, size);
	raw_put_property(b, "fault_ns", str_of(text));
}

void host_put_header(struct buf *b, const struct host *h, const struct files *root,
		     struct topology *topology, const char *version)
{
	struct utsname u;

	raw_put_property(b, "hpcperfstats", str_of(version));
	raw_put_property(b, "hostname", str_of(h->name));
	if (uname(&u) == 0) {
		struct buf text CLEANUP(buf_free) = { 0 };
		buf_addf(&text, "%s %s %s %s", u.sysname, u.machine, u.release, u.version);
		raw_put_property(b, "uname", buf_str(&text));
	}
	host_put_uptime(b, root);
	raw_put_property(b, "agent", STR("nodometer " PACKAGE_VERSION));
	host_put_topology(b, root, topology);
	if (h->boot_id[0])
		raw_put_property(b, "boot_id", str_of(h->boot_id));
	host_put_fault_cost(b, root);
}
