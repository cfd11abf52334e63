/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_xrd_restart.c - play captures with a restart at any datagram, or with a sender that imitates
 * others
 */
#include <stddef.h>
#include <stdlib.h>
#include "tests/unit/test.h"
#include "tests/unit/captures.h"
#include "xrootd/lines/xrd_transfer.h"
#include "xrootd/state/saved_state.h"

/* The output for a capture. */
struct said {
	struct buf transfers;	/* lines about transfers */
	struct buf totals;	/* rows of the newest minute */
	struct buf reports;	/* rows of summary packets, of all minutes */
};

struct receiver {
	struct xrd_join *join;
	struct xrd_sums *sums;
	struct xrd_reports *reports;
	struct said *said;
};

#define STRANGER "10.9.8.7"

static void on_transfer(void *arg, const struct xrd_transfer *t)
{
	struct receiver *r = arg;
	struct buf *b = &r->said->transfers;
	size_t start = b->n;
	xrd_sums_transfer(r->sums, t);
	xrd_transfer_put(b, t);
	if (memmem(b->p + start, b->n - start, STRANGER, strlen(STRANGER)))
		b->n = start;
}

static void on_event(void *arg, const struct xrd_event *e)
{
	xrd_sums_event(((struct receiver *)arg)->sums, e);
}

static void on_minute(void *arg, int64_t usec, const struct xrd_sums *s)
{
	struct receiver *r = arg;
	buf_addf(&r->said->reports, "@%lld\n", (long long)usec);
	xrd_reports_put_rows(r->reports, &r->said->reports, usec);
	r->said->totals.n = 0;
	xrd_sums_put_rows(&r->said->totals, s);
}

static void begin(struct receiver *r, struct said *said)
{
	const struct xrd_listener to = { on_transfer, on_event, r };
	const struct xrd_sums_listener minutes = { on_minute, r };
	r->said = said;
	r->join = xrd_join_new(&to, 4 << 20);
	r->sums = xrd_sums_new(&minutes, xrd_join_servers(r->join));
	r->reports = xrd_reports_new(0);
}

static void end(struct receiver *r)
{
	xrd_join_free(r->join);
	xrd_sums_free(r->sums);
	xrd_reports_free(r->reports);
}

static void hand(struct receiver *r, const struct captured *d)
{
	const struct xrd_report report = { d->bytes, d->at, &d->from.address, r->sums };
	xrd_sums_tick(r->sums, d->at);
	(void)!xrd_reports_add(r->reports, &report);
	xrd_join_add(r->join, &d->from, d->bytes, d->at);
}

/* Restart the receiver: create a new one from the state of the old one. */
static void restart(struct receiver *r)
{
	const struct saved_output out = { .begun = true, .reports = r->reports };
	struct saved_output taken = { .begun = false };
	struct said *said = r->said;
	struct buf state = { 0 };
	state_put(&state, r->join, r->sums, &out);
	xrd_join_abandon(r->join);
	end(r);
	begin(r, said);
	taken.reports = r->reports;
	assert_int_equal(state_take(buf_str(&state), r->join, r->sums, &taken), 0);
	buf_free(&state);
}

