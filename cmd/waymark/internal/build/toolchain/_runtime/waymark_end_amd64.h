// The end of WMExit for a timed call, with a path or without. AX is what the call took, DI its entry of the stack SI, R8 the
// site's id, R9 its cell, R10 isn't 0 if it is an inner call, and R12 is the place of the outer call.
	TESTL R10, R10
	JNE  inner
	ADDQ AX, wmCell_total(R9)
	ANDL $(const_wmStackSites-1), R8
	MOVL R12, wmStack_outer(SI)(R8*4)
extremes:
	CMPQ AX, wmCell_most(R9)
	JHI  most
least:
	MOVQ AX, DX
	NOTQ DX
	CMPQ DX, wmCell_least(R9)
	JHI  shortest
histogram:
	CMPB ·wmHistograms(SB), $0
	JEQ  done
	MOVQ wmCell_more(R9), SI
	TESTQ SI, SI
	JEQ  line
	MOVQ AX, DX
	ORQ  $(2*const_wmHistogramLine-1), DX
	BSRQ DX, CX
	SUBQ $5, CX
	MOVQ AX, DX
	SHRQ CX, DX
	MOVQ DX, R8
	SHRQ $5, R8
	ADDQ CX, R8
	MOVQ wmCellMore_lines(SI)(R8*8), SI
	TESTQ SI, SI
	JEQ  line
	ANDL $(const_wmHistogramLine-1), DX
	INCQ (SI)(DX*8)
done:
	RET
inner:
	ADDQ AX, wmCell_inner(R9)
	JMP  extremes
most:
	MOVQ AX, wmCell_most(R9)
	JMP  least
shortest:
	MOVQ DX, wmCell_least(R9)
	JMP  histogram
line:
	MOVQ AX, wmCall_children(DI)
	MOVQ DI, AX
	JMP  ·wmSlowTime<ABIInternal>(SB)
