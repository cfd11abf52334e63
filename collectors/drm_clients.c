/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * drm_clients.c - find processes on GPUs of amdgpu, i915, nouveau and xe, in /proc/PID/fdinfo
 *
 * Each open(2) of a GPU's device makes a DRM client; duplicated and inherited descriptors belong to
 * the same client. Clients without memory and engine time are ignored, because libraries open all
 * GPUs to inspect them. The engine time of amdgpu's compute queues (ROCm) is missing, because they
 * bypass the kernel.
 */
#include "collectors/drm_clients.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/vec.h"
#include "collectors/drm_fdinfo.h"
#include "collectors/job_names.h"

#define CLASS "sys/class/drm"

/*
 * Supported drivers. Two report no engine times: xe, which counts cycles, and nouveau, which counts
 * nothing.
 */
static const struct driver {
	const char *name;
	bool times;
} drivers[] = {
	{ "amdgpu", true }, { "i915", true }, { "nouveau", false }, { "xe", false },
};

/* The use of a GPU by one process, summed over the clients of the process. */
struct drm_process {
	struct gpu_process process;
	bool on;
};

void drm_clients_free(struct drm_clients *c)
{
	free(c->client);
	names_free(&c->names);
	names_free(&c->fds);
	if (c->opened)
		processes_free(&c->processes);
}

static const struct driver *driver_of(struct str name)
{
	for (size_t i = 0; i < ARRAY_SIZE(drivers); i++)
		if (str_eq(name, str_of(drivers[i].name)))
			return &drivers[i];
	return NULL;
}

static void drm_add_card(struct drm_clients *c, struct source *s, const char *card)
{
	const struct driver *driver = NULL;
	struct drm_gpu new = { 0 };
	struct str text, line;
	char path[64];
	snprintf(path, sizeof(path), CLASS "/%.16s/device/uevent", card);
	if (c->n_gpus == DRM_GPUS_MAX || !job_read_once(s, path, &text))
		return;
	while (str_take_line(&text, &line))
		if (str_take_prefix(&line, STR("DRIVER=")))
			driver = driver_of(line);
		else if (str_take_prefix(&line, STR("PCI_SLOT_NAME=")))
			str_copy(new.address, sizeof(new.address), line);
	if (!driver || !new.address[0])
		return;
	new.driver = driver->name;
	new.times = driver->times;
	c->gpu[c->n_gpus++] = new;
}

static int drm_gpus_by_address(const void *a, const void *b)
{
	return strcmp(((const struct drm_gpu *)a)->address, ((const struct drm_gpu *)b)->address);
}

static void name_gpus(struct drm_clients *c)
{
	for (size_t i = 0; i < c->n_gpus; i++) {
		unsigned number = 0;
		for (size_t k = 0; k < i; k++)
			number += strcmp(c->gpu[k].driver, c->gpu[i].driver) == 0;
		snprintf(c->gpu[i].name, sizeof(c->gpu[i].name), "%s/%u", c->gpu[i].driver, number);
	}
}

size_t drm_clients_look(struct drm_clients *c, struct source *s)
{
	if (c->looked && !s->rescan)
		return c->n_gpus;
	c->looked = true;
	c->n_gpus = 0;
	if (names_list(&c->names, &s->files, CLASS, "card") < 0)
		return 0;
	for (size_t i = 0; i < c->names.n; i++)
		if (str_is_u64(str_skip(str_of(c->names.name[i]), strlen("card"))))
			drm_add_card(c, s, c->names.name[i]);
	if (c->n_gpus)
		qsort(c->gpu, c->n_gpus, sizeof(*c->gpu), drm_gpus_by_address);
	name_gpus(c);
	return c->n_gpus;
}

static size_t gpu_of(const struct drm_clients *c, struct str address)
{
	size_t i = 0;
	while (i < c->n_gpus && !str_eq(address, str_of(c->gpu[i].address)))
		i++;
	return i;
}

/*
 * Find the previous reading of a client, or add a reading of 0 for a new client, because it started
 * after the last sample. In the first sample, all clients are new, and their engine times count
 * from their start. Returns NULL if the table is full. A reading refers to its GPU by the hash of
 * the PCI address, because the GPU's index changes when another GPU appears.
 */
