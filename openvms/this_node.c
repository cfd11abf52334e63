/* SPDX-License-Identifier: BSD-3-Clause */
/* this_node.c - take samples of this node with the agent's collectors */
#include "openvms/this_node.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "archive/host.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/system/privileges.h"
#include "base/when.h"
#include "formats/vms/vms_time.h"
#include "openvms/mapper.h"
#include "recorder/live.h"

#define DEADLINE_NS 2000000000	/* time limit of a sample, in nanoseconds */
#define NOT_A_VAX 128	/* PR$_SID_TYP_NOTAVAX in $PRDEF of OpenVMS */

struct this_node {
	struct sampler sampler;
	struct live live;
	struct mapper mapper;
	uint64_t needs;		/* capabilities that a sample needs */
	bool described;		/* STEP_NODE was returned */
	int64_t last;
};

/*
 * Return the number after a word at the start of a line, such as "btime 1795352886" or "MemTotal:
 * 4000000 kB". Returns 0 if there is none.
 */
static uint64_t this_node_read_number(struct files *root, const char *path, struct str word)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	struct str text, line;
	uint64_t v = 0;
	if (files_read(root, path, FILE_TO_END, &b, &text) < 0)
		return 0;
	while (str_take_line(&text, &line))
		if (str_take_prefix(&line, word))
			return str_take_u64(&line, &v) ? v : 0;
	return 0;
}

static uint32_t this_node_cap(uint64_t v, uint32_t most)
{
	return v < most ? (uint32_t)v : most;
}

/* Describe this node, for the system information record. */
static void this_node_describe(struct files *root, struct vms_node *n)
{
	struct host host;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN), page = sysconf(_SC_PAGESIZE);
	uint64_t boot = this_node_read_number(root, "proc/stat", STR("btime "));
	uint64_t memory = this_node_read_number(root, "proc/meminfo", STR("MemTotal:"));

	host_identify(&host, root, "");
	n->boot = vms_time((int64_t)boot * 1000000);
	uint64_t pid_max = this_node_read_number(root, "proc/sys/kernel/pid_max", STR(""));
	n->max_processes = (uint16_t)this_node_cap(pid_max,
						   UINT16_MAX);
	n->cpus = (uint8_t)this_node_cap((uint64_t)cpus, UINT8_MAX);
	n->all_cpus = (uint32_t)cpus;
	n->page_bytes = (uint32_t)page;
	str_copy(n->name, sizeof(n->name),
		 (struct str){ host.name, strcspn(host.name, ".") });
	str_copy(n->host, sizeof(n->host), str_of(host.name));
	n->memory = this_node_cap(memory * 1024 / (uint64_t)page, UINT32_MAX);
	n->modified_limit = this_node_cap(this_node_read_number(root, "proc/vmstat",
								STR("nr_dirty_threshold ")),
					  UINT32_MAX);
	n->cpu_type = NOT_A_VAX;
	n->cpu_mask = cpus < 32 ? (1u << cpus) - 1 : UINT32_MAX;
	n->noted = true;
}

static bool this_node_needs_type(const char *type, uint32_t wanted)
{
	const uint32_t all = mapping_add_sources(wanted);
	for (size_t i = 0; i < VMS_CLASSES; i++)
		if (all >> i & 1 && mapping_wants(i, type))
			return true;
	return false;
}

uint64_t this_node_needs(uint32_t wanted)
{
	uint64_t needs = 0;
	for (size_t i = 0; i < n_collectors; i++)
		if (this_node_needs_type(collectors[i]->type->name, wanted))
			needs |= collector_needs(collectors[i]);
	return privileges_here(needs);
}

static void this_node_sample(struct this_node *n, struct moments *m)
{
	/* without the capabilities, the sample has fewer types */
	(void)!privileges_use(n->needs);
	sampler_collect(&n->sampler);
	privileges_rest();
	int64_t usec = realtime_us(), stamp = vms_time(usec);
	live_fill(&n->live, &n->sampler, usec, STR("-"), STR(""));
	if (stamp < n->last)
		log_notice("the clock was set back: the times of records stay the same until it "
			   "has caught up");
	m->moment.stamp = n->last = stamp < n->last ? n->last : stamp;
	m->moment.index = 0;
	moments_node(m, 0)->utc_offset = when_utc_offset(usec);
	mapper_take(&n->mapper, &n->live.record, &m->moment);
}

static enum step this_node_next(struct moments *m)
{
	struct this_node *n = m->state;
	m->index = 0;
	if (!n->described) {
		n->described = true;
		return STEP_NODE;
	}
	this_node_sample(n, m);
	return STEP_MOMENT;
}

static void this_node_close(struct moments *m)
{
	struct this_node *n = m->state;
	live_free(&n->live);
	sampler_free(&n->sampler);
	mapper_free(&n->mapper);
	free(n);
}

int this_node_open(struct moments *m, uint32_t *wanted)
{
	struct this_node *n = xrealloc(NULL, sizeof(*n));
	enum type_use *use = xrealloc(NULL, n_collectors * sizeof(*use));
	memset(n, 0, sizeof(*n));
	for (size_t i = 0; i < n_collectors; i++)
		use[i] = this_node_needs_type(collectors[i]->type->name,
					      *wanted) ? USE_ON : USE_OFF;
	*m = (struct moments){ .next = this_node_next, .close = this_node_close, .state = n };
	int r = sampler_init(&n->sampler, "/", use, DEADLINE_NS);
	free(use);
	n->needs = this_node_needs(*wanted);
	mapper_init(&n->mapper, *wanted, (uint32_t)sysconf(_SC_PAGESIZE));
	if (r < 0) {
		log_error("/: %s", strerror(-r));
		return r;
	}
	this_node_describe(&n->sampler.root, moments_node(m, 0));
	this_node_sample(n, m);
	*wanted &= m->moment.has;
	return 0;
}
