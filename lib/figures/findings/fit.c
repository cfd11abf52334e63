/* SPDX-License-Identifier: BSD-3-Clause */
/* fit.c - rules that compare a job's allocation with the resources of its nodes */
#include "figures/findings/fit.h"

#include <inttypes.h>
#include "figures/units.h"
#include "figures/used.h"

/*
 * Find GPUs that were never busy, on nodes where all GPUs were allocated to the job: the job had
 * the node alone, and its mark lists all GPUs or does not list GPUs.
 */
bool idle_gpus(const struct report *r, double threshold, struct buf *why)
{
	uint32_t idle = 0, gpus = 0;

	for (size_t i = 0; i < r->n; i++) {
		const struct node *n = &r->node[i];
		if (n->shared || n->samples < 4 ||
		    (n->allocation.gpus_known && n->allocation.gpus != n->course.gpus))
			continue;
		gpus += n->course.gpus;
		idle += n->course.gpus_idle;
	}
	buf_addf(why, "%u of %u GPUs were never busy", idle, gpus);
	return gpus > 0 && idle >= threshold;
}

/*
 * Find allocated GPUs that had no process of the job for at least `threshold` minutes. Appends
 * their number, and the GPU that was idle longest.
 */
bool held_gpus(const struct report *r, double threshold, struct buf *why)
{
	const struct held_gpu *most = NULL;
	size_t node = 0;
	uint32_t held = 0, gpus = 0;

	for (size_t i = 0; i < r->n; i++) {
		const struct held *h = &r->node[i].course.held;
		const struct held_gpu *longest = held_longest(h, threshold * 60e6, &held);
		gpus += h->n;
		if (longest && (!most || longest->longest > most->longest)) {
			most = longest;
			node = i;
		}
	}
	buf_addf(why, "%u of %u GPUs had no process of it", held, gpus);
	if (!most)
		return false;
	buf_addf(why, ", GPU %u of ", most->number);
	report_put_nodes(why, r, 1, node);
	buf_addf(why, " for %.1f min", (double)most->longest / 60e6);
	return held > 0;
}

bool low_gpu(const struct report *r, double threshold, struct buf *why)
{
	struct used u = used_of(r, USED_GPU);
	buf_addf(why, "GPUs were busy for %.1f %% of the time", used_percent(&u));
	return u.of > 0 && u.n > 0 && used_percent(&u) < threshold;
}

/*
 * Find NVIDIA's persistence daemon, which runs only if there is a GPU, on a node that reports no
 * GPU. The kernel cuts the daemon's name to 15 bytes.
 */
static const struct proc *fit_find_gpu_daemon(const struct report *r)
{
	for (size_t i = 0; i < r->procs.n; i++) {
		const struct proc *p = &r->procs.proc[i];
		const struct node *n = &r->node[p->node];
		if (str_starts(str_of(p->name), STR("nvidia-persiste")) && n->course.gpus == 0 &&
		    !n->shared && !n->allocation.gpus_known)
			return p;
	}
	return NULL;
}

/* Report NVIDIA's persistence daemon, see fit_find_gpu_daemon(). Returns false if there is none. */
static bool fit_report_gpu_daemon(const struct report *r, struct buf *why)
{
	const struct proc *p = fit_find_gpu_daemon(r);
	if (!p)
		return false;
	why->n = 0;
	report_put_nodes(why, r, 1, p->node);
	buf_addf(why, " runs %s, and reports no GPU, so that nobody can say whether one worked",
		 text_name(str_of(p->name), 24).s);
	return true;
}

/*
 * Find nodes with GPUs allocated to the job that report no GPUs, because the record type of these
 * GPUs is switched off.
 */
bool unseen_gpus(const struct report *r, double threshold, struct buf *why)
{
	uint64_t allocated = 0;
	size_t blind = 0, first = 0;

	for (size_t i = r->n; i-- > 0; ) {
		const struct node *n = &r->node[i];
		allocated += n->allocation.gpus;
		if (n->allocation.gpus > 0 && n->course.gpus == 0) {
			blind++;
			first = i;
		}
	}
	buf_addf(why, "it had %" PRIu64 " GPUs, and %zu of %zu nodes report none, so that nobody "
		 "can say whether they worked: ", allocated, blind, r->n);
	report_put_nodes(why, r, blind, first);
	if (blind == 0 && threshold <= 1)
		return fit_report_gpu_daemon(r, why);
	return blind > 0 && (double)blind >= threshold;
}

/*
 * Amounts of a resource: allocated to the job on all nodes (.had), and present on the node with the
 * least of it (.of_node).
 */
struct fit_resource {
	uint64_t had, of_node;
};

static void fit_add_resource(struct fit_resource *s, uint64_t had, uint64_t of_node)
{
	s->had += had;
	s->of_node = !s->of_node || of_node < s->of_node ? of_node : s->of_node;
}

static size_t fit_nodes_needed(const struct fit_resource *s)
{
	return (size_t)((s->had + s->of_node - 1) / s->of_node);
}

static bool fit_report_fewer_nodes(const struct report *r, const struct fit_resource *s,
				   const char *what,
				   size_t need, double threshold, struct buf *why)
{
	buf_addf(why, "%" PRIu64 " %s on %zu nodes that have %" PRIu64 " each: %zu would do",
		 s->had, what, r->n, s->of_node, need);
	return r->n > need && (double)(r->n - need) >= threshold;
}

bool scattered_gpus(const struct report *r, double threshold, struct buf *why)
{
	struct fit_resource gpus = { 0 };

	for (size_t i = 0; i < r->n; i++) {
		const struct node *n = &r->node[i];
		if (n->allocation.gpus == 0 || n->course.gpus < n->allocation.gpus)
			return false;
		fit_add_resource(&gpus, n->allocation.gpus, n->course.gpus);
	}
	return r->n > 1 && fit_report_fewer_nodes(r, &gpus, "GPUs", fit_nodes_needed(&gpus),
						  threshold, why);
}

/*
 * Add the CPUs and memory of a node. CPUs are counted in cores if their number is known, since a
 * scheduler may count a core with several hardware threads as one CPU. Returns false if an amount
 * is unknown.
 */
static bool fit_add_node(const struct report *r, size_t node, struct fit_resource *cpus,
			 struct fit_resource *memory)
{
	const struct node *n = &r->node[node];
	const struct value *all = &n->value[figure_find("mem.MemTotal")];
	double used = used_of_node(r, node, USED_MEMORY).n;
	uint64_t cpus_of_node = n->course.cores ? n->course.cores : n->course.cpus;

	if (!n->allocation.cpus || !cpus_of_node || !value_known(all) || all->n < 1 || used <= 0)
		return false;
	uint64_t bytes = used > (double)n->allocation.mem ? (uint64_t)used : n->allocation.mem;
	fit_add_resource(cpus, n->allocation.cpus, cpus_of_node);
	fit_add_resource(memory, bytes, (uint64_t)all->n);
	return true;
}

bool many_nodes(const struct report *r, double threshold, struct buf *why)
{
	struct fit_resource cpus = { 0 }, memory = { 0 };

	for (size_t i = 0; i < r->n; i++)
		if (r->node[i].allocation.gpus || r->node[i].course.gpus ||
		    !fit_add_node(r, i, &cpus, &memory))
			return false;
	if (r->n < 2)
		return false;
	size_t need = fit_nodes_needed(&cpus), for_memory = fit_nodes_needed(&memory);
	return fit_report_fewer_nodes(r, &cpus, "CPUs", need > for_memory ? need : for_memory,
				      threshold,
				      why);
}
