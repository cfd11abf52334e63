/* SPDX-License-Identifier: BSD-3-Clause */
/* request.c - parse the command line of nodometer monitor */
#include "openvms/request.h"

#include <getopt.h>
#include <stdio.h>
#include <strings.h>
#include <unistd.h>
#include "base/cli.h"
#include "base/clock.h"
#include "base/when.h"

#define LIVE_SECONDS 3
#define FLUSH_SECONDS 300
#define SECONDS_MAX (366 * 86400)

enum {
	RECORD, INPUT, SUMMARY, DISPLAY, INTERVAL, VIEWING, BEGIN, END, FLUSH, COMMENT, NODE,
	BY_NODE, ALL, CURRENT, AVERAGE, MINIMUM, MAXIMUM, PERCENT, ITEM, TOP, CPU, ITS_FILE, DUMP,
	NO_CUSTOMER,
};
static const struct cli_option options[] = {
	[RECORD]   = { "record",   "FILE", "write a MONITOR recording" },
	[INPUT]    = { "input",    "FILE", "play back a recording or a raw file; several: F1,F2" },
	[SUMMARY]  = { "summary",  "FILE",
			"write averages at the end; print them if FILE is \"-\" or absent",
		       .optional = true },
	[DISPLAY]  = { "display",  NULL,   "show pages while recording or summarizing" },
	[INTERVAL] = { "interval", "S",    "seconds between samples (default 3, or as recorded)" },
	[VIEWING]  = { "viewing-time", "S",
			"seconds that a page is shown (default: the interval, or 3)" },
	[BEGIN]    = { "begin",    "TIME", "start at TIME; live: wait for it" },
	[END]      = { "end",      "TIME", "end at TIME; +S: S seconds after the start" },
	[FLUSH]    = { "flush-interval", "S", "seconds between writes (default 300)" },
	[COMMENT]  = { "comment",  "TEXT", "comment in the recording, at most 60 characters" },
	[NODE]     = { "node",     "HOST", "node to show, if the input has several nodes" },
	[BY_NODE]  = { "by-node",  NULL,   "with --summary: one column per node" },
	[ALL]      = { "all",      NULL,
			"table of current, average, minimum and maximum values" },
	[CURRENT]  = { "current",  NULL,   "bars of the current values" },
	[AVERAGE]  = { "average",  NULL,   "bars of the averages" },
	[MINIMUM]  = { "minimum",  NULL,   "bars of the minimum values" },
	[MAXIMUM]  = { "maximum",  NULL,   "bars of the maximum values" },
	[PERCENT]  = { "percent",  NULL,   "DISK, MODES, SCS, STATES: show percent of the total" },
	[ITEM]     = { "item",     "I",    "DISK operation_rate,queue_length; SCS d_send, ..." },
	[TOP]      = { "top",      "WHAT",
			"PROCESSES: show the busiest by WHAT: cpu, dio, bio, fault" },
	[CPU]      = { "cpu",      "LIST", "MODES: show each CPU, or only the CPUs of LIST: 0,2-5",
		       .optional = true },
	[ITS_FILE] = { "file",     "NAME", "RMS: only files that match NAME, a pattern of sh" },
	[DUMP]     = { "dump",     NULL,   "print each record of --input, field by field" },
	[NO_CUSTOMER] = { "no-customer", NULL, "with --record: leave out nodometer's own record" },
};

static void request_print_classes(void)
{
	size_t column = 80;
	for (size_t i = 0; i < VMS_CLASSES; i++)
		if (vms_classes[i].item) {
			size_t n = strlen(vms_classes[i].name) + 1;
			column += n;
			printf("%s%s", column > 78 ? "\n  " : " ", vms_classes[i].name);
			column = column > 78 ? n + 2 : column;
		}
	puts("\nall_classes selects all classes for which this node has data.");
}

static const struct cli cli = {
	.command = "monitor", .operands = "CLASS[,CLASS...]", CLI_OPTIONS(options),
	.about = "Shows, records, plays back and summarizes classes of OpenVMS MONITOR,\n"
		 "from this node or from files. Ends at --end, such as +60, or with Ctrl-C.",
	.more = request_print_classes,
};

static bool request_add_class(uint32_t *classes, struct str name)
{
	size_t number = vms_class_find(name);
	bool all = name.n == 11 && strncasecmp(name.p, "all_classes", 11) == 0;
	if (!all && (number == VMS_CLASSES || !vms_classes[number].item))
		return false;
	for (size_t i = 0; i < VMS_CLASSES; i++)
		if (vms_classes[i].item && (all || i == number))
			*classes |= 1u << i;
	return true;
}

