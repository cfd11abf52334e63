/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_event.c - write records of file operations in cluefs's format, and read them again
 *
 * C and a number, such as C15, name a line of the checklist of cluefs's format. Each line needs a
 * test (tests/gates/seeds.sh).
 */
#include "tests/unit/test.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include "filetrace/event_read.h"

/*
 * The examples in the documentation of cluefs (C15, C25-C31, C33-C43, C55): columns C1-C14, numbers
 * C19, flags C26. A process without a name has an empty field (C16). Blanks after three names of
 * types (C48) are left out. The documentation's JSON has three mistakes, which are corrected here:
 * rename is called "close", statfs is not marked as a directory, and stat names another file than
 * the CSV.
 */
static const struct {
	const char *csv, *json;		/* json: value of the member "op" */
	struct event e;
} seed[] = {
	{ "2015-03-23T10:05:48.615390733Z,"
	  "2015-03-23T10:05:48.615422757Z,32024,fabio,9986,lsst,1021,/usr/bin/bash,22902,"
	  "/home/fabio/data,dir,access,X_OK",
	  "{\"type\":\"access\",\"path\":\"/home/fabio/data\",\"isdir\":true,\"mode\":\"X_OK\"}",
	  { 1427105148615390733, 32024, STR("fabio"), STR("lsst"), 9986, 1021, 22902,
	    STR("/usr/bin/bash"), STR("/home/fabio/data"), true, OP_ACCESS, 0,
	    .flags = X_OK } },
	{ "2015-03-23T10:05:50.754493103Z,2015-03-23T10:05:50.754503307Z,10204,root,0,root,0,,0,"
	  "/home/fabio/data/hello.txt,file,close",
	  "{\"type\":\"close\",\"path\":\"/home/fabio/data/hello.txt\",\"isdir\":false}",
	  { 1427105150754493103, 10204, STR("root"), STR("root"), 0, 0, 0,
	    STR(""), STR("/home/fabio/data/hello.txt"), false, OP_CLOSE } },
	{ "2015-03-26T11:23:30.622824963Z,"
	  "2015-03-26T11:23:30.622847352Z,22389,fabio,9986,lsst,1021,/usr/bin/cp,14884,"
	  "/home/fabio/data/hello.txt,file,creat,O_WRONLY|O_CREAT|O_EXCL,0644",
	  "{\"type\":\"creat\",\"path\":\"/home/fabio/data/hello.txt\","
	  "\"isdir\":false,\"flags\":\"O_WRONLY|O_CREAT|O_EXCL\",\"perm\":\"0644\"}",
	  { 1427369010622824963, 22389, STR("fabio"), STR("lsst"), 9986, 1021, 14884,
	    STR("/usr/bin/cp"), STR("/home/fabio/data/hello.txt"), false, OP_CREAT, 0,
	    .flags = O_WRONLY | O_CREAT | O_EXCL, .mode = 0644 } },
	{ "2015-03-26T11:23:30.623721516Z,"
	  "2015-03-26T11:23:30.693056569Z,69335053,fabio,9986,lsst,1021,/usr/bin/cp,14884,"
	  "/home/fabio/data/hello.txt,file,flush",
	  "{\"type\":\"flush\",\"path\":\"/home/fabio/data/hello.txt\",\"isdir\":false}",
	  { 1427369010623721516, 69335053, STR("fabio"), STR("lsst"), 9986, 1021, 14884,
	    STR("/usr/bin/cp"), STR("/home/fabio/data/hello.txt"), false, OP_FLUSH } },
	{ "2015-03-26T11:23:30.43956521Z,"
	  "2015-03-26T11:23:30.439571041Z,5831,fabio,9986,lsst,1021,/usr/bin/bash,14861,"
	  "/home/fabio/data/hello.txt,file,getxattr,security.capability",
	  "{\"type\":\"getxattr\",\"path\":\"/home/fabio/data/hello.txt\","
	  "\"isdir\":false,\"name\":\"security.capability\"}",
	  { 1427369010439565210, 5831, STR("fabio"), STR("lsst"), 9986, 1021, 14861,
	    STR("/usr/bin/bash"), STR("/home/fabio/data/hello.txt"), false, OP_GETXATTR, 0,
	    .text = STR("security.capability") } },
	{ "2015-03-26T11:23:30.610836054Z,"
	  "2015-03-26T11:23:30.610843728Z,7674,fabio,9986,lsst,1021,/usr/bin/attr,14878,"
	  "/home/fabio/data/hello.txt,file,listxattr,65536",
	  "{\"type\":\"listxattr\",\"path\":\"/home/fabio/data/hello.txt\","
	  "\"isdir\":false,\"size\":65536}",
	  { 1427369010610836054, 7674, STR("fabio"), STR("lsst"), 9986, 1021, 14878,
	    STR("/usr/bin/attr"), STR("/home/fabio/data/hello.txt"), false, OP_LISTXATTR, 0,
	    .size = 65536 } },
	{ "2015-03-26T13:41:15.168675393Z,"
	  "2015-03-26T13:41:15.16870229Z,26897,fabio,9986,lsst,1021,/usr/bin/mkdir,15479,"
	  "/home/fabio/data/mydir,dir,mkdir,0755",
	  "{\"type\":\"mkdir\",\"path\":\"/home/fabio/data/mydir\","
	  "\"isdir\":true,\"mode\":\"0755\"}",
	  { 1427377275168675393, 26897, STR("fabio"), STR("lsst"), 9986, 1021, 15479,
	    STR("/usr/bin/mkdir"), STR("/home/fabio/data/mydir"), true, OP_MKDIR, 0,
	    .mode = 0755 } },
	{ "2015-03-26T13:41:15.025077899Z,"
	  "2015-03-26T13:41:15.02510926Z,31361,fabio,9986,lsst,1021,/usr/bin/bash,15457,"
	  "/home/fabio/data/hello.txt,file,open,O_WRONLY|O_APPEND,0001",
	  "{\"type\":\"open\",\"path\":\"/home/fabio/data/hello.txt\","
	  "\"isdir\":false,\"flags\":\"O_WRONLY|O_APPEND\",\"perm\":\"0001\"}",
	  { 1427377275025077899, 31361, STR("fabio"), STR("lsst"), 9986, 1021, 15457,
	    STR("/usr/bin/bash"), STR("/home/fabio/data/hello.txt"), false, OP_OPEN, 0,
	    .flags = O_WRONLY | O_APPEND, .mode = 01 } },
	{ "2015-03-26T13:41:15.117910671Z,"
	  "2015-03-26T13:41:15.117919662Z,8991,fabio,9986,lsst,1021,/usr/bin/cat,15472,"
	  "/home/fabio/data/hello.txt,file,read,36,0,4096,36",
	  "{\"type\":\"read\",\"path\":\"/home/fabio/data/hello.txt\","
	  "\"isdir\":false,\"filesize\":36,\"position\":0,\"bytesreq\":4096,\"bytesread\":36}",
	  { 1427377275117910671, 8991, STR("fabio"), STR("lsst"), 9986, 1021, 15472,
	    STR("/usr/bin/cat"), STR("/home/fabio/data/hello.txt"), false, OP_READ, 0,
	    .size = 36, .position = 0, .requested = 4096, .done = 36 } },
	{ "2015-03-26T13:41:15.171066715Z,"
	  "2015-03-26T13:41:15.171090152Z,23437,fabio,9986,lsst,1021,/usr/bin/ls,15480,"
	  "/home/fabio/data,dir,readdir",
	  "{\"type\":\"readdir\",\"path\":\"/home/fabio/data\",\"isdir\":true}",
	  { 1427377275171066715, 23437, STR("fabio"), STR("lsst"), 9986, 1021, 15480,
	    STR("/usr/bin/ls"), STR("/home/fabio/data"), true, OP_READDIR } },
	{ "2015-03-26T13:41:15.171454767Z,"
	  "2015-03-26T13:41:15.171460882Z,6115,fabio,9986,lsst,1021,/usr/bin/ls,15480,"
	  "/home/fabio/data/mylink,file,readlink",
	  "{\"type\":\"readlink\",\"path\":\"/home/fabio/data/mylink\",\"isdir\":false}",
	  { 1427377275171454767, 6115, STR("fabio"), STR("lsst"), 9986, 1021, 15480,
	    STR("/usr/bin/ls"), STR("/home/fabio/data/mylink"), false, OP_READLINK } },
	{ "2015-03-26T13:41:15.165516485Z,"
	  "2015-03-26T13:41:15.165527803Z,11318,fabio,9986,lsst,1021,/usr/bin/attr,15477,"
	  "/home/fabio/data/hello.txt,file,removexattr,user.test.example.org",
	  "{\"type\":\"removexattr\",\"path\":\"/home/fabio/data/hello.txt\","
	  "\"isdir\":false,\"name\":\"user.test.example.org\"}",
	  { 1427377275165516485, 11318, STR("fabio"), STR("lsst"), 9986, 1021, 15477,
	    STR("/usr/bin/attr"), STR("/home/fabio/data/hello.txt"), false, OP_REMOVEXATTR, 0,
	    .text = STR("user.test.example.org") } },
	{ "2015-03-26T13:41:15.285487273Z,"
	  "2015-03-26T13:41:15.28550402Z,16747,fabio,9986,lsst,1021,/usr/bin/mv,15482,"
	  "/home/fabio/data/hello.txt.copy,file,rename,/home/fabio/data/newfile.txt",
	  "{\"type\":\"rename\",\"old\":\"/home/fabio/data/hello.txt.copy\","
	  "\"isdir\":false,\"new\":\"/home/fabio/data/newfile.txt\"}",
	  { 1427377275285487273, 16747, STR("fabio"), STR("lsst"), 9986, 1021, 15482,
	    STR("/usr/bin/mv"), STR("/home/fabio/data/hello.txt.copy"), false, OP_RENAME, 0,
	    .text = STR("/home/fabio/data/newfile.txt") } },
	{ "2015-03-26T13:41:15.161938939Z,"
	  "2015-03-26T13:41:15.161951342Z,12403,fabio,9986,lsst,1021,/usr/bin/attr,15474,"
	  "/home/fabio/data/hello.txt,file,setxattr,user.test.example.org",
	  "{\"type\":\"setxattr\",\"path\":\"/home/fabio/data/hello.txt\","
	  "\"isdir\":false,\"name\":\"user.test.example.org\"}",
	  { 1427377275161938939, 12403, STR("fabio"), STR("lsst"), 9986, 1021, 15474,
	    STR("/usr/bin/attr"), STR("/home/fabio/data/hello.txt"), false, OP_SETXATTR, 0,
	    .text = STR("user.test.example.org") } },
	{ "2015-03-26T13:41:15.166624309Z,"
	  "2015-03-26T13:41:15.166632852Z,8543,fabio,9986,lsst,1021,/usr/bin/ln,15478,"
	  "/home/fabio/data/mylink,file,stat",
	  "{\"type\":\"stat\",\"path\":\"/home/fabio/data/mylink\",\"isdir\":false}",
	  { 1427377275166624309, 8543, STR("fabio"), STR("lsst"), 9986, 1021, 15478,
	    STR("/usr/bin/ln"), STR("/home/fabio/data/mylink"), false, OP_STAT } },
	{ "2015-03-26T13:41:15.166624309Z,"
	  "2015-03-26T13:41:15.166632852Z,8543,fabio,9986,lsst,1021,/usr/bin/df,15478,"
	  "/home/fabio/trace,dir,statfs",
	  "{\"type\":\"statfs\",\"path\":\"/home/fabio/trace\",\"isdir\":true}",
	  { 1427377275166624309, 8543, STR("fabio"), STR("lsst"), 9986, 1021, 15478,
	    STR("/usr/bin/df"), STR("/home/fabio/trace"), true, OP_STATFS } },
	{ "2015-03-26T13:41:15.167264101Z,"
	  "2015-03-26T13:41:15.167290789Z,26688,fabio,9986,lsst,1021,/usr/bin/ln,15478,"
	  "/home/fabio/data/mylink,file,symlink,/home/fabio/trace/hello.txt",
	  "{\"type\":\"symlink\",\"path\":\"/home/fabio/data/mylink\","
	  "\"isdir\":false,\"target\":\"/home/fabio/trace/hello.txt\"}",
	  { 1427377275167264101, 26688, STR("fabio"), STR("lsst"), 9986, 1021, 15478,
	    STR("/usr/bin/ln"), STR("/home/fabio/data/mylink"), false, OP_SYMLINK, 0,
	    .text = STR("/home/fabio/trace/hello.txt") } },
	{ "2015-03-26T13:41:14.877714466Z,"
	  "2015-03-26T13:41:15.024393866Z,146679400,fabio,9986,lsst,1021,/usr/bin/bash,15457,"
	  "/home/fabio/data/mylink,file,unlink",
	  "{\"type\":\"unlink\",\"path\":\"/home/fabio/data/mylink\",\"isdir\":false}",
	  { 1427377274877714466, 146679400, STR("fabio"), STR("lsst"), 9986, 1021, 15457,
	    STR("/usr/bin/bash"), STR("/home/fabio/data/mylink"), false, OP_UNLINK } },
	{ "2015-03-26T13:41:14.877412036Z,"
	  "2015-03-26T13:41:14.877434607Z,22571,fabio,9986,lsst,1021,/usr/bin/bash,15457,"
	  "/home/fabio/data/hello.txt,file,write,0,15,15",
	  "{\"type\":\"write\",\"path\":\"/home/fabio/data/hello.txt\","
	  "\"isdir\":false,\"position\":0,\"bytesreq\":15,\"byteswritten\":15}",
	  { 1427377274877412036, 22571, STR("fabio"), STR("lsst"), 9986, 1021, 15457,
	    STR("/usr/bin/bash"), STR("/home/fabio/data/hello.txt"), false, OP_WRITE, 0,
	    .position = 0, .requested = 15, .done = 15 } },
};

