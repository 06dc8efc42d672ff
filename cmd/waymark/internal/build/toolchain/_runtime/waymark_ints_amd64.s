#include "go_asm.h"
#include "textflag.h"

// The fast path for integers, see waymark_amd64.s and waymark_ints.go.

// INTS writes a record at R12, of the time AX and with the word W; before, behind it, what BX says the
// integers CX, DI, SI and R8 are, and those; marks the chunk as one with values (wmHeldValues); and
// moves the position of the P R11 behind them. One or two records hold the integers. The record's clock
// comes last, which commits it all.
#define INTS(W) \
	MOVQ W, 8(R12);           \
	MOVQ CX, 32(R12);         \
	MOVQ DI, 40(R12);         \
	MOVQ SI, 48(R12);         \
	MOVQ R8, 56(R12);         \
	MOVQ $const_wmInts, R10;  \
	ORQ  BX, R10;             \
	MOVQ R10, 24(R12);        \
	MOVQ AX, 16(R12);         \
	MOVQ R12, R10;            \
	ANDQ $~(const_wmChunkSize-1), R10; \
	MOVL $const_wmHeldValues, wmChunkHead_flags(R10); \
	MOVQ AX, (R12);           \
	ANDL $7, BX;              \
	INCL BX;                  \
	SHRL $1, BX;              \
	SHLQ $4, BX;              \
	LEAQ 32(R12)(BX*1), R12;  \
	MOVQ R12, (p_wm+wmP_pos)(R11)

// func WMEnterInts(s WMSite, kinds, a, b, c, d uint64) WMFrame
// WMEnter with integers.
TEXT ·WMEnterInts<ABIInternal>(SB),NOSPLIT|NOFRAME,$0-56
	MOVL AX, R10                     // site; BX kinds, CX a, DI b, SI c, R8 d
	TESTL R10, R10
	JMI  slow
	MOVQ g_m(R14), R11
	MOVQ (g_wm+wmG_id)(R14), R9
	MOVQ m_p(R11), R11
	RDTSC
	MOVQ (p_wm+wmP_pos)(R11), R12
	CMPQ R9, (p_wm+wmP_goid)(R11)
	JNE  slow
	MOVL R12, R9
	ANDL $(const_wmChunkSize-1), R9
	JEQ  slow
	CMPL R9, $(const_wmChunkSize-4*const_wmRecordSize)
	JHI  slow
	CMPB ·wmCaptured(SB), $0         // its first field: args
	JEQ  slow
	SHLQ $32, DX
	ORQ  DX, AX
	MOVQ (g_stack+stack_hi)(R14), R13
	SUBQ SP, R13
	SHLQ $32, R10
	ORQ  R10, R13                    // the frame
	INTS(R13)
	MOVQ R13, AX
	RET
slow:
	MOVL R10, AX
	SHRL $const_wmSiteBits, R10
	LEAL -const_wmFlag(R10), R11
	CMPL R11, $(const_wmFlagGathered-const_wmFlag)
	JCS  valueless
	CMPL R10, $(const_wmFlagTimed)
	JEQ  valueless
	CMPL R10, $(const_wmFlagCounted)
	JEQ  valueless
	CMPL R10, $(const_wmFlagLong)
	JEQ  valueless
	CMPL R10, $(const_wmFlagUnvalued)
	JEQ  valueless
	JMP  ·wmSlowEnterInts<ABIInternal>(SB)
valueless: // nobody wants the values; the token is the same
	JMP  ·WMEnter<ABIInternal>(SB)

// func WMExitInts(f WMFrame, kinds, a, b, c, d uint64)
TEXT ·WMExitInts<ABIInternal>(SB),NOSPLIT|NOFRAME,$0-48
	MOVQ AX, R10
	TESTQ R10, R10
	JMI  slow
	MOVQ g_m(R14), R11
	MOVQ (g_wm+wmG_id)(R14), R9
	MOVQ m_p(R11), R11
	RDTSC
	MOVQ (p_wm+wmP_pos)(R11), R12
	CMPQ R9, (p_wm+wmP_goid)(R11)
	JNE  slow
	MOVL R12, R9
	ANDL $(const_wmChunkSize-1), R9
	JEQ  slow
	CMPL R9, $(const_wmChunkSize-4*const_wmRecordSize)
	JHI  slow
	CMPB ·wmCaptured+1(SB), $0       // its second field: results
	JEQ  slow
	SHLQ $32, DX
	ORQ  DX, AX
	BTSQ $const_wmExitShift, R10
	INTS(R10)
	RET
slow:
	MOVQ R10, AX
	SHRQ $(32+const_wmSiteBits), R10
	LEAL -const_wmFlag(R10), R11
	CMPL R11, $(const_wmFlagGathered-const_wmFlag)
	JCS  valueless
	CMPL R10, $(const_wmFlagTimed)
	JEQ  valueless
	CMPL R10, $(const_wmFlagLong)
	JEQ  valueless
	CMPL R10, $(const_wmFlagUnvalued)
	JEQ  valueless
	JMP  ·wmSlowExitInts<ABIInternal>(SB)
valueless:
	JMP  ·WMExit<ABIInternal>(SB)
