package main

/*
#include <time.h>
extern void again(void);
static void nap(void) { struct timespec t = {0, 7000000}; nanosleep(&t, 0); }
static void back(void) { nap(); again(); nap(); }
*/
import "C"

import "time"

func cgo() {
	for i := 0; i < 4; i++ {
		C.nap()
	}
	C.back()
}

//export again
func again() { time.Sleep(3 * time.Millisecond) }
