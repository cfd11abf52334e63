/* SPDX-License-Identifier: BSD-3-Clause */
/* job_list.c - list the jobs of an archive: time, owner and nodes of each run */
#include "report/jobs/job_list.h"

#include <stdlib.h>
#include <string.h>
#include "base/vec.h"
#include "figures/runs.h"

#define NONE UINT32_MAX

/* a block of memory for job ids, which live as long as the list */
struct id_block {
	struct id_block *next;
	size_t n, size;
	char text[];
};
#define ID_BLOCK (64u << 10)	/* bytes */

/* State of combining the pieces (struct job_piece) of a job id into runs. */
struct joining {
	struct job_list *list;
	const struct archive_file *file;
	size_t n_files;
	struct joined {
		size_t piece, run;
	} *joined;		/* the pieces in order, each with the index of its run */
	size_t n, cap;
	struct host_run {
		size_t host;
		bool ended;
	} *at;			/* for each run: its host, and whether it ended */
	size_t *cluster;	/* index of the job to which each run belongs */
	size_t cap_at, cap_clusters;
	struct report report;	/* the runs, in .found */
};

static struct job_id *look_up(const struct job_list *l, struct str id, uint64_t hash)
{
	for (struct map_slot *at = NULL; (at = map_next(&l->by_id, hash, at)); )
		if (str_eq(id, str_of(l->id[at->value.n].id)))
			return &l->id[at->value.n];
	return NULL;
}

/* Copy an id into a block. This needs less memory than malloc(), which adds a header to each id. */
static const char *job_list_copy_id(struct job_list *l, struct str id)
{
	struct id_block *b = l->ids;

	if (!b || b->size - b->n <= id.n) {
		size_t size = id.n < ID_BLOCK ? ID_BLOCK : id.n + 1;
		b = xrealloc(NULL, sizeof(*b) + size);
		b->next = l->ids;
		b->n = 0;
		b->size = size;
		l->ids = b;
	}
	char *to = b->text + b->n;
	str_copy(to, id.n + 1, id);
	b->n += id.n + 1;
	return to;
}

static struct job_id *job_list_find_id(struct job_list *l, struct str id)
{
	uint64_t hash = map_hash(id);
	struct job_id *found = look_up(l, id, hash);
	if (found)
		return found;
	map_add(&l->by_id, hash, (union map_value){ .n = l->n_ids });
	l->id = vec_reserve(l->id, &l->cap_ids, l->n_ids + 1, sizeof(*l->id));
	l->id[l->n_ids] = (struct job_id){ job_list_copy_id(l, id), NONE, NONE };
	return &l->id[l->n_ids++];
}

bool job_list_has(const struct job_list *l, struct str id)
{
	return look_up(l, id, map_hash(id)) != NULL;
}

const char *job_list_text(struct job_list *l, struct str text)
{
	if (!text.n)
		return NULL;
	size_t i = words_add(&l->names, text);	/* may reallocate .word, so call it first */
	return l->names.word[i].text;
}

/*
 * Unescape a word of a file's index, and return the word's index in .names. `likely` is a guess at
 * this index; a correct guess saves a search.
 */
static uint32_t job_list_word(struct job_list *l, struct str text, uint32_t likely)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	if (text.n && memchr(text.p, '\\', text.n)) {
		buf_add_unescaped(&b, text);
		return (uint32_t)words_add(&l->names, buf_str(&b));
	}
	if (likely < l->names.n && str_eq(text, str_of(l->names.word[likely].text)))
		return likely;
	return (uint32_t)words_add(&l->names, text);
}

/*
 * Return a piece that probably has the same user, account and so on: the newest piece of this id,
 * or of any id.
 */
static const struct job_piece *job_list_similar_piece(const struct job_list *l,
						      const struct job_id *id)
{
	static const struct job_piece none;
	if (id->first != NONE)
		return &l->piece[id->last];
	return l->n_pieces ? &l->piece[l->n_pieces - 1] : &none;
}

void job_list_add(struct job_list *l, size_t host, size_t file, bool whole,
		  const struct index_job *j)
{
	struct job_id *id = job_list_find_id(l, j->id);

	if (l->n_pieces == NONE)
		abort();	/* unreachable: so many pieces take hundreds of gigabytes */
	l->piece = vec_reserve(l->piece, &l->cap_pieces, l->n_pieces + 1, sizeof(*l->piece));
	const struct job_piece *like = job_list_similar_piece(l, id);
	l->piece[l->n_pieces] = (struct job_piece){
		.first = j->first, .last = j->last, .left = j->left, .samples = j->samples,
		.nodes = j->nodes, .user = job_list_word(l, j->user, like->user),
		.account = job_list_word(l, j->account, like->account),
		.partition = job_list_word(l, j->partition, like->partition),
		.name = job_list_word(l, j->name, like->name),
		.exit = job_list_word(l, j->exit, like->exit),
		.state = job_list_word(l, j->state, like->state),
		.host = (uint32_t)host, .file = (uint32_t)file, .next = NONE,
		.begun = j->begun, .ended = j->ended, .whole = whole,
	};
	if (id->first == NONE)
		id->first = (uint32_t)l->n_pieces;
	else
		l->piece[id->last].next = (uint32_t)l->n_pieces;
	id->last = (uint32_t)l->n_pieces++;
}

