/* SPDX-License-Identifier: BSD-3-Clause */
/* encoders.c - all encodings of records, from the list in line.am */
#include "formats/line/line.h"

#define ENCODER(name) extern const struct line_encoder name##_encoder;
#include "formats/line/encoders.inc"
#undef ENCODER

const struct line_encoder *const line_encoders[] = {
#define ENCODER(name) &name##_encoder,
#include "formats/line/encoders.inc"
#undef ENCODER
};
const size_t n_line_encoders = ARRAY_SIZE(line_encoders);

const struct line_encoder *line_encoder_find(struct str name)
{
	for (size_t i = 0; i < n_line_encoders; i++)
		if (str_eq(name, str_of(line_encoders[i]->name)))
			return line_encoders[i];
	return NULL;
}
