/* The functions whose calls are measured, twice: plain.c and traced.c define NAME and
   include this file, and only traced.c is compiled for a tracer. They do what the
   Go packages plain and traced do. */

__attribute__((noinline)) long NAME(leaf)(long a, long n)
{
	long s = a * n;
	s ^= s >> 7;
	s += s << 3;
	s ^= s >> 11;
	return s ^ n;
}

__attribute__((noinline)) long NAME(recurse)(long n)
{
	if (n == 0)
		return 0;
	long r = NAME(recurse)(n - 1);
	__asm__ volatile("" : "+r"(r)); /* or the compiler makes a loop of it */
	return r + 1;
}
