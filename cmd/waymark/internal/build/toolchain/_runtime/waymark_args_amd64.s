#include "go_asm.h"
#include "textflag.h"

// What comes before wmEmitValues: a Go function would have a frame, and keep there what it was called with.

// func WMEnterArgs(site WMSite, args ...any) WMFrame
// WMEnter with the arguments of the call.
TEXT ·WMEnterArgs<ABIInternal>(SB),NOSPLIT|NOFRAME,$0-40
	MOVQ (g_stack+stack_hi)(R14), DX // AX site, BX args, CX how many
	SUBQ SP, DX
	SHLQ $32, AX
	ORQ  DX, AX                      // the frame
	JMI  slow
	CMPB ·wmCaptured(SB), $0         // its first field: args
	JEQ  unwanted
	JMP  ·wmQuickValues(SB)
unwanted:
	XORL CX, CX
	JMP  ·wmEmitValues<ABIInternal>(SB)
slow:
	JMP  ·wmSlowEnterArgs<ABIInternal>(SB)

// func WMExitResults(f WMFrame, results ...any)
// WMExit with the results of the call.
TEXT ·WMExitResults<ABIInternal>(SB),NOSPLIT|NOFRAME,$0-32
	TESTQ AX, AX
	JMI  slow
	CMPB ·wmCaptured+1(SB), $0       // its second field: results
	JEQ  slow
	BTSQ $const_wmExitShift, AX
	JMP  ·wmQuickValues(SB)
slow:
	JMP  ·wmSlowExitResults<ABIInternal>(SB)