/* Start of the first example as JSON: members in cluefs's order, without blanks (C17, C18). */
static const char header[] =
	"{\"hdr\":{\"start\":\"2015-03-23T10:05:48.615390733Z\","
	"\"end\":\"2015-03-23T10:05:48.615422757Z\",\"nselaps\":32024,\"uid\":9986,"
	"\"usr\":\"fabio\",\"gid\":1021,\"grp\":\"lsst\",\"pid\":22902,"
	"\"proc\":\"/usr/bin/bash\"},\"op\":";

static struct str line_of(struct buf *b, const struct event *e, bool json, bool with_result)
{
	b->n = 0;
	(json ? event_put_json : event_put_csv)(b, e, with_result);
	return buf_str(b);
}

static void assert_str(struct str s, const char *text)
{
	assert_int_equal(s.n, strlen(text));
	assert_memory_equal(s.p, text, s.n);
}

TEST(each_example_of_the_seed_is_written_as_csv)
{
	struct buf b = { 0 };
	/* cluefs's documentation has no example of setattr */
	assert_int_equal(ARRAY_SIZE(seed), OPS_OF_SEED - 1);
	for (size_t i = 0; i < ARRAY_SIZE(seed); i++) {
		struct str line = line_of(&b, &seed[i].e, false, false);
		line.n--;
		assert_str(line, seed[i].csv);
	}
	buf_free(&b);
}

