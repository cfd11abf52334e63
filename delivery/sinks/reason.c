/* SPDX-License-Identifier: BSD-3-Clause */
/* reason.c - explain the error of a receiver or a library in one line */
#include "sinks/reason.h"

#include <ctype.h>
#include <string.h>
#include "base/utf8.h"

/* longest explanation in bytes; a line of the log has 1024 bytes, including the URL */
#define ANSWER_MAX 600

/* Take a tag off the start of the page. Returns the tag's name; empty for an end tag. */
static struct str reason_take_tag(struct str *page)
{
	struct str tag = *page;
	size_t n = 1;
	if (!str_take_until(page, '>', &tag))
		*page = (struct str){ 0 };
	while (n < tag.n && isalnum((unsigned char)tag.p[n]))
		n++;
	return (struct str){ tag.p + 1, n - 1 };
}

static bool reason_is_tag(struct str name, const char *wanted)
{
	return name.n == strlen(wanted) && strncasecmp(name.p, wanted, name.n) == 0;
}

/* Skip the rest of an element that has no text for users, up to its end tag. */
static void reason_skip_element(struct str *page, struct str name)
{
	while (page->n && !(page->n > name.n + 2 && memcmp(page->p, "</", 2) == 0 &&
			    strncasecmp(page->p + 2, name.p, name.n) == 0))
		*page = str_skip(*page, 1);
}

/*
 * Append the text of a page, with a blank for each tag. If with_head is true, include the head,
 * which has the title.
 */
static void reason_put_page(struct buf *text, struct str page, bool with_head)
{
	while (page.n) {
		if (page.p[0] != '<') {
			buf_add_char(text, page.p[0]);
			page = str_skip(page, 1);
			continue;
		}
		struct str name = reason_take_tag(&page);
		buf_add_char(text, ' ');
		if (reason_is_tag(name, "script") || reason_is_tag(name, "style") ||
		    (!with_head && reason_is_tag(name, "head")))
			reason_skip_element(&page, name);
	}
}

/* Append the words of a text, separated by single blanks. */
static void reason_put_words(struct buf *why, struct str text)
{
	size_t from = why->n;
	for (size_t i = 0; i < text.n && why->n - from < ANSWER_MAX; i++) {
		bool blank = isspace((unsigned char)text.p[i]) || !text.p[i];
		if (!blank)
			buf_add_char(why, text.p[i]);
		else if (why->n > from && why->p[why->n - 1] != ' ')
			buf_add_char(why, ' ');
	}
	if (why->n > from && why->p[why->n - 1] == ' ')
		why->n--;
	if (why->n > from)	/* if why->n is 0, why->p may be NULL */
		utf8_make_printable(why->p + from, why->n - from);
}

void reason_put_answer(struct buf *why, struct str answer)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	size_t from = why->n;
	answer = str_trim(answer);
	if (str_peek(answer) != '<') {
		reason_put_words(why, answer);
		return;
	}
	for (int with_head = 0; with_head < 2 && why->n == from; with_head++) {
		text.n = 0;
		reason_put_page(&text, answer, with_head);
		reason_put_words(why, buf_str(&text));
	}
}

/*
 * Texts of OpenSSL, GnuTLS, libcurl and librdkafka, and words for users. The first text that an
 * error contains decides.
 */
static const struct {
	const char *text, *words;
} reasons[] = {
	{ "certificate has expired",       "certificate expired" },
	{ "expired certificate",           "certificate expired" },
	{ "alert certificate expired",     "our certificate expired" },
	{ "not yet valid",                 "certificate not valid yet; check the clocks" },
	{ "not yet activated",             "certificate not valid yet; check the clocks" },
	{ "unable to get local issuer",    "certificate of an unknown CA; see ca-file" },
	{ "unable to get issuer",          "certificate of an unknown CA; see ca-file" },
	{ "self-signed certificate",       "certificate of an unknown CA; see ca-file" },
	{ "self signed certificate",       "certificate of an unknown CA; see ca-file" },
	{ "issuer is unknown",             "certificate of an unknown CA; see ca-file" },
	{ "alert unknown ca",              "our certificate is of a CA unknown to the receiver" },
	{ "no alternative certificate subject name", "certificate for another name" },
	{ "does not match target host name", "certificate for another name" },
	{ "hostname mismatch",             "certificate for another name" },
	{ "hostname verification failed",  "certificate for another name" },
	{ "certificate required",          "the receiver requires our certificate; see cert-file" },
	{ "wrong version number",          "TLS sent to a port without TLS" },
	{ "packet length too long",        "TLS sent to a port without TLS" },
	{ "unexpected TLS packet",         "TLS sent to a port without TLS" },
	{ "PLAINTEXT broker listener",     "TLS sent to a port without TLS" },
	{ "HTTP/0.9",                      "plain HTTP sent to a TLS port, or to no HTTP server" },
	{ "HTTP request to an HTTPS",      "plain HTTP sent to a TLS port" },
	{ "plain HTTP request was sent to HTTPS", "plain HTTP sent to a TLS port" },
	{ "speaking plain HTTP to an SSL", "plain HTTP sent to a TLS port" },
};

void reason_put_error(struct buf *why, struct str text)
{
	struct buf whole CLEANUP(buf_free) = { 0 };
	const char *words = NULL;
	reason_put_answer(&whole, text);
	buf_add_char(&whole, '\0');
	for (size_t i = 0; i < ARRAY_SIZE(reasons) && !words; i++)
		if (strcasestr(whole.p, reasons[i].text))
			words = reasons[i].words;
	if (words)
		buf_addf(why, "%s (%s)", words, whole.p);
	else
		buf_addf(why, "%s", whole.p);
}
