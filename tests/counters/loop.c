/* SPDX-License-Identifier: BSD-3-Clause */
/* loop.c - 200 million instructions, and few more */
int main(void)
{
	unsigned long rounds = 100000000;
#ifdef __aarch64__
	__asm__ volatile("1:	subs	%0, %0, #1\n"
			 "	b.ne	1b" : "+r"(rounds) : : "cc");
#else
	__asm__ volatile("	mtctr	%0\n"
			 "1:	nop\n"
			 "	bdnz	1b" : : "r"(rounds) : "ctr");
#endif
	return 0;
}
