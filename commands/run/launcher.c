/* SPDX-License-Identifier: BSD-3-Clause */
/* launcher.c - recognise launchers of ranks: srun, mpirun, flux run, jsrun, ssh */
#include "run/launcher.h"

#include <stdio.h>
#include <stdlib.h>
#include "base/buf.h"
#include "base/vec.h"

/*
 * Environment variables of ranks. mpirun comes first: its ranks also have the variables of the
 * scheduler that started mpirun. Sources: srun(1), OUTPUT ENVIRONMENT VARIABLES; Open MPI,
 * "Environment variables for runtime information"; MPICH, Hydra, "Environment settings";
 * flux-environment(7); jsrun(1).
 */
static const struct place_words {
	const char *launcher, *rank, *ranks_here, *nodes, *id, *more_id;
} places[] = {
	{ "mpirun",  "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE",
	  "OMPI_MCA_orte_num_nodes", "PMIX_NAMESPACE", NULL },
	{ "mpiexec", "PMI_RANK", "MPI_LOCALNRANKS", NULL, NULL, NULL },
	{ "flux run", "FLUX_TASK_RANK", NULL, "FLUX_JOB_NNODES", "FLUX_JOB_ID", NULL },
	{ "jsrun",   "JSM_NAMESPACE_RANK", "JSM_NAMESPACE_LOCAL_SIZE", NULL, "LSB_JOBID",
	  "JSM_NAMESPACE_ID" },
	{ "srun",    "SLURM_PROCID", NULL, "SLURM_STEP_NUM_NODES", "SLURM_JOB_ID",
	  "SLURM_STEP_ID" },
};

/* steps such as batch scripts have larger numbers: slurm.h, SLURM_MAX_NORMAL_STEP_ID */
#define SLURM_STEP_MAX 4294967279u

static bool launcher_take(const char *name, size_t *ret)
{
	const char *value = name ? getenv(name) : NULL;
	struct str text = str_of(value ? value : "");
	uint64_t v;
	if (!str_take_u64(&text, &v) || text.n)
		return false;
	*ret = v;
	return true;
}

/*
 * Return the number of ranks on this node from SLURM_STEP_TASKS_PER_NODE, such as "16(x3),4" for
 * three nodes with 16 ranks each and one with 4.
 */
static size_t slurm_ranks_here(void)
{
	const char *value = getenv("SLURM_STEP_TASKS_PER_NODE");
	struct str text = str_of(value ? value : "");
	uint64_t ranks, times;
	size_t node;
	if (!launcher_take("SLURM_NODEID", &node))
		return 0;
	while (str_take_u64(&text, &ranks)) {
		times = 1;
		if (str_take_prefix(&text, STR("(x")) &&
		    (!str_take_u64(&text, &times) || !str_take_prefix(&text, STR(")"))))
			return 0;
		if (node < times)
			return ranks;
		node -= times;
		if (!str_take_prefix(&text, STR(",")))
			return 0;
	}
	return 0;
}

static bool is_of_slurm(const struct place_words *w)
{
	return strcmp(w->launcher, "srun") == 0;
}

/*
 * Return whether this process is a rank. A Slurm batch script has a rank number, but no step
 * number.
 */
static bool is_rank(const struct place_words *w, size_t *rank)
{
	size_t step, here;
	if (!launcher_take(w->rank, rank))
		return false;
	if (is_of_slurm(w))
		return launcher_take("SLURM_STEP_ID", &step) && step <= SLURM_STEP_MAX;
	return !w->ranks_here || launcher_take(w->ranks_here, &here);
}

static void launcher_put_id(const struct place_words *w, char id[LAUNCHER_ID_MAX])
{
	const char *a = w->id ? getenv(w->id) : NULL, *b = w->more_id ? getenv(w->more_id) : NULL;
	id[0] = '\0';
	if (a && snprintf(id, LAUNCHER_ID_MAX, "%s%s%s", a, b ? "." : "", b ? b : "") >=
	    LAUNCHER_ID_MAX)
		id[0] = '\0';
	for (char *c = id; *c; c++)
		if (*c == '/' || *c == ',' || *c == ' ')
			*c = '_';
}

