/* SPDX-License-Identifier: BSD-3-Clause */
/* html_look.c - style, sorting script and glossary of web pages */
#include "plot/html_look.h"

#include "base/base.h"

const char html_style[] =
	":root{color-scheme:light dark;--ink:#1c2024;--paper:#fff;--soft:#5f6b76;--line:#d9dee3;"
	"--tint:#f4f6f8;--bar:#3b76b8;--bad:#c0392b}\n"
	"@media(prefers-color-scheme:dark){:root{--ink:#e6e9ec;--paper:#16191d;--soft:#9aa5b0;"
	"--line:#343b43;--tint:#1f242a;--bar:#5a9ae0;--bad:#f0776a}"
	".chart{filter:invert(.9) hue-rotate(180deg)}}\n"
	"body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);"
	"max-width:100rem;margin:1.5rem auto;padding:0 1rem}\n"
	"h1{font-size:1.7rem;margin:.2em 0;overflow-wrap:anywhere}"
	"h2{font-size:1.15rem;margin:1.8em 0 .5em}\n"
	"dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;margin:0}"
	"dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}\n"
	".use{display:grid;grid-template-columns:5rem 1fr 5rem minmax(12rem,max-content);"
	"gap:.3rem 1rem;align-items:center}"
	".use div{display:contents}"
	".use i{display:block;height:.9rem;background:var(--tint);border:1px solid var(--line);"
	"border-radius:3px;overflow:hidden}"
	".use b{display:block;height:100%;background:var(--bar)}"
	".use .bad b{background:var(--bad)}.use .bad+span{color:var(--bad);font-weight:600}"
	".use span+span,td,th{font-variant-numeric:tabular-nums}\n"
	".parts{max-height:20rem;overflow:auto}.parts>div{display:grid;gap:.2rem 1rem;"
	"grid-template-columns:minmax(5rem,12rem) 1fr;align-items:center;padding:2px}"
	".bar{display:flex;height:1rem;border:1px solid var(--line);overflow:hidden}"
	".key span{white-space:nowrap;margin-left:.8rem}"
	".key b{display:inline-block;width:.9em;height:.9em;margin-right:.3em;"
	"vertical-align:-.1em;border:1px solid var(--line)}"
	".bar b,.key b{print-color-adjust:exact}"
	".user{background:#3b76b8}.kernel{background:#c0392b}.cpu_wait{background:#e08e1b}"
	".others{background:#6b7a2f}"
	".io_wait{background:#8e5bb5}.memory_wait{background:#b8508f}.asleep{background:#9fb3c8}"
	".unused{background:var(--tint)}.unknown{background:repeating-linear-gradient("
	"45deg,#999 0 3px,#ccc 3px 6px)}\n"
	".found{border-left:4px solid var(--bad);background:var(--tint);margin:.6rem 0;"
	"padding:.5rem .8rem}.found p{margin:.2rem 0}.found b{color:var(--bad)}\n"
	".chart{box-sizing:border-box;display:block;width:100%;max-width:76rem;"
	"height:auto;border:1px solid var(--line)}\n"
	".wide{overflow-x:auto}table{border-collapse:collapse;min-width:min(30rem,100%)}"
	"th,td{text-align:right;padding:.15rem .55rem;border-bottom:1px solid var(--line);"
	"white-space:nowrap}"
	"thead th,td:first-child,.why{white-space:normal}.why{text-align:left}"
	"thead th{vertical-align:bottom}"
	":focus-visible{outline:2px solid var(--bar);outline-offset:2px}"
	"th:first-child,td:first-child,.unit{text-align:left}"
	"th{color:var(--soft);font-weight:600}\n"
	".nodes td:first-child{white-space:nowrap}.nodes{max-height:34rem;overflow:auto}"
	".nodes th{position:sticky;top:0;background:var(--paper)}\n"
	"th button{font:inherit;color:inherit;background:none;border:0;padding:0;cursor:pointer}"
	"th button::after{content:' \\2195';opacity:.4}"
	"th[aria-sort=ascending] button::after{content:' \\2191';opacity:1}"
	"th[aria-sort=descending] button::after{content:' \\2193';opacity:1}\n"
	"pre{white-space:pre-wrap;margin:0;font:inherit}.soft,small{color:var(--soft)}"
	"a{color:var(--bar)}\n"
	"@media screen and (max-width:40rem){.use{display:block}"
	".use div{display:grid;margin-bottom:.5rem;grid-template-columns:5rem 4rem 1fr;"
	"gap:.2rem .5rem}.use i{grid-area:2/1/3/-1}table{font-size:13px}td,th{padding:.15rem .3rem}"
	".chart{min-width:44rem}}\n"
	"@page{margin:12mm}"
	"@media print{:root{color-scheme:light;--ink:#000;--paper:#fff;--soft:#444;--line:#bbb;"
	"--tint:#eee}body{max-width:none;margin:0;padding:0;font-size:8.5pt;line-height:1.3}"
	"h1{font-size:14pt}h2{font-size:10pt;margin:.9em 0 .2em;break-after:avoid}"
	"h2,.found,.chart,tr{break-inside:avoid}th button::after{content:'' !important}"
	".use i{print-color-adjust:exact}.use b{print-color-adjust:exact}"
	".wide,.nodes,.parts{overflow:visible;max-height:none}.nodes th{position:static}"
	"td,th{padding:0 .35rem}table{min-width:0;font-size:7pt;line-height:1.2}"
	"pre{columns:2;font-size:7pt}dl{font-size:7.5pt;line-height:1.2}.tables h2{margin-top:.5em}"
	".tables .wide{break-inside:avoid}.tables.one{columns:2}.tables.one table{font-size:6.5pt}"
	".chart{filter:none;width:auto;max-width:100%;max-height:13cm;margin:auto}}\n";

