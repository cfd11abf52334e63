/* SPDX-License-Identifier: BSD-3-Clause */
/* node_info.c - what system information records say of this node */
#include "monitor/node_info.h"

#include <string.h>
#include <time.h>
#include <unistd.h>
#include "archive/host.h"
#include "formats/vms/vms_time.h"

#define NOT_A_VAX 128	/* PR$_SID_TYP_NOTAVAX of $PRDEF */

/* "btime 1795352886", "MemTotal: 4000000 kB": the number after the word; 0: there is none. */
static uint64_t number_after(struct files *root, const char *path, struct str word)
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

static uint32_t capped(uint64_t v, uint32_t most)
{
	return v < most ? (uint32_t)v : most;
}

static int32_t utc_offset(void)
{
	time_t now = time(NULL);
	struct tm t;
	return localtime_r(&now, &t) ? (int32_t)t.tm_gmtoff : 0;
}

void node_info(struct files *root, struct vms_node *n)
{
	struct host host;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN), page = sysconf(_SC_PAGESIZE);
	uint64_t boot = number_after(root, "proc/stat", STR("btime "));
	uint64_t memory = number_after(root, "proc/meminfo", STR("MemTotal:"));

	host_identify(&host, root, "");
	n->boot = vms_time((int64_t)boot * 1000000);
	n->max_processes = (uint16_t)capped(number_after(root, "proc/sys/kernel/pid_max", STR("")),
					    UINT16_MAX);
	n->cpus = (uint8_t)capped((uint64_t)cpus, UINT8_MAX);
	n->all_cpus = (uint32_t)cpus;
	n->page_bytes = (uint32_t)page;
	str_copy(n->name, sizeof(n->name),
		 (struct str){ host.name, strcspn(host.name, ".") });
	str_copy(n->host, sizeof(n->host), str_of(host.name));
	n->memory = capped(memory * 1024 / (uint64_t)page, UINT32_MAX);
	n->modified_limit = capped(number_after(root, "proc/vmstat", STR("nr_dirty_threshold ")),
				   UINT32_MAX);
	n->cpu_type = NOT_A_VAX;
	n->cpu_mask = cpus < 32 ? (1u << cpus) - 1 : UINT32_MAX;
	n->utc_offset = utc_offset();
	n->noted = true;
}