struct launcher_place launcher_place(void)
{
	struct launcher_place p = { NULL };
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		const struct place_words *w = &places[i];
		if (!is_rank(w, &p.rank))
			continue;
		p.launcher = w->launcher;
		launcher_put_id(w, p.id);
		if (!launcher_take(w->nodes, &p.nodes))
			p.nodes = 0;
		if (is_of_slurm(w))
			p.ranks_here = slurm_ranks_here();
		else if (!launcher_take(w->ranks_here, &p.ranks_here))
			p.ranks_here = 0;
		return p;
	}
	return p;
}

/*
 * Options of launchers: letters after "-", names after "-" or "--". Names with "=" need not be
 * listed. A command line with an option that is not listed is left unchanged, because the option
 * may or may not take a value. The same holds if no program follows the options, or the program
 * runs in a container (srun --multi-prog and --container, mpirun --app and -configfile). Sources:
 * srun(1) and getopt(3) of Slurm 22.05 to 24.11; mpirun(1) of Open MPI 4 and 5, and of Hydra;
 * flux-run(1); jsrun(1); ssh(1) of OpenSSH 8 to 10, without the options by which ssh starts nothing
 * or does not wait.
 */
static const struct command_words {
	const char *names;	/* names of the launcher's program */
	const char *second;	/* word that must follow the program's name, or NULL */
	const char *letters, *letters_with;
	/* letters of options whose value may be in the same word */
	const char *letters_joined;
	const char *alone, *with, *with_two;
	/* a host comes first, and the host's shell parses the rest */
	bool to_shell;
} launchers[] = {
	{ "srun", NULL, "EHlOQsuvXZ", "AbBcCdDeFGiJLmMnNopqrStTwWx", "IkK",
	  "bcast compress contiguous disable-status exact exclusive hold immediate "
	  "kill-on-bad-exit label nice no-allocate no-kill overcommit overlap oversubscribe "
	  "preserve-env propagate pty quiet quit-on-interrupt reboot resv-ports send-libs "
	  "spread-job unbuffered use-min-nodes verbose whole x11",
	  "accel-bind account acctg-freq bb bbf bcast-exclude begin chdir cluster-constraint "
	  "clusters comment constraint core-spec cores-per-socket cpu-bind cpu-freq cpus-per-gpu "
	  "cpus-per-task deadline delay-boot dependency distribution epilog error exclude export "
	  "extra extra-node-info gid gpu-bind gpu-freq gpus gpus-per-node gpus-per-socket "
	  "gpus-per-task gres gres-flags het-group hint input job-name jobid licenses mail-type "
	  "mail-user mcs-label mem mem-bind mem-per-cpu mem-per-gpu mincpus mpi msg-timeout "
	  "network nodefile nodelist nodes ntasks ntasks-per-core ntasks-per-gpu ntasks-per-node "
	  "ntasks-per-socket open-mode output partition power prefer priority profile prolog qos "
	  "relative reservation signal slurmd-debug sockets-per-node switches task-epilog "
	  "task-prolog thread-spec threads threads-per-core time time-min tmp treewidth tres-bind "
	  "tres-per-task uid wait wckey", "" },
	{ "mpirun mpiexec orterun prterun mpiexec.hydra mpiexec.openmpi mpirun.openmpi "
	  "mpiexec.mpich mpirun.mpich", NULL, "lqvV", "", "",
	  "allow-run-as-root bind-to-core bind-to-socket bynode byslot bycore bysocket byboard "
	  "continuous display-allocation display-devel-allocation display-devel-map "
	  "display-diffable-map display-map display-topo do-not-launch do-not-resolve "
	  "enable-recovery disable-recovery envall envnone genvall genvnone index-argv-by-rank "
	  "leave-session-attached mapreduce merge-stderr-to-stdout nobind nolocal noprefix "
	  "nooversubscribe oversubscribe overload-allowed pernode prepend-rank preload-binary "
	  "print-all-exitcodes quiet report-bindings report-child-jobs-separately "
	  "report-state-on-timeout set-cwd-to-session-dir tag-output timestamp-output "
	  "use-hwthread-cpus verbose xml",
	  "c n np H host hosts default-hostfile hostfile machinefile machine f x bind-to map-by "
	  "rank-by wdir wd path mca-file tune am output-filename output cpu-set cpu-list "
	  "cpus-per-proc cpus-per-rank npernode N npersocket ppr prefix personality stdin timeout "
	  "launch-agent rankfile rf slot-list ppn perhost ranks-per-proc launcher rmk iface "
	  "bootstrap bootstrap-exec forward-signals genvlist envlist localhost outfile-pattern "
	  "errfile-pattern max-restarts membind preload-files report-events report-pid report-uri "
	  "runtime-options stream-buffering display with-ft xml-file xterm",
	  "mca gmca omca pmixmca prtemca genv env" },
	{ "flux", "run", "luvx", "ncNgtqoBS", "",
	  "debug dry-run exclusive label-io quiet unbuffered verbose",
	  "add-file bank begin-time conf cores cores-per-task cwd dependency env env-file "
	  "env-remove error flags gpus-per-node gpus-per-task input job-name nodes ntasks output "
	  "queue requires rlimit setattr setopt signal taskmap tasks-per-core tasks-per-node "
	  "time-limit urgency wait-event", "" },
	{ "jsrun", NULL, "", "nacgrdblEDFKMmoktephXS", "",
	  "",
	  "nrs tasks_per_rs cpu_per_rs gpu_per_rs rs_per_host launch_distribution bind np env "
	  "memory_per_rs smpiargs stdio_mode stdio_input stdio_stdout stdio_stderr erf_input "
	  "latency_priority progress exit_on_error chdir", "" },
	{ "ssh", NULL, "46AaCgKkMnqTtvXxYy", "BbcDEeFIiJLlmopRSw", "", "", "", "",
	  .to_shell = true },
};