TEST(each_example_of_the_seed_is_written_as_json)
{
	struct buf b = { 0 };
	for (size_t i = 0; i < ARRAY_SIZE(seed); i++) {
		struct str line = line_of(&b, &seed[i].e, true, false);
		if (i == 0)
			assert_true(str_starts(line, str_of(header)));
		const char *op = strstr(line.p, "\"op\":") + strlen("\"op\":");
		line = str_skip(line, (size_t)(op - line.p));
		assert_str((struct str){ line.p, line.n - 2 }, seed[i].json);
	}
	buf_free(&b);
}

/*
 * In cluefs's format, setattr has no values of its own (C22). nodometer may add the result to a
 * record (C44).
 */
TEST(setattr_has_only_common_values_and_a_result_comes_last)
{
	struct buf b = { 0 };
	struct event e = seed[0].e;
	e.op = OP_SETATTR;
	e.result = EACCES;
	assert_true(str_ends(line_of(&b, &e, false, false), STR("/home/fabio/data,dir,setattr\n")));
	assert_true(str_ends(line_of(&b, &e, false, true), STR(",setattr,13\n")));
	assert_true(str_ends(line_of(&b, &e, true, true),
			     STR("{\"type\":\"setattr\",\"path\":\"/home/fabio/data\","
				 "\"isdir\":true,\"result\":13}}\n")));
	buf_free(&b);
}

