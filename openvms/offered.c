/* SPDX-License-Identifier: BSD-3-Clause */
/* offered.c - count the samples that were read and used, and explain why none was used */
#include "openvms/offered.h"

#include "base/log.h"

#define NODES_MAX 1024	/* limit for the list of node names, in bytes */

/* Add a node's name to the list, unless the list has it or is full. */
static void offered_add_node(struct buf *list, struct str name)
{
	struct str rest = buf_str(list), one;
	while (str_take_item(&rest, &one))
		if (str_eq(str_trim(one), name))
			return;
	if (list->n + name.n < NODES_MAX)
		buf_addf(list, "%s" STR_FMT, list->n ? ", " : "", STR_ARG(name));
}

bool offered_wants(struct offered *o, const struct monitor_request *q, const struct moments *from)
{
	struct str host = moments_host(from->node[from->moment.index]);
	o->moments++;
	if (!from->moment.has)
		return false;
	o->with_classes++;
	if (q->node && !str_eq(host, str_of(q->node))) {
		offered_add_node(&o->nodes, host);
		return false;
	}
	o->of_node++;
	return true;
}

void offered_pass_over(struct offered *o, const struct moments *from, bool is_before)
{
	const struct vms_node *n = from->node[from->moment.index];
	struct offered_time t = { from->moment.stamp, n ? n->utc_offset : 0 };
	if (is_before)
		o->before = t;
	else if (!o->after.stamp)
		o->after = t;
}

static void offered_explain_time(const struct offered *o)
{
	char before[VIEW_TIME], after[VIEW_TIME];
	view_put_time(o->before.stamp, o->before.utc_offset, before);
	view_put_time(o->after.stamp, o->after.utc_offset, after);
	if (o->before.stamp && o->after.stamp)
		log_error("no sample lies between --begin and --end: the nearest are of %s and %s",
			  before, after);
	else if (o->before.stamp)
		log_error("all samples lie before --begin: the last is of %s", before);
	else
		log_error("all samples lie after --end: the first is of %s", after);
}

void offered_explain(const struct offered *o, const struct monitor_request *q)
{
	if (o->taken)
		log_error("nothing to summarize: PROCESSES%s not summarized",
			  q->n_inputs > 1 ? " and CLUSTER are" : " is");
	else if (!q->n_inputs)
		log_error("nothing to summarize: monitoring ended before the first sample");
	else if (!o->moments)
		log_error("the input has no samples");
	else if (!o->with_classes)
		log_error("the input has no data of these classes");
	else if (!o->of_node)
		log_error("the input has no node %s: its nodes are " STR_FMT, q->node,
			  STR_ARG(buf_str(&o->nodes)));
	else
		offered_explain_time(o);
}

void offered_free(struct offered *o)
{
	buf_free(&o->nodes);
}