/* Return true if the text is a list of classes. */
static bool request_is_class_list(const char *word)
{
	struct str list = str_of(word), name;
	uint32_t classes = 0;
	while (str_take_item(&list, &name))
		if (!request_add_class(&classes, name))
			return false;
	return classes != 0;
}

static int64_t request_parse_seconds(const char *text, const char *option)
{
	struct str s = str_of(text);
	uint64_t v;
	if (!str_take_u64(&s, &v) || s.n || v < 1 || v > SECONDS_MAX)
		cli_wrong(&cli, "--%s %s: must be whole seconds, 1 to %d", option, text,
			  SECONDS_MAX);
	return (int64_t)v;
}

static void request_take_time(struct monitor_request *r, int which, const char *text)
{
	struct time_bound *to = which == BEGIN ? &r->begin : &r->end;
	bool after = *text == '+';
	*to = (struct time_bound){ .usec = 0 };
	if (after) {
		to->usec = request_parse_seconds(text + 1, options[which].name) * 1000000;
		if (which == BEGIN)
			to->usec += realtime_us();
		else
			r->end_after = true;
	} else {
		to->usec = cli_time_by_clock(&cli, text, &to->by_clock);
		to->clock = to->usec + when_utc_offset(to->usec) * 1000000LL;
	}
}

int time_bound_compare(const struct time_bound *b, int64_t usec, const struct vms_node *n)
{
	int64_t bound = b->by_clock ? b->clock : b->usec;
	if (b->by_clock)
		usec += (n ? n->utc_offset : 0) * 1000000LL;
	return (usec > bound) - (usec < bound);
}

static void request_take_inputs(struct monitor_request *r, const char *list)
{
	static char *copies[REQUEST_INPUTS_MAX];
	struct str rest = str_of(list), name;
	while (str_take_item(&rest, &name)) {
		if (r->n_inputs == REQUEST_INPUTS_MAX)
			cli_wrong(&cli, "too many files: at most %d", REQUEST_INPUTS_MAX);
		copies[r->n_inputs] = xstrdup(name);
		r->input[r->n_inputs].path = copies[r->n_inputs];
		r->n_inputs++;
	}
}

static void request_take_cpus(struct view *v, const char *list)
{
	struct str rest = str_of(list), part;
	v->some_cpus = true;
	while (str_take_item(&rest, &part)) {
		uint64_t from, to;
		if (!str_take_u64(&part, &from))
			cli_wrong(&cli, "--cpu %s: write numbers, such as 0,2-5", list);
		to = from;
		if (str_take_prefix(&part, STR("-")) && !str_take_u64(&part, &to))
			cli_wrong(&cli, "--cpu %s: write numbers, such as 0,2-5", list);
		if (part.n || to < from || to >= VIEW_CPUS)
			cli_wrong(&cli, "--cpu %s: must be numbers below %d", list, VIEW_CPUS);
		for (uint64_t i = from; i <= to; i++)
			v->cpu[i] = true;
	}
}