/*
 * cluefs writes the flags of access (C23) and open (C26) in this order, and omits other flags such
 * as O_CLOEXEC and O_DSYNC.
 */
TEST(flags_of_access_and_open_have_the_seeds_order)
{
	static const struct {
		enum operation op;
		uint32_t flags;
		const char *end;
	} cases[] = {
		{ OP_ACCESS, F_OK,                      ",access,F_OK\n" },
		{ OP_ACCESS, R_OK | W_OK | X_OK,        ",access,X_OK|W_OK|R_OK\n" },
		{ OP_OPEN,   O_RDONLY | O_CLOEXEC,      ",open,O_RDONLY,0000\n" },
		{ OP_OPEN,   O_RDWR | O_TRUNC | O_SYNC, ",open,O_RDWR|O_TRUNC|O_SYNC,0000\n" },
		{ OP_OPEN,   O_WRONLY | O_DSYNC,        ",open,O_WRONLY,0000\n" },
		{ OP_OPEN,   O_ACCMODE,                 ",open,O_ACCMODE,0000\n" },
	};
	struct buf b = { 0 };
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct event e = { .op = cases[i].op, .flags = cases[i].flags };
		assert_true(str_ends(line_of(&b, &e, false, false), str_of(cases[i].end)));
	}
	buf_free(&b);
}

