/* The C program that tracers for C are measured with: what benchmarks/ladder is for Go.

     workload RUNG CALLS TURNS   turns of so many calls, plain and traced; prints their medians as
                                 JSON, as package measure reads them
     workload RUNG CALLS         so many traced calls, and nothing else */

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#ifdef __x86_64__
#include <x86intrin.h>
#endif

long plain_leaf(long a, long n), traced_leaf(long a, long n);
long plain_recurse(long n), traced_recurse(long n);

/* A tracer that must be told to begin and to end has these. */
__attribute__((weak)) void tracer_begin(void), tracer_end(void);

enum { depth = 10, factor = 0x9E37 };

static volatile long sink;

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static void leaves(long f(long, long), long n)
{
	long s = 0;
	for (long i = 0; i < n; i++)
		s += f(i, factor);
	sink = s;
}

static void recursions(long f(long), long n)
{
	long s = 0;
	for (long i = 0; i < n / depth; i++)
		s += f(depth - 1);
	sink = s;
}

/* floor_ reads the time stamp counter 2*n times. */
static void floor_(long n)
{
#ifdef __x86_64__
	unsigned long s = 0;
	for (long i = 0; i < n; i++) {
		s += __rdtsc();
		s += __rdtsc();
	}
	sink = s;
#else
	for (long i = 0; i < 2 * n; i++)
		sink = now();
#endif
}

static void plain_leaves(long n) { leaves(plain_leaf, n); }
static void traced_leaves(long n) { leaves(traced_leaf, n); }
static void plain_recursions(long n) { recursions(plain_recurse, n); }
static void traced_recursions(long n) { recursions(traced_recurse, n); }

static double run(void f(long), long n)
{
	double start = now();
	f(n);
	return (now() - start) / n;
}

static int less(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double median(double *list, int n)
{
	qsort(list, n, sizeof *list, less);
	return list[n / 2];
}

static void measure(const char *rung, const char *shape, void plain(long), void traced(long), long calls, int turns)
{
	double *fl = calloc(4 * turns, sizeof *fl), *pl = fl + turns, *tr = pl + turns, *over = tr + turns;
	if (fl == NULL)
		abort();
	run(plain, calls);
	run(traced, calls);
	for (int i = 0; i < turns; i++) {
		fl[i] = run(floor_, 100000);
		pl[i] = run(plain, calls);
		tr[i] = run(traced, calls);
		over[i] = tr[i] - pl[i];
	}
	printf("{\"Rung\":\"%s\",\"Shape\":\"%s\",\"Floor\":%f,\"Plain\":%f,\"Traced\":%f,\"Over\":%f,\"Events\":%ld}\n",
	       rung, shape, median(fl, turns), median(pl, turns), median(tr, turns), median(over, turns),
	       2 * calls * (turns + 1));
	free(fl);
}

int main(int argc, char **argv)
{
	long calls = argc > 2 ? atol(argv[2]) : 0;
	int turns = argc > 3 ? atoi(argv[3]) : 0;
	if (calls < depth || (argc > 3 && turns < 1)) {
		fprintf(stderr, "workload: want RUNG CALLS [TURNS], at least %d calls\n", depth);
		return 2;
	}
	if (tracer_begin)
		tracer_begin();
	if (argc == 3) {
		traced_leaves(calls);
		printf("{\"Rung\":\"%s\",\"Shape\":\"calls\",\"Events\":%ld}\n", argv[1], 2 * calls);
	} else {
		measure(argv[1], "leaf", plain_leaves, traced_leaves, calls, turns);
		measure(argv[1], "recursion 10", plain_recursions, traced_recursions, calls / depth * depth, turns);
	}
	if (tracer_end)
		tracer_end();
	return 0;
}
