/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_drm_clients.c - follow GPUs that come and go, and the time and memory of processes on them
 */
#include "tests/unit/test.h"

#include <sys/stat.h>
#include <unistd.h>
#include "base/files.h"
#include "collectors/collector.h"
#include "collectors/drm_fdinfo.h"
#include "collectors/gpm.h"
#include "collectors/nvml_processes.h"
#include "tests/unit/tree.h"

static void put_card(const struct tree *t, unsigned card, const char *address)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	char path[64];

	snprintf(path, sizeof(path), "sys/class/drm/card%u/device/uevent", card);
	buf_addf(&text, "DRIVER=amdgpu\nPCI_SLOT_NAME=%s\n", address);
	tree_put(t, path, buf_str(&text));
}

/*
 * Make process 5 a client (number 1) of the GPU at 0000:20:00.0. ns: how long the client used the
 * GPU.
 */
static void put_client(const struct tree *t, unsigned ns)
{
	struct buf text CLEANUP(buf_free) = { 0 };

	buf_addf(&text, "pos:\t0\ndrm-driver:\tamdgpu\ndrm-client-id:\t1\n"
		 "drm-pdev:\t0000:20:00.0\ndrm-memory-vram:\t4 KiB\ndrm-engine-gfx:\t%u ns\n", ns);
	tree_put(t, "proc/5/fdinfo/3", buf_str(&text));
}

static void put_process(const struct tree *t)
{
	tree_put(t, "proc/5/cgroup", STR("0::/\n"));
	tree_put(t, "proc/5/status", STR("Name:\ta\n"));
	assert_int_equal(mkdirat(t->fd, "proc/5/fd", 0755), 0);
	assert_int_equal(symlinkat("/dev/dri/renderD128", t->fd, "proc/5/fd/3"), 0);
}

/*
 * Take a sample, and check that one process has 4 KB of this GPU's memory. Returns how long the
 * processes used the GPU, in ns.
 */
static uint64_t sample_busy(struct source *s, const char *gpu)
{
	enum { PROCESSES, MEMORY, BUSY };

	source_clear(s);
	assert_int_equal(collector_find("gpu_job")->collect(s), 0);
	for (size_t i = 0; i < s->rows.n; i++)
		if (str_eq(rows_device(&s->rows, i), str_of(gpu))) {
			assert_int_equal(rows_values(&s->rows, i)[PROCESSES], 1);
			assert_int_equal(rows_values(&s->rows, i)[MEMORY], 4096);
			return rows_values(&s->rows, i)[BUSY];
		}
	fail_msg("no row of %s", gpu);
	return 0;
}

/*
 * A client's time counts from its last sample, also after a GPU with a lower address appeared and
 * all others were renumbered.
 */
TEST(time_is_counted_once_when_a_gpu_appears)
{
	const struct collector *c = collector_find("gpu_job");
	struct tree tree CLEANUP(tree_free);
	struct files root CLEANUP(files_free);
	struct source s CLEANUP(source_free);

	tree_make(&tree);
	put_card(&tree, 0, "0000:20:00.0");
	put_process(&tree);
	put_client(&tree, 5000);
	assert_int_equal(files_open_root(&root, tree.path), 0);
	source_init(&s, &root, c->type->metrics, c->type->n_metrics);
	assert_int_equal(sample_busy(&s, "amdgpu/0"), 5000);
	put_client(&tree, 7000);
	assert_int_equal(sample_busy(&s, "amdgpu/0"), 7000);

	put_card(&tree, 1, "0000:10:00.0");
	put_client(&tree, 8000);
	s.rescan = true;
	assert_int_equal(sample_busy(&s, "amdgpu/1"), 1000);
}

/*
 * The kernel prints memory in the largest unit that needs no fraction (drm_print_memory_stats()).
 */
TEST(memory_of_a_client_is_in_bytes)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} cases[] = {
		{ "drm-memory-vram:\t7\n", 7 },
		{ "drm-memory-vram:\t5 KiB\n", 5 << 10 },
		{ "drm-memory-vram0:\t3 MiB\n", 3 << 20 },
		{ "drm-memory-vram:\t9 KiB\ndrm-resident-vram:\t1 MiB\n", 1 << 20 },
		{ "drm-resident-local0:\t2 KiB\ndrm-resident-local1:\t2 KiB\n", 4 << 10 },
		{ "drm-memory-gtt:\t5 KiB\n", 0 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf text CLEANUP(buf_free) = { 0 };
		struct drm_client c;
		buf_addf(&text, "drm-driver:\txe\ndrm-client-id:\t1\n%s", cases[i].text);
		assert_true(drm_fdinfo_take(buf_str(&text), &c));
		assert_int_equal(c.memory, cases[i].bytes);
		assert_int_equal(c.memory_known, cases[i].bytes > 0);
	}
}