/* cluefs omits trailing zeros of a fraction, and the dot if no digit is left (C2). */
TEST(time_without_a_fraction_has_no_dot)
{
	struct buf b = { 0 };
	struct event e = { .start = 1427105148LL * 1000000000, .ns = 500000000 };
	assert_true(str_starts(line_of(&b, &e, false, false),
			       STR("2015-03-23T10:05:48Z,2015-03-23T10:05:48.5Z,500000000,")));
	buf_free(&b);
}

/* Names of files may have any bytes that Linux allows (C20, C21). */
static const struct {
	struct str path;
	const char *csv, *json;
} names[] = {
	{ STR("/a b"),       ",/a b,",            "\"/a b\"," },
	{ STR("/a,b"),       ",\"/a,b\",",        "\"/a,b\"," },
	{ STR("/a\"b"),      ",\"/a\"\"b\",",    "\"/a\\\"b\"," },
	{ STR("/a\nb"),      ",\"/a\nb\",",       "\"/a\\u000ab\"," },
	{ STR("/\xc3\xa9<>&"), ",/\xc3\xa9<>&,", "\"/\xc3\xa9<>&\"," },
	{ STR("/\xff"),      ",/\xff,",          "\"/\\ufffd\",\"path_hex\":\"2fff\"," },
};

TEST(names_of_any_bytes_are_kept)
{
	struct buf b = { 0 };
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct event e = { .op = OP_STAT, .path = names[i].path };
		line_of(&b, &e, false, false);
		buf_add_char(&b, '\0');
		assert_non_null(strstr(b.p, names[i].csv));
		line_of(&b, &e, true, false);
		buf_add_char(&b, '\0');
		assert_non_null(strstr(b.p, names[i].json));
	}
	buf_free(&b);
}

