#include "go_asm.h"
#include "textflag.h"

// Both routines are ABIInternal: arguments and results in AX, g in R14, every
// other register is free. RDTSC comes after the loads that it need not wait for.
// The chunk is left for the slow path when the goroutine is not the one that
// wrote last on this P, or when the position is a multiple of the chunk size:
// full, or none yet; or when monitors see the call, which the highest bit of the
// site's word or the frame says. The word is stored before the clock, which commits it.

// func WMEnter(s WMSite) WMFrame
TEXT ·WMEnter<ABIInternal>(SB),NOSPLIT|NOFRAME,$0-16
	MOVL AX, CX
	TESTL CX, CX
	JMI  slow
	MOVQ g_m(R14), BX
	MOVQ g_wmID(R14), SI
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
	TESTQ CX, CX
	JMI  slow
	MOVQ g_m(R14), BX
	MOVQ g_wmID(R14), SI
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

// INTS writes behind the record at R12, of the time AX, what BX says the integers CX,
// DI, SI and R8 are, and those; marks the chunk as one with values (wmHeldValues); and
// moves the position of the P R11 behind them. One or two records hold the integers.
#define INTS \
	MOVQ CX, 32(R12);         \
	MOVQ DI, 40(R12);         \
	MOVQ SI, 48(R12);         \
	MOVQ R8, 56(R12);         \
	MOVQ $(0x7F0B<<48), R10;  \
	ORQ  BX, R10;             \
	MOVQ R10, 24(R12);        \
	MOVQ AX, 16(R12);         \
	MOVQ R12, R10;            \
	ANDQ $~0xffff, R10;       \
	MOVL $1, 36(R10);         \
	ANDL $7, BX;              \
	INCL BX;                  \
	SHRL $1, BX;              \
	SHLQ $4, BX;              \
	LEAQ 32(R12)(BX*1), R12;  \
	MOVQ R12, p_wmPos(R11)

// func WMEnterInts(s WMSite, kinds, a, b, c, d uint64) WMFrame
// WMEnter with integers. They are stored before the clock that commits them.
TEXT ·WMEnterInts<ABIInternal>(SB),NOSPLIT|NOFRAME,$0-56
	MOVL AX, R10                     // site; BX kinds, CX a, DI b, SI c, R8 d
	TESTL R10, R10
	JMI  slow
	MOVQ g_m(R14), R11
	MOVQ g_wmID(R14), R9
	MOVQ m_p(R11), R11
	RDTSC
	MOVQ p_wmPos(R11), R12
	CMPQ R9, p_wmGoid(R11)
	JNE  slow
	MOVL R12, R9
	ANDL $0xffff, R9
	JEQ  slow
	CMPL R9, $(0x10000-64)
	JHI  slow
	CMPB ·wmCaptured(SB), $0         // its first field: args
	JEQ  slow
	SHLQ $32, DX
	ORQ  DX, AX
	MOVQ (g_stack+stack_hi)(R14), R13
	SUBQ SP, R13
	SHLQ $32, R10
	ORQ  R10, R13                    // the frame
	MOVQ R13, 8(R12)
	MOVQ AX, (R12)
	INTS
	MOVQ R13, AX
	RET
slow:
	MOVL R10, AX
	JMP  ·wmSlowEnterInts<ABIInternal>(SB)

// func WMExitInts(f WMFrame, kinds, a, b, c, d uint64)
TEXT ·WMExitInts<ABIInternal>(SB),NOSPLIT|NOFRAME,$0-48
	MOVQ AX, R10
	TESTQ R10, R10
	JMI  slow
	MOVQ g_m(R14), R11
	MOVQ g_wmID(R14), R9
	MOVQ m_p(R11), R11
	RDTSC
	MOVQ p_wmPos(R11), R12
	CMPQ R9, p_wmGoid(R11)
	JNE  slow
	MOVL R12, R9
	ANDL $0xffff, R9
	JEQ  slow
	CMPL R9, $(0x10000-64)
	JHI  slow
	CMPB ·wmCaptured+1(SB), $0       // its second field: results
	JEQ  slow
	SHLQ $32, DX
	ORQ  DX, AX
	BTSQ $63, R10
	MOVQ R10, 8(R12)
	MOVQ AX, (R12)
	INTS
	RET
slow:
	MOVQ R10, AX
	JMP  ·wmSlowExitInts<ABIInternal>(SB)

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
