package main

/*
#include <time.h>
static void nap(void) { struct timespec t = {0, 7000000}; nanosleep(&t, 0); }
*/
import "C"

func cgo() {
	for i := 0; i < 4; i++ {
		C.nap()
	}
}