static void assert_same(const struct event *read, const struct event *e)
{
	assert_int_equal(read->start, e->start);
	assert_int_equal(read->ns, e->ns);
	assert_int_equal(read->uid, e->uid);
	assert_int_equal(read->gid, e->gid);
	assert_int_equal(read->pid, e->pid);
	assert_int_equal(read->op, e->op);
	assert_int_equal(read->is_dir, e->is_dir);
	assert_true(str_eq(read->path, e->path));
	assert_true(str_eq(read->process, e->process));
	assert_true(str_eq(read->user, e->user));
	assert_true(str_eq(read->group, e->group));
	assert_true(str_eq(read->text, e->text));
	assert_int_equal(read->size, e->size);
	assert_int_equal(read->position, e->position);
	assert_int_equal(read->requested, e->requested);
	assert_int_equal(read->done, e->done);
	assert_int_equal(read->lost, e->lost);
	assert_int_equal(read->calls32, e->calls32);
	assert_int_equal(read->result, e->result);
}

TEST(written_records_can_be_read_again)
{
	struct buf b = { 0 };
	struct event_line l = { 0 };
	for (size_t i = 0; i < ARRAY_SIZE(seed); i++)
		for (int form = 0; form < 4; form++) {
			struct event e = seed[i].e;
			if (form & 2) {
				e.path = names[i % 4].path;
				e.result = ENOENT;
			}
			struct str line = line_of(&b, &e, form & 1, form & 2);
			assert_int_equal(event_parse(&line, true, &l), 0);
			assert_int_equal(line.n, 0);
			assert_int_equal(l.has_result, (form & 2) != 0);
			assert_same(&l.e, &e);
		}
	event_line_free(&l);
	buf_free(&b);
}

/* The kernel's error numbers end at 4095 (MAX_ERRNO in include/linux/err.h). */
TEST(a_result_is_an_error_number)
{
	struct buf b = { 0 };
	struct event_line l = { 0 };
	for (int json = 0; json < 2; json++) {
		struct event e = { .op = OP_STAT, .path = STR("/a"), .result = 4095 };
		struct str line = line_of(&b, &e, json, true);
		assert_int_equal(event_parse(&line, true, &l), 0);
		assert_int_equal(l.e.result, 4095);
		e.result = 4096;
		line = line_of(&b, &e, json, true);
		assert_true(event_parse(&line, true, &l) < 0 || !l.has_result);
	}
	event_line_free(&l);
	buf_free(&b);
}

TEST(losses_are_a_record_with_the_common_columns)
{
	struct buf b = { 0 };
	struct event_line l = { 0 };
	const struct event e = { .start = 1427105148LL * 1000000000, .ns = 500000000,
				 .op = OP_LOST, .lost = 12, .calls32 = 3 };
	assert_str(line_of(&b, &e, false, false),
		   "2015-03-23T10:05:48Z,2015-03-23T10:05:48.5Z,500000000,"
		   ",0,,0,,0,,file,lost,12,3\n");
	assert_true(str_ends(line_of(&b, &e, true, false),
			     STR("\"op\":{\"type\":\"lost\",\"path\":\"\",\"isdir\":false,"
				 "\"records\":12,\"calls32\":3}}\n")));
	for (int form = 0; form < 4; form++) {
		struct str line = line_of(&b, &e, form & 1, form & 2);
		assert_int_equal(event_parse(&line, true, &l), 0);
		assert_same(&l.e, &e);
	}
	event_line_free(&l);
	buf_free(&b);
}

TEST(record_cut_off_anywhere_is_refused)
{
	struct buf b = { 0 };
	struct event_line l = { 0 };
	for (size_t i = 0; i < ARRAY_SIZE(seed); i++)
		for (int json = 0; json < 2; json++) {
			size_t n = line_of(&b, &seed[i].e, json, false).n;
			for (size_t cut = 1; cut < n; cut++) {
				struct str part = { b.p, cut };
				assert_int_equal(event_parse(&part, false, &l), -EAGAIN);
				assert_int_equal(part.n, cut);
				assert_int_equal(event_parse(&part, true, &l), -EBADMSG);
				assert_int_equal(part.n, 0);
			}
		}
	event_line_free(&l);
	buf_free(&b);
}