/* The glossary: terms on web pages that some readers may not know. */
const struct html_word html_words[] = {
	{ "system",
	  "CPU time in which the kernel worked for the programs: reading, writing, starting "
	  "processes, allocating memory" },
	{ "idle, tasks asleep",
	  "processes existed and waited neither for CPU nor disk nor memory, but for each other, "
	  "a network or a timer" },
	{ "idle, no task", "allocated CPUs for which the job had no process" },
	{ "uneven",
	  "(max - mean) / max of the nodes: the part of them that waits for the largest" },
	{ "stalled",
	  "time in which tasks waited for CPU, memory or I/O, as the kernel counts it" },
	{ "swap", "disk space that is used as memory; access to it is slow" },
	{ "page fault",
	  "a program touched memory that it did not have yet; major: the disk had it" },
	{ "past cache",
	  "bytes that went between the node and the servers of Lustre, and not only to and from "
	  "the node's own memory" },
	{ "resident", "memory of programs: neither the kernel's nor a cache of files" },
	{ "VmHWM, VmRSS",
	  "memory of a process: the most that the kernel noted, and the most in a sample" },
	{ "overflow, step back, restart",
	  "a counter that wrapped to 0 at its largest value; a counter that decreased once; a "
	  "counter that was reset to 0" },
	{ "inferred", "not the plain difference of two readings" },
	{ "KiB, MiB, GiB", "1024, 1024 x 1024 and so on bytes" },
};
const size_t n_html_words = ARRAY_SIZE(html_words);

/*
 * JavaScript that sorts a table when a column title is clicked: largest value first; at the next
 * click, smallest value first.
 */
const char html_script[] =
	"for(const t of document.querySelectorAll('table.sorts'))"
	"t.tHead.addEventListener('click',e=>{"
	"const h=e.target.closest('th');if(!h)return;"
	"const down=h.getAttribute('aria-sort')!=='descending',i=h.cellIndex,b=t.tBodies[0];"
	"const key=r=>r.cells[i].dataset.v===undefined?(i?-Infinity:r.cells[i].textContent)"
	":+r.cells[i].dataset.v;"
	"for(const x of t.tHead.rows[0].cells)x.removeAttribute('aria-sort');"
	"h.setAttribute('aria-sort',down?'descending':'ascending');"
	"const rows=[...b.rows].sort((p,q)=>{const x=key(p),y=key(q);"
	"return(x<y?-1:x>y?1:0)*(down?-1:1)});"
	"b.append(...rows)});\n";