static struct str leaf(const char *path)
{
	const char *slash = strrchr(path, '/');
	return str_of(slash ? slash + 1 : path);
}

static const struct command_words *launcher_find(char *const *argv)
{
	for (size_t i = 0; i < ARRAY_SIZE(launchers); i++) {
		const struct command_words *l = &launchers[i];
		if (str_has_word(str_of(l->names), leaf(argv[0])) &&
		    (!l->second || (argv[1] && strcmp(argv[1], l->second) == 0)))
			return l;
	}
	return NULL;
}

/*
 * Return the number of words of an option with its value, for "-n", "-n4" or "-lv". Returns 0 if a
 * letter is unknown.
 */
static size_t words_of_letters(const struct command_words *l, const char *letters)
{
	for (; *letters; letters++) {
		if (strchr(l->letters_with, *letters))
			return letters[1] ? 1 : 2;
		if (strchr(l->letters_joined, *letters))
			return 1;
		if (!strchr(l->letters, *letters))
			return 0;
	}
	return 1;
}

static size_t words_of_option(const struct command_words *l, const char *word)
{
	struct str name = str_of(word + 1);
	bool two = str_take_prefix(&name, STR("-"));
	if (two && str_has(name, '='))
		return 1;
	if (str_has_word(str_of(l->alone), name))
		return 1;
	if (str_has_word(str_of(l->with), name))
		return 2;
	if (str_has_word(str_of(l->with_two), name))
		return 3;
	return two ? 0 : words_of_letters(l, word + 1);
}

/*
 * Return the index of the program, from word i on. If an option is unknown, return the option's
 * index and set *unknown to the option.
 */