static void request_take_top(struct view *v, const char *what)
{
	static const struct { const char *name, *item; } tops[] = {
		{ "cpu", "CPUTIM" }, { "dio", "DIOCNT" }, { "bio", "BIOCNT" },
		{ "fault", "PAGEFLTS" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(tops); i++)
		if (str_eq(str_of(what), str_of(tops[i].name)))
			v->top = vms_item_find(&vms_classes[VMS_PROCESSES], str_of(tops[i].item));
	if (v->top == VMS_ITEMS_MAX)
		cli_wrong(&cli, "--top %s: must be cpu, dio, bio or fault", what);
}

static void request_take_items(struct view *v, const char *list)
{
	struct str rest = str_of(list), name;
	v->items = list;
	while (str_take_item(&rest, &name))
		if (!view_knows_item(name))
			cli_wrong(&cli, "--item " STR_FMT ": unknown item; nodometer-monitor(1) "
				  "lists the items", STR_ARG(name));
}

/* Handle an option that selects what pages show. Returns false if it is another kind of option. */
static bool request_take_view_option(struct view *v, int option, const char *arg)
{
	switch (option) {
	case ALL:
		v->form = VIEW_TABLE;
		return true;
	case CURRENT: case AVERAGE: case MINIMUM: case MAXIMUM:
		v->form = VIEW_BARS;
		v->which = (enum statistic)(option - CURRENT);
		return true;
	case PERCENT:
		v->percent = true;
		return true;
	case ITEM:
		request_take_items(v, arg);
		return true;
	case TOP:
		request_take_top(v, arg);
		return true;
	case CPU:
		v->each_cpu = true;
		if (arg && request_is_class_list(arg))
			/* the argument is a class, not a list of CPUs: do not consume it */
			optind--;
		else if (arg)
			request_take_cpus(v, arg);
		return true;
	case ITS_FILE:
		v->files = arg;
		return true;
	}
	return false;
}

static bool request_take_seconds_option(struct monitor_request *r, int option, const char *arg)
{
	int64_t *to = option == INTERVAL ? &r->interval : option == VIEWING ? &r->viewing :
		      option == FLUSH ? &r->flush : NULL;
	if (to)
		*to = request_parse_seconds(arg, options[option].name);
	return to;
}

static void request_take_summary(struct monitor_request *r, const char *arg)
{
	r->summary = arg ? arg : "-";
	if (arg && request_is_class_list(arg)) {
		r->summary = "-";
		optind--;	/* the argument is a class, not a file: do not consume it */
	}
}

static void request_take_option(struct monitor_request *r, int option, const char *arg)
{
	if (request_take_view_option(&r->view, option, arg) ||
	    request_take_seconds_option(r, option, arg))
		return;
	switch (option) {
	case RECORD:
		r->record = arg;
		break;
	case INPUT:
		request_take_inputs(r, arg);
		break;
	case SUMMARY:
		request_take_summary(r, arg);
		break;
	case BEGIN: case END:
		request_take_time(r, option, arg);
		break;
	case COMMENT:
		r->comment = arg;
		break;
	case NODE:
		r->node = arg;
		break;
	case DISPLAY:
		r->display = true;
		break;
	case BY_NODE:
		r->by_node = true;
		break;
	case DUMP:
		r->dump = true;
		break;
	case NO_CUSTOMER:
		r->customer = false;
		break;
	}
}

static void request_check_record(const struct monitor_request *r)
{
	if (r->comment && !r->record)
		cli_wrong(&cli, "--comment needs --record");
	if (r->comment && strlen(r->comment) > VMS_COMMENT_MAX)
		cli_wrong(&cli, "--comment: %zu characters, but a recording holds at most %d",
			  strlen(r->comment), VMS_COMMENT_MAX);
	if (r->record && r->n_inputs > 1 && (r->summary || r->display))
		cli_wrong(&cli, "--record of several files cannot be used with --summary or "
			  "--display");
	for (size_t i = 0; r->record && i < r->n_inputs; i++)
		if (str_eq(str_of(r->record), str_of(r->input[i].path)))
			cli_wrong(&cli, "--record %s: cannot be the file of --input", r->record);
}

static void request_check(const struct monitor_request *r)
{
	request_check_record(r);
	if (r->node && !r->n_inputs)
		cli_wrong(&cli, "--node needs --input; to watch another node, run nodometer "
			  "monitor there");
	if (r->dump && !r->n_inputs)
		cli_wrong(&cli, "--dump needs --input");
	if (r->by_node && (!r->summary || r->n_inputs < 2))
		cli_wrong(&cli, "--by-node needs --summary and several files of --input");
	if (r->n_inputs > 1 && !r->summary && !r->dump && !r->record)
		cli_wrong(&cli, "several files need --summary or --record");
	if (!r->classes && !r->dump)
		cli_wrong(&cli, "missing CLASS; --help lists the classes");
}

void request_take(struct monitor_request *r, int argc, char **argv)
{
	const char *arg;
	*r = (struct monitor_request){ .flush = FLUSH_SECONDS, .end = { .usec = INT64_MAX },
			       .customer = true, .view = { .top = VMS_ITEMS_MAX } };
	for (int o; (o = cli_next(&cli, argc, argv, &arg)) >= 0;)
		request_take_option(r, o, arg);
	for (int i = optind; i < argc; i++) {
		struct str list = str_of(argv[i]), name;
		while (str_take_item(&list, &name))
			if (!request_add_class(&r->classes, name))
				cli_wrong(&cli, "unknown class \"" STR_FMT "\"; --help lists the "
					  "classes", STR_ARG(name));
	}
	request_check(r);
	/* like OpenVMS MONITOR, record these classes together with class SYSTEM */
	if (r->classes & 1u << VMS_SYSTEM && r->record)
		r->classes |= 1u << VMS_PROCESSES | 1u << VMS_STATES | 1u << VMS_MODES;
	if (!r->n_inputs && !r->interval)
		r->interval = LIVE_SECONDS;
	if (!r->viewing)
		r->viewing = LIVE_SECONDS;
	r->display |= !r->record && !r->summary && !r->dump;
}