TEST(empty_last_value_is_read)
{
	struct buf b = { 0 };
	struct event_line l = { 0 };
	struct event e = { .op = OP_GETXATTR, .path = STR("/a") };
	struct str line = line_of(&b, &e, false, false);
	assert_true(str_ends(line, STR(",getxattr,\n")));
	assert_int_equal(event_parse(&line, true, &l), 0);
	assert_int_equal(l.e.text.n, 0);
	line = line_of(&b, &e, true, false);
	assert_int_equal(event_parse(&line, true, &l), 0);
	e.op = OP_STAT;
	line_of(&b, &e, true, false);
	/* the operation "open" needs flags, which this line lacks */
	memcpy(strstr(b.p, "stat"), "open", 4);
	line = buf_str(&b);
	assert_int_equal(event_parse(&line, true, &l), -EBADMSG);
	event_line_free(&l);
	buf_free(&b);
}

TEST(name_with_a_nul_is_refused)
{
	struct buf b = { 0 };
	struct event_line l = { 0 };
	struct event e = { .op = OP_STAT, .path = { "/a\0b", 4 } };
	for (int json = 0; json < 2; json++) {
		struct str line = line_of(&b, &e, json, false);
		assert_int_equal(event_parse(&line, true, &l), -EBADMSG);
		assert_int_equal(line.n, 0);
	}
	event_line_free(&l);
	buf_free(&b);
}

TEST(unclosed_quote_does_not_take_all_memory)
{
	struct event_line l = { 0 };
	char *text = malloc(EVENT_BYTES_MAX + 2);
	memset(text, 'x', EVENT_BYTES_MAX + 2);
	text[0] = '"';
	struct str in = { text, EVENT_BYTES_MAX + 2 };
	assert_int_equal(event_parse(&in, false, &l), -EMSGSIZE);
	free(text);
	event_line_free(&l);
}

TEST(operations_are_chosen_by_name)
{
	uint32_t set = 0;
	struct str bad;
	assert_int_equal(operations_parse(STR("read,write"), &set, &bad), 0);
	assert_int_equal(set, OPERATION(OP_READ) | OPERATION(OP_WRITE));
	assert_int_equal(operations_parse(STR("all"), &set, &bad), 0);
	assert_true(set & OPERATION(OP_COPY));
	assert_int_equal(set, OPERATION(OPERATIONS) - 1);
	assert_int_equal(operations_parse(STR("read,raed"), &set, &bad), -EINVAL);
	assert_true(str_eq(bad, STR("raed")));
	assert_int_equal(operations_parse(STR("lost"), &set, &bad), -EINVAL);
}

int main(void)
{
	RUN(cmocka_unit_test(each_example_of_the_seed_is_written_as_csv),
	    cmocka_unit_test(each_example_of_the_seed_is_written_as_json),
	    cmocka_unit_test(setattr_has_only_common_values_and_a_result_comes_last),
	    cmocka_unit_test(flags_of_access_and_open_have_the_seeds_order),
	    cmocka_unit_test(time_without_a_fraction_has_no_dot),
	    cmocka_unit_test(names_of_any_bytes_are_kept),
	    cmocka_unit_test(written_records_can_be_read_again),
	    cmocka_unit_test(a_result_is_an_error_number),
	    cmocka_unit_test(losses_are_a_record_with_the_common_columns),
	    cmocka_unit_test(record_cut_off_anywhere_is_refused),
	    cmocka_unit_test(empty_last_value_is_read),
	    cmocka_unit_test(name_with_a_nul_is_refused),
	    cmocka_unit_test(unclosed_quote_does_not_take_all_memory),
	    cmocka_unit_test(operations_are_chosen_by_name));
}
