#include "go_asm.h"
#include "textflag.h"

// These routines are ABIInternal: arguments and results in AX, g in R14, every
// other register is free. RDTSC comes after the loads that it need not wait for.
// The chunk is left for the slow path when the goroutine is not the one that
// wrote last on this P, or when the position is a multiple of the chunk size:
// full, or none yet; or when monitors see the call, which the highest bit of the
// site's word or the frame says. The word is stored before the clock, which commits it.

// SWITCHED writes the Go record when another goroutine, SI, than the one that wrote last goes on at DI, on the P BX, at the
// time DX:AX, whose halves it joins. It uses no stack, as that of a goroutine that has been switched to is often cold.
// SI isn't 0 if the goroutine has been seen before and isn't muted, and the clock is the counter. There must be room
// for two records.
#define SWITCHED \
	TESTQ SI, SI;                \
	JEQ  slow;                   \
	MOVL DI, R8;                 \
	ANDL $(const_wmChunkSize-1), R8; \
	JEQ  slow;                   \
	CMPL R8, $(const_wmChunkSize-2*const_wmRecordSize); \
	JHI  slow;                   \
	CMPQ SI, (p_wm+wmP_last)(BX);       \
	JEQ  slow;                   \
	SHLQ $32, DX;                \
	ORQ  DX, AX;                 \
	MOVQ $const_wmGo, R9;        \
	ORQ  SI, R9;                 \
	MOVQ R9, 8(DI);              \
	MOVQ AX, (DI);               \
	ADDQ $const_wmRecordSize, DI; \
	MOVQ SI, (p_wm+wmP_last)(BX);       \
	MOVQ SI, (p_wm+wmP_goid)(BX)

// func WMEnter(s WMSite) WMFrame
TEXT ·WMEnter<ABIInternal>(SB),NOSPLIT|NOFRAME,$0-16
	MOVL AX, CX
	TESTL CX, CX
	JMI  flagged
	MOVQ g_m(R14), BX
	MOVQ (g_wm+wmG_id)(R14), SI
	MOVQ m_p(BX), BX
	RDTSC
	MOVQ (p_wm+wmP_pos)(BX), DI
	CMPQ SI, (p_wm+wmP_goid)(BX)
	JNE  switched
	TESTL $(const_wmChunkSize-1), DI
	JEQ  slow
	SHLQ $32, DX
	ORQ  DX, AX
put:
	MOVQ (g_stack+stack_hi)(R14), DX
	SUBQ SP, DX
	SHLQ $32, CX
	ORQ  DX, CX
	MOVQ CX, 8(DI)
	MOVQ AX, (DI)
	ADDQ $const_wmRecordSize, DI
	MOVQ DI, (p_wm+wmP_pos)(BX)
	MOVQ CX, AX
	RET
switched:
	SWITCHED
	JMP  put
slow:
	MOVL CX, AX
	JMP  ·wmSlowEnter<ABIInternal>(SB)

// Calls that are gathered, counted, or of which more is wanted as below, and no more. Other flags are for Go. AX is
// still the site's word. Less the flags of a counted call CX is the id, and too great an id if it has others.
flagged:
	CMPL AX, $const_wmWordGathered
	JCS  gathered
	SUBL $const_wmWordCounted, CX
	CMPL CX, $const_wmSiteID
	JHI  uncounted
	CMPQ (g_wm+wmG_flags)(R14), $const_wmMute1
	JHS  again
	MOVQ g_m(R14), DX
	MOVQ m_p(DX), BX
	CMPQ CX, (p_wm+wmP_ncells)(BX)
	JHS  again
	MOVQ (p_wm+wmP_counts)(BX), BX
	XORL AX, AX                      // nobody wants to know of its end
	INCQ (BX)(CX*8)
	CMPQ R14, m_curg(DX)
	JNE  counted
	MOVQ BX, (g_wm+wmG_counts)(R14)  // WMDone counts those that follow
counted:
	RET
