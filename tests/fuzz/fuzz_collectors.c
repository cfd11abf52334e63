/* SPDX-License-Identifier: BSD-3-Clause */
/* fuzz_collectors.c - read any contents of the kernel's files, also after any earlier contents */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/ipmi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "collectors/pmu/pmu.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The file of a type that the input replaces, and the other files that must exist. */
struct source_file {
	const char *type, *path;
	const char *other[2 * 5];
};

#define CPUS "sys/devices/system/cpu/"
#define PMUS "sys/bus/event_source/devices/"
#define CPUINFO "proc/cpuinfo", "vendor_id : GenuineIntel\ncpu family : 6\nmodel : 79\n"
#define IMC_TYPE PMUS "uncore_imc_3/type", "21\n"
#define IMC_MASK PMUS "uncore_imc_3/cpumask", "8\n"
#define IN_PACKAGE CPUS "cpu8/topology/physical_package_id", "1\n"
#define ENERGY PMUS "power/events/energy-pkg"
#define ENERGY_EVENT ENERGY, "event=0x02"
#define ENERGY_UNIT ENERGY ".unit", "Joules"
#define ENERGY_SCALE ENERGY ".scale", "2.3283064365386962890625e-10"
static const struct source_file sources[] = {
	{ "block",    "sys/block/sda/stat" },
	{ "cpu",      "proc/stat" },
	{ "mem",      "sys/devices/system/node/node0/meminfo" },
	{ "net",      "sys/class/net/eth0/statistics/rx_bytes",
	  { "sys/class/net/eth0/flags", "0x1\n" } },
	{ "nfs",      "proc/self/mountstats",
	  { "proc/mounts", "srv:/scratch /scratch nfs4 rw 0 0\n" } },
	{ "numa",     "sys/devices/system/node/node0/numastat" },
	{ "proc",     "proc/7/status" },
	{ "ps",       "proc/stat" },
	{ "ps",       "proc/loadavg" },
	{ "sysv_shm", "proc/sysvipc/shm" },
	{ "tmpfs",    "proc/mounts" },
	{ "vfs",      "proc/sys/fs/dentry-state" },
	{ "vm",       "proc/vmstat" },
	{ "llite",    "proc/fs/lustre/llite/work-ffff8104435c8c00/stats" },
	{ "mdc",      "sys/kernel/debug/lustre/mdc/work-MDT0000-mdc-ffff8104435c8c00/stats" },
	{ "osc",      "proc/fs/lustre/osc/work-OST0001-osc-ffff8104435c8c00/stats",
	  { "proc/fs/lustre/osc/work-OST0000-osc-ffff8104435c8c00/stats",
	    "snapshot_time 1.5 secs.usecs\nost_read 5 samples [usec] 1 2 3 4\n" } },
	{ "lnet",     "proc/sys/lnet/stats" },
	{ "cxi",      "sys/class/cxi/cxi0/device/telemetry/hni_sts_rx_ok_octets" },
	{ "hw_counters", "sys/class/infiniband/mlx5_0/ports/1/hw_counters/out_of_buffer" },
	{ "ib",       "sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_data",
	  { "sys/class/infiniband/mlx5_0/ports/1/state", "4: ACTIVE\n" } },
	{ "ib",       "sys/class/infiniband/mlx5_0/ports/1/state",
	  { "sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_data", "1\n" } },
	{ "ib_ext",   "sys/class/infiniband/mlx5_0/ports/1/counters/unicast_xmit_packets" },
	{ "opa",      "sys/class/infiniband/hfi1_0/ports/1/counters/port_rcv_data" },
	{ "perf_sw",  CPUS "online", { PMUS "software/type", "1\n", PMUS "msr/type", "9\n" } },
	{ "intel_hsw_ht", "proc/cpuinfo", { PMUS "cpu/type", "4\n", CPUS "online", "0-3\n" } },
	{ "intel_hsw_ht", CPUS "cpu0/topology/thread_siblings_list",
	  { CPUINFO, PMUS "cpu/type", "4\n", CPUS "online", "0-3\n" } },
	{ "intel_bdw_imc", PMUS "uncore_imc_3/type", { CPUINFO, IMC_MASK, IN_PACKAGE } },
	{ "intel_bdw_imc", PMUS "uncore_imc_3/cpumask", { CPUINFO, IMC_TYPE, IN_PACKAGE } },
	{ "intel_bdw_imc", CPUS "cpu8/topology/physical_package_id",
	  { CPUINFO, IMC_TYPE, IMC_MASK } },
	{ "amd64_rapl", PMUS "power/cpumask",
	  { PMUS "power/type", "23\n", ENERGY_EVENT, ENERGY_UNIT, ENERGY_SCALE, IN_PACKAGE } },
	{ "amd64_rapl", ENERGY ".scale",
	  { PMUS "power/type", "23\n", PMUS "power/cpumask", "8\n", ENERGY_EVENT, ENERGY_UNIT,
	    IN_PACKAGE } },
	{ "rapl",     "sys/class/powercap/intel-rapl:0/name",
	  { "sys/class/powercap/intel-rapl:0/max_energy_range_uj", "1000\n",
	    "sys/class/powercap/intel-rapl:0/energy_uj", "999\n" } },
	{ "rapl",     "sys/class/powercap/intel-rapl:0/energy_uj",
	  { "sys/class/powercap/intel-rapl:0/max_energy_range_uj", "1000\n",
	    "sys/class/powercap/intel-rapl:0/name", "package-0\n" } },
	{ "amd_gpu",  "sys/class/drm/card0/device/gpu_metrics",
	  { "sys/class/drm/card0/device/uevent",
	    "DRIVER=amdgpu\nPCI_ID=1002:740C\nPCI_SLOT_NAME=0000:c1:00.0\n" } },
	{ "amd_gpu",  "sys/class/drm/card0/device/ras/umc_err_count",
	  { "sys/class/drm/card0/device/uevent",
	    "DRIVER=amdgpu\nPCI_SLOT_NAME=0000:c1:00.0\n" } },
	{ "amd_gpu",  "sys/class/drm/card0/device/uevent",
	  { "sys/class/drm/card0/device/gpu_busy_percent", "5\n" } },
	{ "mic",      "sys/class/mic/mic0/active_cores" },
	{ "cpufreq",  CPUS "cpu1/cpufreq/stats/time_in_state" },
	{ "meminfo",  "proc/meminfo" },
	{ "ipmi_dcmi", "dev/ipmi0" },
	{ "amd_xcp",  "sys/class/drm/card0/device/gpu_metrics",
	  { "sys/class/drm/card0/device/uevent",
	    "DRIVER=amdgpu\nPCI_ID=1002:74A1\nPCI_SLOT_NAME=0000:c1:00.0\n" } },
};

