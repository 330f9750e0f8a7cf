/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages. Text of scenarios and programs is untrusted: whatever goes to a terminal is made one line of valid UTF-8
 * without control characters first.
 */
#include "runner/report.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include "base/str.h"
#include "runner/world.h"

void pg_clean_line(struct pg_str *out, const char *s, size_t n)
{
	size_t from = out->len;

	pg_utf8_clean(out, s, n);
	for (size_t i = from; i < out->len; i++) {
		unsigned char c = (unsigned char)out->s[i];

		if (c < 0x20 || c == 0x7f)
			out->s[i] = '?';
		/* C1 controls U+0080..U+009F: a terminal may act on them as on ESC sequences. */
		if (c == 0xc2 && i + 1 < out->len && (unsigned char)out->s[i + 1] < 0xa0)
			out->s[i] = out->s[i + 1] = '?';
	}
}

/* One write for the whole line, so that lines of several processes do not mix. */
static void put_line(const struct pg_world *w, struct pg_str *line)
{
	struct pg_str clean;

	pg_str_init(&clean);
	pg_clean_line(&clean, pg_str_text(line), line->len);
	pg_str_addc(&clean, '\n');
	if (!line->failed && !clean.failed)
		fwrite(clean.s, 1, clean.len, w->err);
	else
		fputs("perfgrid: out of memory\n", w->err);
	fflush(w->err);
	pg_str_release(&clean);
}

void pg_report(const struct pg_world *w, const struct pg_err *e, bool note)
{
	struct pg_str line;

	pg_str_init(&line);
	if (e->loc.file) {
		pg_str_adds(&line, e->loc.file);
		if (e->loc.line > 0) {
			pg_str_addf(&line, ":%u", e->loc.line);
			if (e->loc.col > 0)
				pg_str_addf(&line, ":%u", e->loc.col);
		}
	} else {
		pg_str_adds(&line, "perfgrid");
	}
	pg_str_adds(&line, note ? ": note: " : ": ");
	pg_str_adds(&line, e->msg);
	put_line(w, &line);
	pg_str_release(&line);
}

static void say(const struct pg_world *w, const char *name, const char *fmt, va_list ap)
	__attribute__((format(printf, 3, 0)));
static void say(const struct pg_world *w, const char *name, const char *fmt, va_list ap)
{
	char text[1024];
	struct pg_str line;

	vsnprintf(text, sizeof(text), fmt, ap);
	pg_str_init(&line);
	pg_str_addf(&line, "%s: %s", name, text);
	put_line(w, &line);
	pg_str_release(&line);
}

void pg_say(const struct pg_world *w, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(w, "perfgrid", fmt, ap);
	va_end(ap);
}

void pg_say_as(const struct pg_world *w, const char *name, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(w, name, fmt, ap);
	va_end(ap);
}

int pg_status_of(const struct pg_err *e)
{
	switch (e->code) {
	case PG_OK:
		return PG_EXIT_OK;
	case PG_EDAMAGED:
	case PG_EWRITE:
		return PG_EXIT_WRITE;
	case PG_EFAILED:
		return PG_EXIT_FAILED;
	case PG_EUSAGE:
	case PG_EINPUT:
	case PG_ENOMEM:
	case PG_ESYS:
	case PG_EUNSUPPORTED:
	case PG_EBUSY:
		break;
	}
	return PG_EXIT_USAGE;
}

int pg_fail_status(const struct pg_world *w, const struct pg_err *e)
{
	pg_report(w, e, false);
	return pg_status_of(e);
}

int pg_stdout_write(void *world, const char *s, size_t n)
{
	struct pg_world *w = world;

	if (w->out_errno)
		return -1;
	errno = 0;
	if (fwrite(s, 1, n, w->out) == n)
		return 0;
	w->out_errno = errno ? errno : EIO;
	return -1;
}

int pg_stdout_text(struct pg_world *w, struct pg_str *text)
{
	int r = -1;

	if (text->failed)
		w->out_errno = w->out_errno ? w->out_errno : ENOMEM;
	else
		r = pg_stdout_write(w, pg_str_text(text), text->len);
	pg_str_reset(text);
	return r;
}

int pg_stdout_flush(struct pg_world *w)
{
	errno = 0;
	if (!w->out_errno && fflush(w->out) != 0)
		w->out_errno = errno ? errno : EIO;
	return w->out_errno ? -1 : 0;
}

int pg_stdout_done(struct pg_world *w, int status)
{
	if (pg_stdout_flush(w) == 0)
		return status;
	if (w->out_errno == EPIPE)
		return PG_EXIT_SIGNAL + SIGPIPE;
	pg_say_unwritten(w, "perfgrid");
	return PG_EXIT_WRITE;
}

void pg_say_unwritten(const struct pg_world *w, const char *name)
{
	pg_say_as(w, name, "cannot write standard output: %s; send it to a file with room, or to /dev/null",
		  strerror(w->out_errno));
}

static void on_write_signal(int sig)
{
	(void)sig;
}

void pg_handle_write_signals(void)
{
	struct sigaction sa = {.sa_handler = on_write_signal, .sa_flags = SA_RESTART};

	sigemptyset(&sa.sa_mask);
	sigaction(SIGPIPE, &sa, NULL);
	sigaction(SIGXFSZ, &sa, NULL); /* a file-size limit is a full disk */
}

void pg_human_time(struct pg_str *out, double seconds)
{
	double s = seconds > 0 ? seconds : 0;
	unsigned long long whole;

	if (s < 9.95) {
		pg_str_addf(out, "%.1fs", s);
		return;
	}
	if (s > 3.0e9) {
		pg_str_adds(out, "over 95 years");
		return;
	}
	whole = (unsigned long long)llround(s);
	if (whole < 60)
		pg_str_addf(out, "%llus", whole);
	else if (whole < 3600)
		pg_str_addf(out, "%llumin %llus", whole / 60, whole % 60);
	else if (whole < 86400)
		pg_str_addf(out, "%lluh %llumin", whole / 3600, whole / 60 % 60);
	else
		pg_str_addf(out, "%llud %lluh", whole / 86400, whole / 3600 % 24);
}