uncounted:
	SUBL $(const_wmLong-const_wmLight), CX // these aren't light
	CMPL CX, $const_wmSiteID
	JLS  long
	MOVL AX, DX
	SHRL $const_wmSiteBits, DX
	MOVL AX, CX
	CMPL DX, $const_wmFlagUnvalued
	JEQ  unvalued
	CMPL DX, $const_wmFlagTimed
	JNE  again
	ANDL $const_wmSiteID, CX

	// SI is the stack of timed calls, DI its top, where the call's place is, and R13 the token. A greater one below it is
	// of a call that is over. CX is the id, and becomes the place of the cell.
	MOVQ (g_wm+wmG_timing)(R14), SI
	MOVQ (g_wm+wmG_top)(R14), DI
	TESTQ SI, SI
	JEQ  paths
	CMPQ DI, wmStack_end(SI)
	JEQ  again
	MOVQ g_m(R14), BX
	MOVQ m_p(BX), BX
	CMPQ CX, (p_wm+wmP_ncells)(BX)
	JHS  again
	MOVQ (g_stack+stack_hi)(R14), R13
	SUBQ SP, R13
	CMPL R13, (wmCall_frame-wmCall__size)(DI)
	JCS  again
	// Is a call of the site in progress? R11 is the place of the first one that may be.
	MOVL CX, R8
	ANDL $(const_wmStackSites-1), R8
	MOVL wmStack_outer(SI)(R8*4), R11
	MOVL R11, R12
look:
	TESTL R12, R12
	JEQ  outermost
	MOVL (wmCall_frame+4)(SI)(R12*1), R10
	ANDL $const_wmSiteID, R10
	CMPL R10, CX
	JEQ  inner
	MOVL wmCall_next(SI)(R12*1), R12
	JMP  look
inner:
	CMPL R13, wmCall_frame(SI)(R12*1) // in the same frame: it is over
	JEQ  again
	MOVQ $(const_wmCallInner<<32), R11
	JMP  begin
outermost:
	MOVQ DI, R12
	SUBQ SI, R12
	MOVL R12, wmStack_outer(SI)(R8*4)
begin:
	MOVQ R11, wmCall_next(DI)        // and flags
	MOVQ $0, wmCall_children(DI)
	SHLQ $const_wmCellShift, CX
	ADDQ (p_wm+wmP_cells)(BX), CX
	INCQ wmCell_calls(CX)
	SHLQ $32, AX
	ORQ  AX, R13
	MOVQ R13, wmCall_frame(DI)
	LEAQ wmCall__size(DI), R8
	MOVQ R8, (g_wm+wmG_top)(R14)
	RDTSC
	SHLQ $32, DX
	ORQ  DX, AX
	MOVQ AX, wmCall_enter(DI)
	MOVQ R13, AX
	RET

	// A call that is recorded if it takes long. DI and R13 are as above. A call in the same frame is over if it is one
	// of the site: else one of the two functions is inlined into the other.
long:
	MOVQ (g_wm+wmG_top)(R14), DI
	CMPQ DI, (g_wm+wmG_noting)(R14)
	JHS  again
	MOVQ g_m(R14), BX
	MOVQ m_p(BX), BX
	CMPQ CX, (p_wm+wmP_ncells)(BX)
	JHS  again
	MOVQ (g_stack+stack_hi)(R14), R13
	SUBQ SP, R13
	CMPL R13, (wmCall_frame-wmCall__size)(DI)
	JLS  within
note:
	MOVQ (p_wm+wmP_counts)(BX), BX
	SHLQ $32, AX
	ORQ  AX, R13
	INCQ (BX)(CX*8)
	MOVQ $0, wmCall_children(DI)
	MOVQ R13, wmCall_frame(DI)
	LEAQ wmCall__size(DI), R8
	MOVQ R8, (g_wm+wmG_top)(R14)
	RDTSC
	SHLQ $32, DX
	ORQ  DX, AX
	MOVQ AX, wmCall_enter(DI)
	MOVQ R13, AX
	RET
within:
	JNE  again
	MOVQ DI, R11
same:
	MOVL (wmCall_frame+4-wmCall__size)(R11), R10
	ANDL $const_wmSiteID, R10
	CMPL R10, CX
	JEQ  again
	SUBQ $wmCall__size, R11
	CMPL R13, (wmCall_frame-wmCall__size)(R11)
	JEQ  same
	JMP  note

	// A call that is gathered if its goroutine is in a trace. Its frame is what is written.