static int in_order(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

static void sort_lines(struct buf *b)
{
	struct buf sorted = { 0 };
	struct str text = buf_str(b), line, *lines = NULL;
	size_t n = 0;
	for (; str_take_line(&text, &line); n++) {
		lines = xrealloc(lines, (n + 1) * sizeof(*lines));
		lines[n] = line;
	}
	if (n)
		qsort(lines, n, sizeof(*lines), in_order);
	for (size_t i = 0; i < n; i++) {
		buf_add(&sorted, lines[i]);
		buf_add_char(&sorted, '\n');
	}
	free(lines);
	buf_free(b);
	*b = sorted;
}

static void finish(struct receiver *r)
{
	xrd_join_finish(r->join);
	xrd_sums_finish(r->sums);
	end(r);
	sort_lines(&r->said->transfers);
	sort_lines(&r->said->totals);
}

static void forget(struct said *s)
{
	buf_free(&s->transfers);
	buf_free(&s->totals);
	buf_free(&s->reports);
}

/*
 * Play a capture, with a restart before datagram `at`, or before every datagram if `each` is set.
 */
static struct said play(const struct capture *c, size_t at, bool each)
{
	struct said said = { .transfers = { 0 } };
	struct receiver r;
	begin(&r, &said);
	for (size_t i = 0; i < c->n; i++) {
		if (i == at || (each && i))
			restart(&r);
		hand(&r, &c->d[i]);
	}
	finish(&r);
	return said;
}

static void assert_same(const struct buf *a, const struct buf *b, const char *what, size_t at)
{
	struct str x = buf_str(a), y = buf_str(b), one, other;
	while (str_take_line(&x, &one) && str_take_line(&y, &other))
		if (!str_eq(one, other))
			fail_msg("%s, at %zu: " STR_FMT " became " STR_FMT, what, at, STR_ARG(one),
				 STR_ARG(other));
	if (x.n || y.n)
		fail_msg("%s, at %zu: more or less lines", what, at);
}

static void restart_each(struct capture *c)
{
	struct said whole = play(c, SIZE_MAX, false);
	for (size_t i = 0; i <= c->n; i++) {
		struct said r = play(c, i, i == c->n);
		assert_same(&whole.transfers, &r.transfers, "transfers", i);
		assert_same(&whole.totals, &r.totals, "totals", i);
		assert_same(&whole.reports, &r.reports, "rows of summary packets", i);
		forget(&r);
	}
	forget(&whole);
}

TEST(a_restart_at_any_datagram_changes_nothing)
{
	each_capture(restart_each);
}

/* Some facts come once, when a server starts, and decide later how its counts are reported. */
TEST(facts_about_a_server_survive_a_restart)
{
#define AT(fact) offsetof(struct xrd_server, fact)
	static const size_t facts[] = {
		AT(counts), AT(known), AT(has_sid), AT(cache), AT(requests), AT(copies),
		AT(has_sure_sid), AT(has_loose_sid),
	};
#undef AT
	for (size_t fact = 0; fact < ARRAY_SIZE(facts); fact++) {
		struct said said = { .transfers = { 0 } };
		const struct xrd_source from = { .port = 1094 };
		struct receiver r;
		begin(&r, &said);
		struct xrd_server *s = xrd_server_add(xrd_join_servers(r.join), &from, 1000);
		*(bool *)((char *)s + facts[fact]) = true;
		const struct xrd_server before = *s;
		restart(&r);
		assert_int_equal(xrd_join_servers(r.join)->n, 1);
		s = xrd_join_servers(r.join)->server[0];
		for (size_t i = 0; i < ARRAY_SIZE(facts); i++)
			assert_memory_equal((char *)s + facts[i], (char *)&before + facts[i],
					    sizeof(bool));
		finish(&r);
		forget(&said);
	}
}

/*
 * Send each datagram from a stranger before its server sends it: unchanged, truncated, with other
 * bytes, or with another start time. The stranger knows the server's start, numbers and
 * fingerprint.
 */
static void imitate(struct receiver *r, const struct captured *d, size_t i)
{
	struct captured copy = *d;
	char *bytes = malloc(d->bytes.n + !d->bytes.n);
	assert_non_null(bytes);
	memcpy(bytes, d->bytes.p, d->bytes.n);
	memcpy(copy.from.address.s6_addr + 12, "\12\11\10\7", 4);
	copy.bytes.p = bytes;
	if (i % 4 == 1 && copy.bytes.n > 8) {
		copy.bytes.n = 8 + i % (copy.bytes.n - 8);
		bytes[2] = (char)(copy.bytes.n >> 8);
		bytes[3] = (char)copy.bytes.n;
	}
	for (size_t k = 8 + i % 5; i % 4 == 2 && k < copy.bytes.n; k += 5)
		bytes[k] = (char)(bytes[k] ^ (char)(i + k));
	if (i % 4 == 3 && copy.bytes.n > 8)
		bytes[7]++;
	hand(r, &copy);
	free(bytes);
}

/* Tell if the devices are equal, or differ only by "@127.0.0.1", which `other` has in addition. */
static bool is_device(struct str device, struct str other)
{
	const struct str at = STR("@127.0.0.1");
	size_t same = 0;
	while (same < device.n && same < other.n && device.p[same] == other.p[same])
		same++;
	struct str end = str_skip(other, same);
	return str_eq(str_skip(device, same), end) ||
	       (str_take_prefix(&end, at) && str_eq(str_skip(device, same), end));
}

/*
 * Tell if the rows contain this row. Its device may have become "SERVER@ADDRESS", because the first
 * sender of a server's name owns the name.
 */
static bool has_row(const struct buf *rows, struct str row)
{
	struct str all = buf_str(rows), line, type, device, other_type, other;
	str_take_word(&row, &type);
	str_take_word(&row, &device);
	while (str_take_line(&all, &line)) {
		if (!str_take_word(&line, &other_type) || !str_take_word(&line, &other) ||
		    !str_eq(type, other_type) || !str_eq(row, line))
			continue;
		if (is_device(device, other))
			return true;
	}
	return false;
}

static void assert_rows_are_in(const struct buf *rows, const struct buf *more)
{
	struct str all = buf_str(rows), row;
	while (str_take_line(&all, &row))
		if (!has_row(more, row))
			fail_msg("beside a stranger, no " STR_FMT " in\n%.*s", STR_ARG(row),
				 (int)more->n, more->p);
}

static void imitate_each(struct capture *c)
{
	struct said whole = play(c, SIZE_MAX, false), beside = { .transfers = { 0 } };
	for (size_t shift = 0; shift < 4; shift++) {
		struct receiver r;
		begin(&r, &beside);
		for (size_t i = 0; i < c->n; i++) {
			imitate(&r, &c->d[(i + shift) % c->n], i + shift);
			hand(&r, &c->d[i]);
		}
		finish(&r);
		assert_same(&whole.transfers, &beside.transfers, "beside a stranger", shift);
		assert_rows_are_in(&whole.totals, &beside.totals);
		forget(&beside);
	}
	forget(&whole);
}

TEST(a_sender_that_imitates_others_does_not_change_their_reports)
{
	each_capture(imitate_each);
}

int main(void)
{
	RUN(cmocka_unit_test(facts_about_a_server_survive_a_restart),
	    cmocka_unit_test(a_restart_at_any_datagram_changes_nothing),
	    cmocka_unit_test(a_sender_that_imitates_others_does_not_change_their_reports));
}
