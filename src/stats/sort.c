/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sorting of doubles without a call per comparison: insertion for short runs, quicksort above, heapsort where quicksort
 * goes deep. */
#include "stats/stats.h"

#include <assert.h>

#define SHORT_RUN 24

static void insertion(double *x, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		double v = x[i];
		size_t k = i;

		for (; k > 0 && v < x[k - 1]; k--)
			x[k] = x[k - 1];
		x[k] = v;
	}
}

static void sift(double *x, size_t root, size_t n)
{
	double v = x[root];
	size_t child;

	while ((child = 2 * root + 1) < n) {
		if (child + 1 < n && x[child] < x[child + 1])
			child++;
		if (!(v < x[child]))
			break;
		x[root] = x[child];
		root = child;
	}
	x[root] = v;
}

static void heap(double *x, size_t n)
{
	for (size_t i = n / 2; i-- > 0;)
		sift(x, i, n);
	while (n > 1) {
		double top = x[0];

		n--;
		x[0] = x[n];
		x[n] = top;
		sift(x, 0, n);
	}
}

static double middle(double a, double b, double c)
{
	if (a < b)
		return b < c ? b : a < c ? c : a;
	return a < c ? a : b < c ? c : b;
}

/*
 * Hoare's partition: values up to the pivot in front of the returned index, values from the pivot on behind it. As the
 * pivot is the middle one of three, a value on each side stops the scans: 0 < index < n.
 */
static size_t partition(double *x, size_t n)
{
	double pivot = middle(x[0], x[n / 2], x[n - 1]);
	size_t i = 0, k = n - 1;

	for (;;) {
		while (x[i] < pivot)
			i++;
		while (pivot < x[k])
			k--;
		if (i >= k)
			break;
		double t = x[i];

		x[i++] = x[k];
		x[k--] = t;
	}
	assert(i > 0 && i < n);
	return i;
}

static void quick(double *x, size_t n, unsigned depth)
{
	while (n > SHORT_RUN) {
		size_t cut;

		if (depth == 0) {
			heap(x, n);
			return;
		}
		depth--;
		cut = partition(x, n);
		if (cut < n - cut) {
			quick(x, cut, depth);
			x += cut;
			n -= cut;
		} else {
			quick(x + cut, n - cut, depth);
			n = cut;
		}
	}
	insertion(x, n);
}

void pg_sort(double *x, size_t n)
{
	unsigned depth = 2;

	for (size_t i = n; i > 1; i /= 2)
		depth += 2;
	quick(x, n, depth);
}