gathered:
	MOVQ (g_wm+wmG_gather)(R14), DI
	TESTQ DI, DI
	JEQ  outside
	CMPL AX, $const_wmWordRoot
	JCC  again
	TESTL $(const_wmBlockSize-1), DI
	JEQ  again
	RDTSC
	MOVQ (g_stack+stack_hi)(R14), R8
	SHLQ $32, CX
	SUBQ SP, R8
	SHLQ $32, DX
	ORQ  R8, CX
	ORQ  DX, AX
	MOVQ CX, 8(DI)
	MOVQ AX, (DI)
	ADDQ $const_wmRecordSize, DI
	MOVQ DI, (g_wm+wmG_gather)(R14)
	MOVQ CX, AX
	RET
outside:
	CMPL AX, $const_wmWordRoot
	JCC  again
	XORL AX, AX
	RET

	// A call that is recorded as usual. CX becomes its frame, and R8 what is recorded of that.
unvalued:
	MOVQ g_m(R14), BX
	MOVQ (g_wm+wmG_id)(R14), SI
	MOVQ m_p(BX), BX
	RDTSC
	MOVQ (p_wm+wmP_pos)(BX), DI
	CMPQ SI, (p_wm+wmP_goid)(BX)
	JNE  unvaluedSwitched
	TESTL $(const_wmChunkSize-1), DI
	JEQ  slow
	SHLQ $32, DX
	ORQ  DX, AX
unvaluedPut:
	MOVQ (g_stack+stack_hi)(R14), DX
	MOVL CX, R8
	SUBQ SP, DX
	ANDL $const_wmSiteID, R8
	SHLQ $32, CX
	SHLQ $32, R8
	ORQ  DX, CX
	ORQ  DX, R8
	MOVQ R8, 8(DI)
	MOVQ AX, (DI)
	ADDQ $const_wmRecordSize, DI
	MOVQ DI, (p_wm+wmP_pos)(BX)
	MOVQ CX, AX
	RET
unvaluedSwitched:
	SWITCHED
	JMP  unvaluedPut
paths:
	JMP  ·wmEnterPath<ABIInternal>(SB)
again:
	JMP  ·wmSlowEnter<ABIInternal>(SB)

// func WMExit(f WMFrame)
TEXT ·WMExit<ABIInternal>(SB),NOSPLIT|NOFRAME,$0-8
	MOVQ AX, CX
	TESTQ CX, CX
	JMI  flagged
	MOVQ g_m(R14), BX
	MOVQ (g_wm+wmG_id)(R14), SI
	MOVQ m_p(BX), BX
	RDTSC
	MOVQ (p_wm+wmP_pos)(BX), DI
	CMPQ SI, (p_wm+wmP_goid)(BX)
	JNE  switched
	TESTL $(const_wmChunkSize-1), DI
	JEQ  slow
	SHLQ $32, DX
	ORQ  DX, AX
put:
	BTSQ $const_wmExitShift, CX
	MOVQ CX, 8(DI)
	MOVQ AX, (DI)
	ADDQ $const_wmRecordSize, DI
	MOVQ DI, (p_wm+wmP_pos)(BX)
	RET
switched:
	SWITCHED
	JMP  put
slow:
	MOVQ CX, AX
	JMP  ·wmSlowExit<ABIInternal>(SB)

