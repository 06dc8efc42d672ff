#include "go_asm.h"
#include "textflag.h"

// Timed calls that are added up by path, too: WMEnter and WMExit go on here when wmG.pathing is the stack in the place of
// wmG.timing. The rules are those of waymark_amd64.s. What has no node yet, or none at all, is for Go.

// wmEnterPath continues WMEnter: AX is the site's word, CX its id. SI, DI and R13 are as there; R9 becomes the path's cell.
TEXT ·wmEnterPath<ABIInternal>(SB),NOSPLIT|NOFRAME,$0-16
	MOVQ (g_wm+wmG_pathing)(R14), SI
	MOVQ (g_wm+wmG_top)(R14), DI
	TESTQ SI, SI
	JEQ  again
	CMPQ DI, wmStack_end(SI)
	JEQ  again
	MOVQ g_m(R14), BX
	MOVQ m_p(BX), BX
	CMPQ CX, (p_wm+wmP_ncells)(BX)
	JHS  again
	MOVQ (p_wm+wmP_paths)(BX), R9
	TESTQ R9, R9
	JEQ  again
	MOVQ (g_stack+stack_hi)(R14), R13
	SUBQ SP, R13
	CMPL R13, (wmCall_frame-wmCall__size)(DI)
	JCS  again
	// The word, by the caller's node and the site: R10 is the key. A call of the same path may have left it here.
	MOVQ (wmCall_path-wmCall__size)(DI), R10
	SHRQ $const_wmPathNodeShift, R10
	SHLQ $const_wmSiteBits, R10
	ORQ  CX, R10
	MOVQ wmCall_path(DI), R12
	MOVQ R12, R11
	XORQ R10, R11
	SHLQ $(64-const_wmPathKeyBits), R11
	JNE  find
node:
	SHRQ $const_wmPathNodeShift, R12
	SHLQ $const_wmPathCellShift, R12
	ADDQ R12, R9
	// Is a call of the site in progress?
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
find:
	MOVQ $const_wmPathFactor, DX
	IMULQ R10, DX
	SHRQ $const_wmPathShift, DX
	MOVQ ·wmPaths+0(SB), R8          // its index
probe:
	MOVQ (R8)(DX*8), R12
	TESTQ R12, R12
	JEQ  again                       // there is no node yet, or none for calls below this one
	MOVQ R12, R11
	XORQ R10, R11
	SHLQ $(64-const_wmPathKeyBits), R11
	JEQ  found
	INCL DX
	ANDL $(const_wmPathSlots-1), DX
	JMP  probe
found:
	MOVQ R12, wmCall_path(DI)
	JMP  node
inner:
	CMPL R13, wmCall_frame(SI)(R12*1) // in the same frame: it is over
	JEQ  again
	MOVL $(const_wmCallInner|const_wmCallPath), wmCall_flags(DI)
	JMP  begin
outermost:
	MOVL $const_wmCallPath, wmCall_flags(DI)
	MOVL R11, wmCall_next(DI)
	MOVQ DI, R12
	SUBQ SI, R12
	MOVL R12, wmStack_outer(SI)(R8*4)
begin:
	MOVQ $0, wmCall_children(DI)
	SHLQ $const_wmCellShift, CX
	ADDQ (p_wm+wmP_cells)(BX), CX
	INCQ wmCell_calls(CX)
	INCQ wmPathCell_calls(R9)
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
again:
	JMP  ·wmSlowEnter<ABIInternal>(SB)

// wmExitPath continues WMExit: CX is the frame. DI, R8, R9 and R11 to R13 are as there; CX becomes the path's cell.
TEXT ·wmExitPath<ABIInternal>(SB),NOSPLIT|NOFRAME,$0-8
	MOVQ CX, AX                      // for slow
	MOVQ (g_wm+wmG_pathing)(R14), SI
	MOVQ (g_wm+wmG_top)(R14), DI
	TESTQ SI, SI
	JEQ  slow
	CMPQ g__panic(R14), $0
	JNE  slow
	SUBQ $wmCall__size, DI
	CMPQ CX, wmCall_frame(DI)
	JNE  slow
	MOVL wmCall_flags(DI), R10
	SUBL $const_wmCallPath, R10      // is one without path, too: a great number
	CMPL R10, $const_wmCallInner
	JHI  slow
	MOVQ g_m(R14), BX
	MOVQ m_p(BX), BX
	MOVQ CX, R8
	SHRQ $32, R8
	ANDL $const_wmSiteID, R8
	CMPQ R8, (p_wm+wmP_ncells)(BX)
	JHS  slow
	MOVQ wmCall_path(DI), CX
	MOVQ (p_wm+wmP_paths)(BX), R9
	TESTQ R9, R9
	JEQ  slow
	SHRQ $const_wmPathNodeShift, CX
	SHLQ $const_wmPathCellShift, CX
	ADDQ R9, CX
	MOVQ R8, R9
	SHLQ $const_wmCellShift, R9
	ADDQ (p_wm+wmP_cells)(BX), R9
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
	INCQ wmCell_ended(R9)
	MOVQ AX, DX
	SUBQ R11, DX
	CMOVQCS R13, DX
	ADDQ DX, wmCell_self(R9)
	ADDQ DX, wmPathCell_self(CX)
#include "waymark_end_amd64.h"
slow:
	JMP  ·wmSlowExit<ABIInternal>(SB)
