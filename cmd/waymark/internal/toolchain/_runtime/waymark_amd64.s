#include "go_asm.h"
#include "textflag.h"

// Both routines are ABIInternal: arguments and results in AX, g in R14, every
// other register is free. RDTSC comes after the loads that it need not wait for.
// The chunk is left for the slow path when the goroutine is not the one that
// wrote last on this P, or when the position is a multiple of the chunk size:
// full, or none yet. The word is stored before the clock, which commits it.

// func WMEnter(s WMSite) WMFrame
TEXT ·WMEnter<ABIInternal>(SB),NOSPLIT|NOFRAME,$0-16
	MOVL AX, CX
	MOVQ g_m(R14), BX
	MOVQ g_goid(R14), SI
	MOVQ m_p(BX), BX
	RDTSC
	MOVQ p_wmPos(BX), DI
	CMPQ SI, p_wmGoid(BX)
	JNE  slow
	TESTL $0xffff, DI
	JEQ  slow
	SHLQ $32, DX
	ORQ  DX, AX
	MOVQ (g_stack+stack_hi)(R14), DX
	SUBQ SP, DX
	SHLQ $32, CX
	ORQ  DX, CX
	MOVQ CX, 8(DI)
	MOVQ AX, (DI)
	ADDQ $16, DI
	MOVQ DI, p_wmPos(BX)
	MOVQ CX, AX
	RET
slow:
	MOVL CX, AX
	JMP  ·wmSlowEnter<ABIInternal>(SB)

// func WMExit(f WMFrame)
TEXT ·WMExit<ABIInternal>(SB),NOSPLIT|NOFRAME,$0-8
	MOVQ AX, CX
	MOVQ g_m(R14), BX
	MOVQ g_goid(R14), SI
	MOVQ m_p(BX), BX
	RDTSC
	MOVQ p_wmPos(BX), DI
	CMPQ SI, p_wmGoid(BX)
	JNE  slow
	TESTL $0xffff, DI
	JEQ  slow
	SHLQ $32, DX
	ORQ  DX, AX
	BTSQ $63, CX
	MOVQ CX, 8(DI)
	MOVQ AX, (DI)
	ADDQ $16, DI
	MOVQ DI, p_wmPos(BX)
	RET
slow:
	MOVQ CX, AX
	JMP  ·wmSlowExit<ABIInternal>(SB)

// func WMFloor(n int) uint64
// Reads the time stamp counter 2*n times: the cost that every figure is compared with.
TEXT ·WMFloor<ABIInternal>(SB),NOSPLIT|NOFRAME,$0-16
	MOVQ AX, CX
	XORL BX, BX
loop:
	RDTSC
	ADDQ AX, BX
	RDTSC
	ADDQ AX, BX
	DECQ CX
	JNZ  loop
	MOVQ BX, AX
	RET

// func wmTicks() uint64
TEXT ·wmTicks<ABIInternal>(SB),NOSPLIT|NOFRAME,$0-8
	RDTSC
	SHLQ $32, DX
	ORQ  DX, AX
	RET

// func wmCPUID(leaf uint32) (eax, ebx, ecx, edx uint32)
TEXT ·wmCPUID(SB),NOSPLIT,$0-24
	MOVL leaf+0(FP), AX
	XORL CX, CX
	CPUID
	MOVL AX, eax+8(FP)
	MOVL BX, ebx+12(FP)
	MOVL CX, ecx+16(FP)
	MOVL DX, edx+20(FP)
	RET