/*
 * A node for each entry of sources[]. It has its own root, and its .source keeps what earlier
 * samples have read.
 */
struct node {
	struct files root;
	int fd;			/* descriptor of the file that the input replaces */
	struct shared shared;
	struct source source;
};
static struct node nodes[ARRAY_SIZE(sources)];
static char top[256];

static void must(bool holds)
{
	if (!holds)
		abort();
}

/*
 * Replace the IPMI driver: the node's management controller (BMC) answers with the contents of the
 * file.
 */
int ioctl(int fd, unsigned long request, ...)
{
	static long asked;
	va_list ap;
	va_start(ap, request);
	void *arg = va_arg(ap, void *);
	va_end(ap);
	if (request == IPMICTL_SEND_COMMAND) {
		asked = ((const struct ipmi_req *)arg)->msgid;
		return 0;
	}
	must(request == IPMICTL_RECEIVE_MSG_TRUNC);
	struct ipmi_recv *got = arg;
	ssize_t n = pread(fd, got->msg.data, got->msg.data_len, 0);
	must(n >= 0);
	got->msg.data_len = (unsigned short)n;
	got->msgid = asked;
	got->recv_type = IPMI_RESPONSE_RECV_TYPE;
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static void end(void)
{
	nftw(top, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/*
 * Make a file and its folders below a folder, and open it. The file belongs to user 1000 if this
 * process may change the owner.
 */
static int make_file(const char *dir, const char *path)
{
	char part[512];
	for (const char *p = path; (p = strchr(p, '/')); p++) {
		snprintf(part, sizeof(part), "%s/%.*s", dir, (int)(p - path), path);
		must(mkdir(part, 0755) == 0 || errno == EEXIST);
		must(chown(part, 1000, 1000) == 0 || errno == EPERM);
	}
	snprintf(part, sizeof(part), "%s/%s", dir, path);
	int fd = open(part, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	must(fd >= 0);
	return fd;
}

static void begin(void)
{
	const char *tmp = getenv("TMPDIR");
	snprintf(top, sizeof(top), "%s/nodometer-fuzz-XXXXXX", tmp ? tmp : "/tmp");
	must(mkdtemp(top) != NULL);
	atexit(end);
	for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
		const struct collector *c = collector_find(sources[i].type);
		char dir[300];
		must(c != NULL);
		snprintf(dir, sizeof(dir), "%s/%zu", top, i);
		must(mkdir(dir, 0755) == 0);
		nodes[i].fd = make_file(dir, sources[i].path);
		const char *const *other = sources[i].other;
		for (size_t k = 0; k < ARRAY_SIZE(sources[i].other) && other[k]; k += 2) {
			struct str text = str_of(other[k + 1]);
			int fd CLEANUP(close_fd) = make_file(dir, other[k]);
			must(write(fd, text.p, text.n) == (ssize_t)text.n);
		}
		must(files_open_root(&nodes[i].root, dir) == 0);
		source_init(&nodes[i].source, &nodes[i].root, c->type->metrics, c->type->n_metrics);
		nodes[i].source.data = c->data;
		nodes[i].source.shared = &nodes[i].shared;
		nodes[i].shared.files = (struct files){ .rootfd = nodes[i].root.rootfd,
							.in_root = nodes[i].root.in_root };
	}
}

/* Check the counters that the type plans to open. In a captured tree, no counter is opened. */
static void look_at_plan(const struct source *s, const struct collector *c)
{
	struct pmu_counter counter;
	for (size_t i = 0; c->planned && c->planned(s, i, &counter); i++)
		must(counter.device[0] && counter.key[0] && counter.pmu[0] && counter.cpu >= 0 &&
		     counter.cpu < PMU_CPUS_MAX);
}

static int collect(struct source *s, const struct collector *c, bool rescan)
{
	s->rescan = rescan;
	shared_clear(s->shared, false);	/* ask hwloc only once, because it needs a process */
	source_clear(s);
	int r = c->collect(s);
	must(r <= 0 && r > -4096);
	if (rescan)
		look_at_plan(s, c);
	for (size_t i = 0; r == 0 && i < s->rows.n; i++) {
		struct str name = rows_device(&s->rows, i);
		must(name.n > 0);
		for (size_t k = 0; k < name.n; k++)
			must(name.p[k] > ' ' && name.p[k] < 0x7f);
	}
	return r;
}

static bool has(const struct source *s, size_t row, size_t key)
{
	return rows_present(&s->rows, row)[key / 64] >> key % 64 & 1;
}

/*
 * Some types keep the last reading of each part of a sum, so that earlier text changes their
 * values.
 */
static bool keeps_sums(const struct collector *c)
{
	static const char *const these[] = { "llite", "mdc", "nfs", "osc" };
	for (size_t i = 0; i < ARRAY_SIZE(these); i++)
		if (strcmp(c->type->name, these[i]) == 0)
			return true;
	return false;
}

static void compare_row(const struct source *known, const struct source *fresh, size_t row,
			bool sums)
{
	must(str_eq(rows_device(&known->rows, row), rows_device(&fresh->rows, row)));
	for (size_t k = 0; k < fresh->rows.n_metrics; k++) {
		uint64_t was = rows_values(&known->rows, row)[k];
		uint64_t is = rows_values(&fresh->rows, row)[k];
		if (has(fresh, row, k))
			must(has(known, row, k) && (sums || was == is));
		else if (has(known, row, k))
			must(sums);
	}
}

/*
 * After a rescan, a source that has read earlier text finds the same rows as a new source. Type
 * proc is an exception, because it never reads a kernel thread again.
 */
static void try_text(size_t i, struct str text)
{
	const struct collector *c = collector_find(sources[i].type);
	struct source *known = &nodes[i].source, fresh CLEANUP(source_free);

	must(ftruncate(nodes[i].fd, 0) == 0);
	must(pwrite(nodes[i].fd, text.p, text.n, 0) == (ssize_t)text.n);
	source_init(&fresh, &nodes[i].root, c->type->metrics, c->type->n_metrics);
	fresh.data = c->data;
	fresh.shared = &nodes[i].shared;
	collect(known, c, false);
	int r = collect(known, c, true);
	if (strcmp(c->type->name, "proc") == 0)
		return;
	must(collect(&fresh, c, true) == r);
	if (r < 0)
		return;
	must(known->rows.n == fresh.rows.n);
	for (size_t row = 0; row < fresh.rows.n; row++)
		compare_row(known, &fresh, row, keeps_sums(c));
}

/*
 * The first byte selects the file. A form feed separates the contents of one sample from those of
 * the next.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!top[0])
		begin();
	if (size == 0)
		return 0;
	size_t i = (uint8_t)(data[0] - 'A') % ARRAY_SIZE(sources);
	struct str rest = { (const char *)data + 1, size - 1 }, text;
	for (int n = 0; n < 4 && str_take_until(&rest, '\f', &text); n++)
		try_text(i, text);
	try_text(i, rest);
	return 0;
}
