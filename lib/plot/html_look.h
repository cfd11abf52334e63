/* SPDX-License-Identifier: BSD-3-Clause */
/* html_look.h - how a page looks and is sorted */
#pragma once

#include <stddef.h>

extern const char html_style[], html_script[];
/* Words of the page, for its glossary. */
extern const struct html_word {
	const char *word, *means;
} html_words[];
extern const size_t n_html_words;
