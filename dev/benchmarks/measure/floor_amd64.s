#include "textflag.h"

// func Floor(n int)
// The same as package runtime's WMFloor, which programs have that waymark built.
TEXT ·Floor(SB),NOSPLIT,$0-8
	MOVQ n+0(FP), CX
	XORL BX, BX
loop:
	RDTSC
	ADDQ AX, BX
	RDTSC
	ADDQ AX, BX
	DECQ CX
	JNZ  loop
	RET
