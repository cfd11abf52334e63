/* SPDX-License-Identifier: BSD-3-Clause */
/* test_drm_clients.c - the time of a GPU's clients, when the list of GPUs changes */
#include "tests/unit/test.h"

#include <sys/stat.h>
#include <unistd.h>
#include "base/files.h"
#include "collectors/collector.h"
#include "tests/unit/tree.h"

static void put_card(const struct tree *t, unsigned card, const char *address)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	char path[64];

	snprintf(path, sizeof(path), "sys/class/drm/card%u/device/uevent", card);
	buf_addf(&text, "DRIVER=amdgpu\nPCI_SLOT_NAME=%s\n", address);
	tree_put(t, path, buf_str(&text));
}

/* Let process 5 have client 1 of the GPU at 0000:20:00.0, which used it for this time. */
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

/* Take a sample. Returns the time for which the processes of a GPU used it, in ns. */
static uint64_t sample_busy(struct source *s, const char *gpu)
{
	enum { PROCESSES, MEMORY, BUSY };

	source_clear(s);
	assert_int_equal(collector_find("gpu_job")->collect(s), 0);
	for (size_t i = 0; i < s->rows.n; i++)
		if (str_eq(rows_device(&s->rows, i), str_of(gpu)))
			return rows_values(&s->rows, i)[BUSY];
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

int main(void)
{
	RUN(cmocka_unit_test(time_is_counted_once_when_a_gpu_appears));
}
