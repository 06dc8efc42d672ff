#include "go_asm.h"
#include "textflag.h"

// These routines are ABIInternal: arguments and results in R0, g in R28; R1 to R7
// are free. As on amd64 the counter is read without a barrier, and the chunk is
// left for the slow path when the goroutine is not the one that may write here, or
// when the position is a multiple of the chunk size: full, or none yet.
//
// The word is stored before the clock, which commits it, and STLR keeps it so for
// other CPUs: the recorder, when the program ends, and readers of a living program
// look at chunks that are being written. After a kill plain stores would do: an
// interrupt comes between two instructions, and the kernel's barriers stand
// between a thread's last store and the release of the arena's lock.

// func WMEnter(s WMSite) WMFrame
TEXT ·WMEnter<ABIInternal>(SB),NOSPLIT|NOFRAME,$0-16
	MOVD g_m(g), R1
	MOVD (g_wm+wmG_id)(g), R2
	MOVD m_p(R1), R1
	MRS  CNTVCT_EL0, R3
	MOVD (p_wm+wmP_pos)(R1), R4
	MOVD (p_wm+wmP_goid)(R1), R5
	CMP  R5, R2
	BNE  slow
	TST  $(const_wmChunkSize-1), R4
	BEQ  slow
	MOVD (g_stack+stack_hi)(g), R6
	MOVD RSP, R7
	SUB  R7, R6
	TBNZ $31, R0, slow
	ORR  R0<<32, R6, R0
	MOVD R0, 8(R4)
	STLR R3, (R4)
	ADD  $const_wmRecordSize, R4
	MOVD R4, (p_wm+wmP_pos)(R1)
	RET
slow:
	JMP  ·wmSlowEnter<ABIInternal>(SB)

// func WMExit(f WMFrame)
TEXT ·WMExit<ABIInternal>(SB),NOSPLIT|NOFRAME,$0-8
	MOVD g_m(g), R1
	MOVD (g_wm+wmG_id)(g), R2
	MOVD m_p(R1), R1
	MRS  CNTVCT_EL0, R3
	MOVD (p_wm+wmP_pos)(R1), R4
	MOVD (p_wm+wmP_goid)(R1), R5
	CMP  R5, R2
	BNE  slow
	TST  $(const_wmChunkSize-1), R4
	BEQ  slow
	TBNZ $const_wmExitShift, R0, slow
	ORR  $(1<<const_wmExitShift), R0
	MOVD R0, 8(R4)
	STLR R3, (R4)
	ADD  $const_wmRecordSize, R4
	MOVD R4, (p_wm+wmP_pos)(R1)
	RET
slow:
	JMP  ·wmSlowExit<ABIInternal>(SB)

// func WMFloor(n int) uint64
// Reads the counter 2*n times: the cost that every figure is compared with.
TEXT ·WMFloor<ABIInternal>(SB),NOSPLIT|NOFRAME,$0-16
	MOVD $0, R1
loop:
	MRS  CNTVCT_EL0, R2
	ADD  R2, R1
	MRS  CNTVCT_EL0, R2
	ADD  R2, R1
	SUBS $1, R0
	BNE  loop
	MOVD R1, R0
	RET

// func wmTicks() uint64
// The barrier keeps the read after all that comes before it, so that no record of a
// chunk is read earlier than the clock in the chunk's header.
TEXT ·wmTicks<ABIInternal>(SB),NOSPLIT|NOFRAME,$0-8
	ISB  $15
	MRS  CNTVCT_EL0, R0
	RET

// func wmFrequency() uint64
TEXT ·wmFrequency<ABIInternal>(SB),NOSPLIT|NOFRAME,$0-8
	MRS  CNTFRQ_EL0, R0
	RET