void job_list_add_unread(struct job_list *l, const struct unread_file *file)
{
	l->unread = vec_reserve(l->unread, &l->cap_unread, l->n_unread + 1, sizeof(*l->unread));
	l->unread[l->n_unread++] = *file;
}

/*
 * Return whether the piece continues the run, by the rules of job_watch_record(). A gap of a week
 * separates runs even without a mark.
 */
static bool goes_on(const struct joining *g, size_t run, const struct job_piece *p)
{
	const struct node *n = &g->report.found.run[run].node;
	if (g->at[run].host != p->host || p->first - n->end >= WEEK_US)
		return false;
	return !p->begun || (!g->at[run].ended && n->no_begin);
}

static size_t job_list_add_run(struct joining *g, const struct job_piece *p)
{
	struct runs *runs = &g->report.found;
	size_t n = runs->n++;

	g->at = vec_reserve(g->at, &g->cap_at, runs->n, sizeof(*g->at));
	g->cluster = vec_reserve(g->cluster, &g->cap_clusters, runs->n, sizeof(*g->cluster));
	runs->run = vec_reserve(runs->run, &runs->cap, runs->n, sizeof(*runs->run));
	struct run *run = &runs->run[n];
	memset(run, 0, sizeof(*run));
	run->node.name = g->file[p->file].host;
	run->node.start = p->first;
	run->node.end = p->last;
	run->node.no_begin = run->node.no_end = 1;
	g->at[n] = (struct host_run){ p->host, false };
	return n;
}

static void add_to_run(struct joining *g, size_t number, const struct job_piece *p)
{
	struct run *run = &g->report.found.run[number];

	if (p->begun && run->node.no_begin) {
		/* start at the begin mark, because reports drop earlier samples */
		run->node.start = p->first;
		run->node.no_begin = 0;
	}
	if (!g->at[number].ended && p->last > run->node.end)
		run->node.end = p->last;
	g->at[number].ended |= p->ended;
	run->node.no_end = !g->at[number].ended;
	run->node.absent_from = p->left ? p->left :
				archive_next_start(g->file, g->n_files, p->file);
	run->nodes = p->nodes > run->nodes ? p->nodes : run->nodes;
	if (!run->owner.user[0])
		str_copy(run->owner.user, sizeof(run->owner.user),
			 str_of(g->list->names.word[p->user].text));
}

/* Combine the pieces of an id into runs on single hosts. */
static void find_runs(struct joining *g, const struct job_id *id)
{
	g->n = g->report.found.n = 0;
	for (uint32_t i = id->first; i != NONE; i = g->list->piece[i].next) {
		const struct job_piece *p = &g->list->piece[i];
		size_t runs = g->report.found.n;
		bool more = runs > 0 && goes_on(g, runs - 1, p);
		size_t run = more ? runs - 1 : job_list_add_run(g, p);
		add_to_run(g, run, p);
		g->joined = vec_reserve(g->joined, &g->cap, g->n + 1, sizeof(*g->joined));
		g->joined[g->n++] = (struct joined){ i, run };
	}
}

/*
 * Count the records of a file that list the job id, over all runs of the id. Returns UINT64_MAX if
 * the number is unknown because a part of the file was unreadable.
 */
static uint64_t samples_in(const struct joining *g, size_t file)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < g->n; i++) {
		const struct job_piece *p = &g->list->piece[g->joined[i].piece];
		if (p->file == file && !p->whole)
			return UINT64_MAX;
		sum += p->file == file ? p->samples : 0;
	}
	return sum;
}

static void add_file(const struct joining *g, struct listed_job *job, size_t file)
{
	struct job_list *l = g->list;

	if (job->n_files && l->files[l->n_files - 1].file == file)
		return;
	l->files = vec_reserve(l->files, &l->cap_files, l->n_files + 1, sizeof(*l->files));
	l->files[l->n_files++] = (struct listed_file){ file, samples_in(g, file) };
	job->n_files++;
}

static void take_text(const struct job_list *l, const char **to, uint32_t word)
{
	if (!*to && l->names.word[word].text[0])
		*to = l->names.word[word].text;
}

/* Use the exit code and state of the piece for the job if they are worse, such as a failure. */
static void job_list_take_end(const struct job_list *l, struct listed_job *job,
			      const struct job_piece *p)
{
	struct job_end one = { "", "" };
	str_copy(one.exit, sizeof(one.exit), str_of(l->names.word[p->exit].text));
	str_copy(one.state, sizeof(one.state), str_of(l->names.word[p->state].text));
	ended_infer(&one, false);
	if (ended_worse(&one, &job->end))
		job->end = one;
}