// A call that is timed and no more, on top of the stack of timed calls, on a goroutine that isn't panicking. DI becomes its place.
flagged:
	MOVQ CX, DX
	SHRQ $(32+const_wmSiteBits), DX
	CMPL DX, $const_wmFlagGathered
	JCS  gathered
	CMPL DX, $const_wmFlagTimed
	JNE  untimed
	MOVQ (g_wm+wmG_timing)(R14), SI
	MOVQ (g_wm+wmG_top)(R14), DI
	TESTQ SI, SI
	JEQ  paths
	CMPQ g__panic(R14), $0
	JNE  slow
	SUBQ $wmCall__size, DI
	CMPQ CX, wmCall_frame(DI)
	JNE  slow
	MOVL wmCall_flags(DI), R10
	CMPL R10, $const_wmCallInner
	JHI  slow
	MOVQ g_m(R14), BX
	MOVQ m_p(BX), BX
	MOVQ CX, R8
	SHRQ $32, R8
	ANDL $const_wmSiteID, R8
	CMPQ R8, (p_wm+wmP_ncells)(BX)
	JHS  slow
	MOVQ (p_wm+wmP_cells)(BX), R9
	MOVQ wmCall_children(DI), R11
	MOVL wmCall_next(DI), R12
	XORL R13, R13
	RDTSC
	SHLQ $32, DX
	ORQ  DX, AX
	SUBQ wmCall_enter(DI), AX        // what it took, 0 if the clocks of two CPUs differ
	CMOVQCS R13, AX
	MOVQ DI, (g_wm+wmG_top)(R14)
	ADDQ AX, (wmCall_children-wmCall__size)(DI)
	MOVQ R8, CX
	SHLQ $const_wmCellShift, CX
	ADDQ CX, R9                      // the cell
	INCQ wmCell_ended(R9)
	MOVQ AX, DX
	SUBQ R11, DX
	CMOVQCS R13, DX
	ADDQ DX, wmCell_self(R9)
#include "waymark_end_amd64.h"
paths:
	JMP  ·wmExitPath<ABIInternal>(SB)

// A call that is gathered, but not the root call of the trace. Nothing panics.
gathered:
	MOVQ (g_wm+wmG_gather)(R14), DI
	CMPL DX, $(const_wmWordRoot>>const_wmSiteBits)
	JCC  slow
	TESTL $(const_wmBlockSize-1), DI
	JEQ  slow
	CMPQ g__panic(R14), $0
	JNE  slow
	RDTSC
	BTRQ $const_wmExitShift, CX
	SHLQ $32, DX
	ORQ  DX, AX
	MOVQ CX, 8(DI)
	MOVQ AX, (DI)
	ADDQ $const_wmRecordSize, DI
	MOVQ DI, (g_wm+wmG_gather)(R14)
	RET

// A call that is recorded if it took long, on top of the stack, and without timed calls in it.
untimed:
	CMPL DX, $const_wmFlagLong
	JNE  unlong
	MOVQ (g_wm+wmG_top)(R14), DI
	SUBQ $wmCall__size, DI
	CMPQ CX, wmCall_frame(DI)
	JNE  slow
	CMPQ wmCall_children(DI), $0
	JNE  slow
	RDTSC
	SHLQ $32, DX
	ORQ  DX, AX
	SUBQ wmCall_enter(DI), AX
	JCS  short                       // the clocks of two CPUs differ
	CMPQ AX, ·wmLongTicks(SB)
	JCC  slow
short:
	MOVQ DI, (g_wm+wmG_top)(R14)
	RET

// A call that is recorded as usual. R8 becomes what is recorded of the frame.
unlong:
	CMPL DX, $const_wmFlagUnvalued
	JNE  slow
	MOVQ g_m(R14), BX
	MOVQ (g_wm+wmG_id)(R14), SI
	MOVQ m_p(BX), BX
	RDTSC
	MOVQ (p_wm+wmP_pos)(BX), DI
	CMPQ SI, (p_wm+wmP_goid)(BX)
	JNE  unvaluedSwitched
	TESTL $(const_wmChunkSize-1), DI
	JEQ  slow
	SHLQ $32, DX
	ORQ  DX, AX
unvaluedPut:
	MOVQ CX, R8
	SHLQ $(32-const_wmSiteBits), R8
	SHRQ $(32-const_wmSiteBits), R8
	BTSQ $const_wmExitShift, R8
	MOVQ R8, 8(DI)
	MOVQ AX, (DI)
	ADDQ $const_wmRecordSize, DI
	MOVQ DI, (p_wm+wmP_pos)(BX)
	RET
unvaluedSwitched:
	SWITCHED
	JMP  unvaluedPut

// func WMExitError(f WMFrame, err error)
// WMExit of a call that returns err, whose first word is BX.
TEXT ·WMExitError<ABIInternal>(SB),NOSPLIT|NOFRAME,$0-24
	TESTQ BX, BX
	JNE  failed
	JMP  ·WMExit<ABIInternal>(SB)
failed:
	JMP  ·wmExitFailed<ABIInternal>(SB)

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