TEST(gpu_that_appears_is_found_at_a_rescan)
{
	const struct collector *c = collector_find("amd_gpu");
	struct tree tree CLEANUP(tree_free);
	struct files root CLEANUP(files_free);
	struct source s CLEANUP(source_free);

	tree_make(&tree);
	put_card(&tree, 0, "0000:20:00.0");
	tree_put(&tree, "sys/class/drm/card0/device/gpu_busy_percent", STR("20\n"));
	assert_int_equal(files_open_root(&root, tree.path), 0);
	source_init(&s, &root, c->type->metrics, c->type->n_metrics);
	assert_int_equal(c->collect(&s), 0);
	assert_int_equal(s.rows.n, 1);

	put_card(&tree, 1, "0000:10:00.0");
	tree_put(&tree, "sys/class/drm/card1/device/gpu_busy_percent", STR("10\n"));
	s.rescan = true;
	source_clear(&s);
	assert_int_equal(c->collect(&s), 0);
	assert_int_equal(s.rows.n, 2);
	assert_int_equal(rows_values(&s.rows, 0)[0], 10);	/* sorted by PCI address */
	assert_int_equal(rows_values(&s.rows, 1)[0], 20);
}

static int take_no_sample(struct nvml_device *d, struct nvml_gpm_sample *s)
{
	(void)d;
	(void)s;
	return NVML_SUCCESS;
}

static int measure_too_much(struct nvml_gpm_metrics *m)
{
	for (unsigned i = 0; i < m->n; i++)
		m->metric[i].value = 100.5;
	return NVML_SUCCESS;
}

/* Percentages from NVML may be rounded up to 101. */
TEST(gpu_is_busy_for_at_most_the_elapsed_time)
{
	const struct nvml fn = { .gpm_sample = take_no_sample, .gpm_metrics = measure_too_much };
	struct nvml_gpm_metrics scratch = { .n = 0 };
	struct gpm g = { .device = NULL };
	assert_int_equal(gpm_begin(&fn, &g), NVML_SUCCESS);
	assert_int_equal(gpm_count(&fn, &g, &scratch), NVML_SUCCESS);
	assert_true(g.total[GPM_ELAPSED] > 0);
	assert_true(g.total[GPM_SM] == g.total[GPM_ELAPSED]);
}

/*
 * A simulated NVIDIA GPU: its driver's clock in us, and the percentage of time (sm) for which
 * process 5 uses the GPU.
 */
static struct {
	unsigned long long us;
	unsigned sm;
} nvidia;

static int nvidia_count(unsigned *n)
{
	*n = 1;
	return NVML_SUCCESS;
}

static int nvidia_handle(unsigned index, struct nvml_device **d)
{
	(void)index;
	*d = (struct nvml_device *)&nvidia;
	return NVML_SUCCESS;
}

static int nvidia_processes(struct nvml_device *d, unsigned *n, struct nvml_process *to)
{
	(void)d;
	*n = 1;
	*to = (struct nvml_process){ .pid = 5, .memory = 1 };
	return NVML_SUCCESS;
}

static int nvidia_use(struct nvml_device *d, struct nvml_use *to, unsigned *n,
		      unsigned long long after_us)
{
	(void)d;
	(void)after_us;
	*n = nvidia.sm > 0;
	*to = (struct nvml_use){ .pid = 5, .timestamp = nvidia.us, .sm = nvidia.sm };
	return *n ? NVML_SUCCESS : NVML_ERROR_NOT_FOUND;
}

/*
 * Let s seconds pass in which process 5 uses `sm` percent of the GPU. Returns how long the process
 * has used the GPU since the start, in seconds.
 */
static uint64_t busy_after(struct nvml_processes *p, struct gpu_shares *g, unsigned s, unsigned sm)
{
	struct source none CLEANUP(source_free);
	source_init(&none, &(struct files){ .rootfd = -1 }, NULL, 0);
	nvidia.us += s * UINT64_C(1000000);
	nvidia.sm = sm;
	p->asked_ns[0] -= p->asked_ns[0] ? s * INT64_C(1000000000) : 0;
	gpu_shares_begin(g);
	assert_int_equal(nvml_processes_collect(p, &none, g), 0);
	assert_string_equal(g->share[0].gpu, "nvidia/0");
	return (g->share[0].busy + 500000000) / 1000000000;
}

/*
 * NVML returns no sample, and so no time, for an unused GPU. After an idle hour, only the last 60 s
 * count.
 */
TEST(time_without_processes_is_not_counted_when_one_comes)
{
	static struct nvml_processes p = { .nvml = {
		.loaded = true, .open = true, .fn = {
			.count = nvidia_count, .handle = nvidia_handle,
			.compute_processes = nvidia_processes, .process_use = nvidia_use,
		},
	} };
	struct gpu_shares g CLEANUP(gpu_shares_free) = { 0 };
	nvidia.us = 1000000;
	assert_int_equal(busy_after(&p, &g, 0, 0), 0);
	assert_int_equal(busy_after(&p, &g, 3600, 0), 0);
	assert_int_equal(busy_after(&p, &g, 60, 100), 60);	/* the first use of the GPU */
	assert_int_equal(busy_after(&p, &g, 60, 50), 90);
	assert_int_equal(busy_after(&p, &g, 3600, 0), 90);
	assert_int_equal(busy_after(&p, &g, 60, 100), 150);
}

int main(void)
{
	RUN(cmocka_unit_test(time_is_counted_once_when_a_gpu_appears),
	    cmocka_unit_test(memory_of_a_client_is_in_bytes),
	    cmocka_unit_test(gpu_that_appears_is_found_at_a_rescan),
	    cmocka_unit_test(gpu_is_busy_for_at_most_the_elapsed_time),
	    cmocka_unit_test(time_without_processes_is_not_counted_when_one_comes));
}
