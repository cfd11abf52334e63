/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_xrd_inject.c - play captures with datagrams lost, repeated, out of order, or cut at any byte
 */
#include <stdlib.h>
#include <string.h>
#include "tests/unit/test.h"
#include "tests/unit/captures.h"
#include "xrootd/join/xrd_join.h"
#include "xrootd/lines/xrd_transfer.h"

/* The reports of a capture: sorted lines, and counts. .lanes: number of counters of datagrams. */
struct reported {
	struct buf text;
	struct str *line;
	size_t n, lanes;
	uint64_t lost, duplicate, bad, events;
};

static void on_transfer(void *arg, const struct xrd_transfer *t)
{
	struct reported *r = arg;
	xrd_transfer_put(&r->text, t);
	r->n++;
}

static void on_event(void *arg, const struct xrd_event *e)
{
	struct reported *r = arg;
	r->events += e->record->kind != XRD_WINDOW;
}

static int in_order(const void *a, const void *b)
{
	const struct str *x = a, *y = b;
	int r = memcmp(x->p, y->p, x->n < y->n ? x->n : y->n);
	return r ? r : (x->n > y->n) - (x->n < y->n);
}

static void sort_lines(struct reported *r)
{
	struct str text = buf_str(&r->text);
	r->line = calloc(r->n + 1, sizeof(*r->line));
	assert_non_null(r->line);
	for (size_t i = 0; i < r->n; i++)
		assert_true(str_take_line(&text, &r->line[i]));
	qsort(r->line, r->n, sizeof(*r->line), in_order);
}

/* Feed all datagrams in the given order. Returns the reports. */
static struct reported play(const struct capture *c)
{
	struct reported r = { .n = 0 };
	const struct xrd_listener to = { on_transfer, on_event, &r };
	struct xrd_join *j = xrd_join_new(&to, 1 << 20);
	for (size_t i = 0; i < c->n; i++)
		xrd_join_add(j, &c->d[i].from, c->d[i].bytes, c->d[i].at);
	xrd_join_finish(j);
	for (size_t k = 0; k < xrd_join_servers(j)->n; k++) {
		const struct xrd_server *s = xrd_join_servers(j)->server[k];
		r.lost += s->seen.n[XRD_LOST];
		r.duplicate += s->seen.n[XRD_DUPLICATE];
		for (size_t i = 0; i < XRD_PORTS * XRD_LANES; i++)
			r.lanes += s->port_of[i / XRD_LANES].lane[i % XRD_LANES] != NULL;
	}
	r.bad = xrd_join_counts(j)->bad;
	xrd_join_free(j);
	sort_lines(&r);
	return r;
}

static void forget(struct reported *r)
{
	buf_free(&r->text);
	free(r->line);
}

static void assert_same_lines(const struct reported *a, const struct reported *b)
{
	assert_int_equal(a->n, b->n);
	for (size_t i = 0; i < a->n; i++)
		if (!str_eq(a->line[i], b->line[i]))
			fail_msg("%.*s became %.*s", STR_ARG(a->line[i]), STR_ARG(b->line[i]));
}

/* Check that each line that was not there before says that it is incomplete. */
static void assert_honest(const struct reported *before, const struct reported *after)
{
	const struct str whole = STR("\"complete\":true");
	for (size_t i = 0; i < after->n; i++)
		if (!bsearch(&after->line[i], before->line, before->n, sizeof(after->line[i]),
			     in_order) &&
		    memmem(after->line[i].p, after->line[i].n, whole.p, whole.n))
			fail_msg("%.*s", STR_ARG(after->line[i]));
}

static char code_of(const struct captured *d)
{
	return d->bytes.p[0];
}

static bool is_text(const struct captured *d)
{
	return strchr("{c", code_of(d)) != NULL;
}

/*
 * Tell if a datagram has a sequence number. An identification (code "=") in text form has no
 * number, and an identification of the file residency manager always has number 0.
 */
static bool has_number(const struct captured *d)
{
	return !is_text(d) && (code_of(d) != '=' || d->bytes.p[8] == '=' || d->bytes.p[12] == '=');
}

/* Tell if the datagram is about operations (code f). Other datagrams name users and servers. */
static bool is_f(const struct captured *d)
{
	return code_of(d) == 'f';
}

static bool is_of_no_transfer(const struct captured *d)
{
	return strchr("rgxp{c", code_of(d)) != NULL;
}

static struct reported play_without(const struct capture *c, size_t i)
{
	struct capture less = { malloc(c->n * sizeof(*c->d)), c->n - 1 };
	assert_non_null(less.d);
	memcpy(less.d, c->d, i * sizeof(*c->d));
	memcpy(less.d + i, c->d + i + 1, (c->n - 1 - i) * sizeof(*c->d));
	struct reported r = play(&less);
	free(less.d);
	return r;
}