static struct drm_seen *drm_find_client(struct drm_clients *c, const struct drm_client *is)
{
	uint64_t gpu = str_hash(is->address);
	for (size_t i = 0; i < c->n; i++)
		if (c->client[i].gpu == gpu && c->client[i].id == is->id)
			return &c->client[i];
	if (c->n == DRM_CLIENTS_MAX)
		return NULL;
	c->client = vec_reserve(c->client, &c->cap, c->n + 1, sizeof(*c->client));
	c->client[c->n] = (struct drm_seen){ .gpu = gpu, .id = is->id };
	return &c->client[c->n++];
}

static void drm_add_known(uint64_t *sum, bool known, uint64_t n)
{
	*sum = known && *sum != GPU_UNKNOWN ? *sum + n : GPU_UNKNOWN;
}

static void drm_add_client(struct drm_clients *c, const struct drm_client *is,
			   struct drm_process *of)
{
	size_t gpu = gpu_of(c, is->address);
	struct drm_seen *seen = gpu < c->n_gpus ? drm_find_client(c, is) : NULL;
	if (!seen || seen->now)
		return;		/* another descriptor of the same client was counted already */
	uint64_t used = is->busy > seen->busy ? is->busy - seen->busy : 0;
	seen->now = true;
	seen->busy = is->busy;
	if (is->busy == 0 && is->memory == 0)
		return;		/* this client only inspected the GPU */
	of[gpu].on = true;
	drm_add_known(&of[gpu].process.memory, is->memory_known, is->memory);
	drm_add_known(&of[gpu].process.busy, is->busy_known, used);
}

static bool is_gpu(const struct files *f, const char *path)
{
	char target[16] = { 0 };
	return readlinkat(f->rootfd, path, target, sizeof(target) - 1) > 0 &&
	       strncmp(target, "/dev/dri/", 9) == 0;
}

/*
 * Add the DRM clients of a process. Returns true, also if the process has gone; or false if this
 * agent may not read the process's descriptors.
 */
static bool drm_add_process(struct drm_clients *c, struct source *s, uint64_t pid,
			    struct gpu_shares *to)
{
	struct drm_process of[DRM_GPUS_MAX] = { 0 };
	struct drm_client client;
	struct str text;
	char path[64];

	snprintf(path, sizeof(path), "proc/%llu/fd", (unsigned long long)pid);
	int e = names_list(&c->fds, &s->files, path, "");
	if (e < 0)
		return e != -EACCES && e != -EPERM;
	for (size_t i = 0; i < c->fds.n; i++) {
		const char *fd = c->fds.name[i];
		snprintf(path, sizeof(path), "proc/%llu/fd/%.12s", (unsigned long long)pid, fd);
		if (!is_gpu(&s->files, path))
			continue;
		snprintf(path, sizeof(path), "proc/%llu/fdinfo/%.12s", (unsigned long long)pid, fd);
		if (job_read_once(s, path, &text) && drm_fdinfo_take(text, &client))
			drm_add_client(c, &client, of);
	}
	for (size_t i = 0; i < c->n_gpus; i++) {
		of[i].process.pid = pid;
		if (of[i].on)
			gpu_shares_add(to, s, c->gpu[i].name, &of[i].process);
	}
	return true;
}

static void forget_gone(struct drm_clients *c)
{
	size_t n = 0;
	for (size_t i = 0; i < c->n; i++)
		if (c->client[i].now)
			c->client[n++] = c->client[i];
	c->n = n;
}

int drm_clients_collect(struct drm_clients *c, struct source *s, struct gpu_shares *to)
{
	struct processes *ps = &c->processes;
	bool readable = true;

	if (c->n_gpus == 0)
		return 0;
	int r = c->opened ? 0 : processes_open(ps, &s->files);
	c->opened = true;
	if (r == 0)
		r = processes_look(ps, &s->files);
	if (r < 0)
		return r;
	for (size_t i = 0; i < c->n; i++)
		c->client[i].now = false;
	for (size_t i = 0; i < c->n_gpus; i++)
		gpu_shares_see(to, c->gpu[i].name, c->gpu[i].times);
	for (size_t i = 0; i < ps->now.n && readable; i++)
		readable = drm_add_process(c, s, ps->now.p[i].pid, to);
	if (readable) {
		forget_gone(c);
		return 0;
	}
	for (size_t i = 0; i < c->n_gpus; i++)
		gpu_shares_unsee(to, c->gpu[i].name);
	return -EACCES;
}