static void add_piece(const struct joining *g, struct listed_job *job, const struct job_piece *p)
{
	add_file(g, job, p->file);
	job->samples += p->samples;
	take_text(g->list, &job->user, p->user);
	take_text(g->list, &job->account, p->account);
	take_text(g->list, &job->partition, p->partition);
	take_text(g->list, &job->name, p->name);
	job_list_take_end(g->list, job, p);
}

static void add_host(const struct joining *g, struct listed_job *job, size_t run)
{
	const struct run *r = &g->report.found.run[run];
	bool known = false, begun = false, ended = false;

	job->first = r->node.start < job->first ? r->node.start : job->first;
	job->last = r->node.end > job->last ? r->node.end : job->last;
	job->nodes_allocated = r->nodes > job->nodes_allocated ? r->nodes : job->nodes_allocated;
	for (size_t i = run; i-- > 0 && g->at[i].host == g->at[run].host; ) {
		if (g->cluster[i] != g->cluster[run])
			continue;
		known = true;
		begun |= !g->report.found.run[i].node.no_begin;
		ended |= g->at[i].ended;
	}
	job->open |= r->node.no_end && !r->node.absent_from;
	job->nodes += !known;
	job->begun += !begun && !r->node.no_begin;
	job->ended += !ended && g->at[run].ended;
}

static bool has_ended_on(const struct joining *g, size_t cluster, size_t host)
{
	for (size_t i = 0; i < g->report.found.n; i++)
		if (g->cluster[i] == cluster && g->at[i].host == host && g->at[i].ended)
			return true;
	return false;
}

/* Count the hosts on which unreadable records may show that the job ran or ended. */
static void count_unread(const struct joining *g, struct listed_job *job, size_t cluster)
{
	const struct job_list *l = g->list;
	size_t counted = 0;

	if (job->nodes_allocated && job->nodes >= job->nodes_allocated && job->ended == job->nodes)
		return;
	for (size_t i = 0; i < l->n_unread; i++) {
		const struct unread_file *u = &l->unread[i];
		if (u->host == counted || u->from > job->last || u->to < job->first ||
		    has_ended_on(g, cluster, u->host))
			continue;
		counted = u->host;
		job->unread++;
	}
}

static void job_list_add_job(struct joining *g, size_t cluster)
{
	struct job_list *l = g->list;
	struct listed_job job = { .id = g->report.job, .first = INT64_MAX, .last = INT64_MIN,
				  .row = ROW_NONE };

	for (size_t i = 0; i < g->report.found.n; i++)
		if (g->cluster[i] == cluster)
			add_host(g, &job, i);
	for (size_t i = 0; i < g->n; i++)
		if (g->cluster[g->joined[i].run] == cluster)
			add_piece(g, &job, &l->piece[g->joined[i].piece]);
	count_unread(g, &job, cluster);
	l->job = vec_reserve(l->job, &l->cap, l->n + 1, sizeof(*l->job));
	l->job[l->n++] = job;
}

/* Free the pieces. Point each job to its first element of .files, which is sorted by job. */
static void drop_pieces(struct job_list *l)
{
	const struct listed_file *file = l->files;

	for (size_t i = 0; i < l->n; i++) {
		l->job[i].file = file;
		file += l->job[i].n_files;
	}
	free(l->piece);
	l->piece = NULL;
	l->n_pieces = l->cap_pieces = 0;
}

void job_list_end(struct job_list *l, const struct archive_file *file, size_t n)
{
	struct joining g = { .list = l, .file = file, .n_files = n };

	for (size_t i = 0; i < l->n_ids; i++) {
		g.report.job = l->id[i].id;
		find_runs(&g, &l->id[i]);
		size_t jobs = runs_find_jobs(&g.report, g.cluster);
		for (size_t cluster = 0; cluster < jobs; cluster++)
			job_list_add_job(&g, cluster);
	}
	free(g.report.found.run);
	free(g.at);
	free(g.cluster);
	free(g.joined);
	drop_pieces(l);
}

bool listed_job_is_whole(const struct listed_job *j)
{
	return j->ended == j->nodes && j->nodes_allocated <= j->nodes && j->unread == 0;
}

void job_list_close(struct job_list *l)
{
	map_free(&l->by_id);
	free(l->id);
	l->id = NULL;
	l->n_ids = l->cap_ids = 0;
}

void job_list_free(struct job_list *l)
{
	for (struct id_block *b = l->ids, *next; b; b = next) {
		next = b->next;
		free(b);
	}
	words_free(&l->names);
	free(l->piece);
	free(l->files);
	free(l->job);
	free(l->unread);
	job_list_close(l);
}