static size_t find_program(const struct command_words *l, char *const *argv, size_t i,
			   const char **unknown)
{
	while (argv[i] && argv[i][0] == '-' && argv[i][1]) {
		if (strcmp(argv[i], "--") == 0)
			return i + 1;
		size_t n = words_of_option(l, argv[i]);
		if (n == 0) {
			*unknown = argv[i];
			return i;
		}
		while (n-- && argv[i])
			i++;
	}
	return i;
}

struct launcher_words {
	char **word;
	size_t n, cap;
};

static void launcher_add(struct launcher_words *w, char *word)
{
	w->word = vec_reserve(w->word, &w->cap, w->n + 1, sizeof(*w->word));
	w->word[w->n++] = word;
}

/*
 * Copy the words up to the program, insert the prefix, and copy the words up to the next ":".
 * Returns the index of the ":", or of the end.
 */
static size_t wrap_one(const struct command_words *l, char *const *argv, size_t i,
		       char *const *prefix, struct launcher_words *w, const char **unknown)
{
	size_t program = find_program(l, argv, i, unknown);
	for (; i < program && argv[i]; i++)
		launcher_add(w, argv[i]);
	if (!argv[i])
		return i;
	for (; *prefix; prefix++)
		launcher_add(w, *prefix);
	for (; argv[i] && strcmp(argv[i], ":") != 0; i++)
		launcher_add(w, argv[i]);
	return i;
}

/* Append s in single quotes, with '\'' for each quote in it. */
static void add_for_shell(struct buf *b, struct str s)
{
	struct str part;
	buf_add_char(b, '\'');
	while (str_take_until(&s, '\'', &part)) {
		buf_add(b, part);
		buf_add(b, STR("'\\''"));
	}
	buf_add(b, s);
	buf_add_char(b, '\'');
}

/*
 * Return the command line for the remote shell, as one string. It runs the prefix, which runs the
 * original string with sh -c.
 */
static char *text_for_shell(char *const *argv, char *const *prefix)
{
	static struct buf text;
	struct buf all CLEANUP(buf_free) = { 0 };
	for (size_t i = 0; argv[i]; i++)
		buf_addf(&all, "%s%s", i ? " " : "", argv[i]);
	text.n = 0;
	for (; *prefix; prefix++) {
		add_for_shell(&text, str_of(*prefix));
		buf_add_char(&text, ' ');
	}
	buf_add(&text, STR("\"$SHELL\" -c "));
	add_for_shell(&text, buf_str(&all));
	buf_add_char(&text, '\0');
	return text.p;
}

/*
 * Wrap the words after the host. Returns false if an option is unknown, or if ssh would start an
 * interactive shell.
 */
static bool wrap_at_host(const struct command_words *l, char *const *argv, char *const *prefix,
			 struct launcher_words *w, const char **unknown)
{
	size_t host = find_program(l, argv, 1, unknown), i = host;
	if (!*unknown && argv[host])
		i = find_program(l, argv, host + 1, unknown);
	if (*unknown || !argv[i])
		return false;
	for (size_t k = 0; k < i; k++)
		launcher_add(w, argv[k]);
	launcher_add(w, text_for_shell(argv + i, prefix));
	return true;
}

static bool wrap_each(const struct command_words *l, char *const *argv, char *const *prefix,
		      struct launcher_words *w, const char **unknown)
{
	size_t i = l->second ? 2 : 1;
	for (size_t k = 0; k < i; k++)
		launcher_add(w, argv[k]);
	while (argv[i] && !*unknown) {
		i = wrap_one(l, argv, i, prefix, w, unknown);
		if (argv[i])
			launcher_add(w, argv[i++]);
	}
	return !*unknown;
}

char **launcher_wrap(char *const *argv, char *const *prefix, const char **unknown)
{
	const struct command_words *l = launcher_find(argv);
	struct launcher_words w = { NULL, 0, 0 };

	*unknown = NULL;
	if (!l)
		return NULL;
	bool wrapped = (l->to_shell ? wrap_at_host : wrap_each)(l, argv, prefix, &w, unknown);
	launcher_add(&w, NULL);
	if (wrapped)
		return w.word;
	free(w.word);
	return NULL;
}