static void lose_each(struct capture *c)
{
	struct reported whole = play(c);
	size_t unseen = 0;
	assert_int_equal(whole.lost, 0);
	for (size_t i = 0; i < c->n; i++) {
		struct reported r = play_without(c, i);
		assert_true(r.lost <= 1);
		unseen += r.lost == 0 && has_number(&c->d[i]);
		assert_true(r.events < whole.events);
		if (is_of_no_transfer(&c->d[i]))
			assert_same_lines(&whole, &r);
		else if (is_f(&c->d[i]))
			assert_true(r.n <= whole.n);
		else
			assert_int_equal(r.n, whole.n);
		if (strchr("fudt=", code_of(&c->d[i])))
			assert_honest(&whole, &r);
		forget(&r);
	}
	/* the loss of a lane's first or last datagram leaves no gap in the sequence numbers */
	assert_true(unseen <= 2 * whole.lanes);
	forget(&whole);
}

TEST(each_loss_is_counted_and_no_record_hides_it)
{
	each_capture(lose_each);
}

static void repeat_each(struct capture *c)
{
	struct reported whole = play(c);
	struct capture more = { malloc((c->n + 1) * sizeof(*c->d)), c->n + 1 };
	assert_non_null(more.d);
	for (size_t i = 0; i < c->n; i++) {
		memcpy(more.d, c->d, (i + 1) * sizeof(*c->d));
		memcpy(more.d + i + 1, c->d + i, (c->n - i) * sizeof(*c->d));
		struct reported r = play(&more);
		assert_same_lines(&whole, &r);
		assert_int_equal(r.lost, 0);
		if (has_number(&c->d[i])) {
			assert_int_equal(r.events, whole.events);
			assert_int_equal(r.duplicate, whole.duplicate + 1);
		}
		forget(&r);
	}
	free(more.d);
	forget(&whole);
}

TEST(repeated_datagrams_change_nothing)
{
	each_capture(repeat_each);
}

static void swap(struct capture *c, size_t i)
{
	struct captured d = c->d[i];
	c->d[i].from = c->d[i + 1].from;
	c->d[i].bytes = c->d[i + 1].bytes;
	c->d[i + 1].from = d.from;
	c->d[i + 1].bytes = d.bytes;
}

static void swap_each(struct capture *c)
{
	struct reported whole = play(c);
	for (size_t i = 0; i + 1 < c->n; i++) {
		swap(c, i);
		struct reported r = play(c);
		assert_same_lines(&whole, &r);
		assert_int_equal(r.events, whole.events);
		assert_int_equal(r.duplicate + r.lost, 0);
		forget(&r);
		swap(c, i);
	}
	forget(&whole);
}

TEST(neighbours_out_of_order_change_nothing)
{
	each_capture(swap_each);
}

/*
 * Return the next length for a cut: every byte in the header and first record, then every 7th, or
 * every CUT_STEP-th, which tests/parts.sh sets.
 */
static size_t next_cut(size_t n)
{
	const char *text = getenv("CUT_STEP");
	struct str rest = str_of(text ? text : "7");
	uint64_t step = 7;
	str_take_u64(&rest, &step);
	return n + (n < 48 ? 1 : (size_t)step);
}

/*
 * Cut datagram i at every length: first as it is, so that its length field shows the cut, then with
 * the length field corrected.
 */
static void cut_one(struct capture *c, size_t i, const struct reported *whole,
		    const struct reported *without)
{
	struct captured d = c->d[i];
	for (size_t n = 0; n < d.bytes.n; n = next_cut(n)) {
		char *p = malloc(n + !n);
		assert_non_null(p);
		memcpy(p, d.bytes.p, n);
		c->d[i].bytes = (struct str){ p, n };
		struct reported r = play(c);
		assert_same_lines(without, &r);
		if (!is_text(&d)) {
			assert_int_equal(r.bad, whole->bad + 1);
			assert_int_equal(r.lost, without->lost);
		}
		forget(&r);
		if (n >= 4 && !is_text(&d)) {
			p[2] = (char)(n >> 8);
			p[3] = (char)n;
			r = play(c);
			assert_true(r.n <= whole->n);
			if (is_of_no_transfer(&d))
				assert_same_lines(whole, &r);
			else if (is_f(&d))
				assert_honest(whole, &r);
			forget(&r);
		}
		free(p);
	}
	c->d[i] = d;
}

/* Cut only three datagrams of each code, since the others differ in values only. */
static void cut_each(struct capture *c)
{
	struct reported whole = play(c);
	unsigned n_of[256] = { 0 };
	for (size_t i = 0; i < c->n; i++) {
		if (n_of[(unsigned char)code_of(&c->d[i])]++ >= 3)
			continue;
		struct reported without = play_without(c, i);
		cut_one(c, i, &whole, &without);
		forget(&without);
	}
	forget(&whole);
}

TEST(a_cut_at_any_byte_affects_no_other_datagram)
{
	each_capture(cut_each);
}

int main(void)
{
	RUN(cmocka_unit_test(each_loss_is_counted_and_no_record_hides_it),
	    cmocka_unit_test(repeated_datagrams_change_nothing),
	    cmocka_unit_test(neighbours_out_of_order_change_nothing),
	    cmocka_unit_test(a_cut_at_any_byte_affects_no_other_datagram));
}
