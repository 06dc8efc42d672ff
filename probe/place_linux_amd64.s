#include "textflag.h"

// func place(site uintptr, words *[12]uint64)
//
// The frame is larger than the code here needs: a kernel that replaces the nop by a call pushes
// 32 bytes below the return address. R14 and R15 are not arguments: Go has g in R14.
TEXT ·place(SB), NOSPLIT, $128-16
	MOVQ site+0(FP), R15
	MOVQ words+8(FP), R13
	MOVQ 0(R13), AX
	MOVQ 8(R13), BX
	MOVQ 16(R13), CX
	MOVQ 24(R13), DX
	MOVQ 32(R13), SI
	MOVQ 40(R13), DI
	MOVQ 48(R13), R8
	MOVQ 56(R13), R9
	MOVQ 64(R13), R10
	MOVQ 72(R13), R11
	MOVQ 80(R13), R12
	MOVQ 88(R13), R13
	CALL R15
	RET
