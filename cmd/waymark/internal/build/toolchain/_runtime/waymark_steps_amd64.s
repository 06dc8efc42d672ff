#include "go_asm.h"
#include "textflag.h"

// Programs that write values, by steps: one routine for each operation, which does what the method run does for
// it, and jumps to the next one. So all that they work with stays in registers, and each jump is predicted by
// itself. What is uncommon is left to wmMoreValues, which begins with the same value again.
//
// They have no frame, call nothing and can't be preempted. The event's record has its word already, the one
// behind it the time and where the values end, see wmMoreValues. Registers from step to step:
//
//	BX	the value's interface
//	DI	where the next byte goes
//	R9	the value's limit
//	SI	the operation
//	R10	the base
//	R12	the event
//	X2	where the value begins that is being written
//	X3	the first value's interface
//	X5	the bytes that each value may take
//
// The rest is in wmP.steps. AX, CX, DX, R8, R11, R13, X0 and X6 to X9 are free within a step. R15 isn't: with -dynlink the assembler uses it.

// NEXT does the next operation.
#define NEXT \
	MOVBLZX (wmOp__size+wmOp_code)(SI), AX; \
	ADDQ $wmOp__size, SI;        \
	LEAQ wmStepTable<>(SB), CX;      \
	JMP  (CX)(AX*8)

// BEGIN leaves a value that has reached its limit to more.
#define BEGIN \
	CMPQ DI, R9;                 \
	JCC  more

// SLOT looks up what is described at the address AX in the first slot for it, and says by the flags whether they
// are equal. The description is in CX then. It changes DX and R11.
#define SLOT \
	MOVQ AX, R11;                \
	MOVQ AX, DX;                 \
	MOVQ ·wmTypes+wmTypesFound_table(SB), CX; \
	SHRQ $4, R11;                \
	SHRQ $12, DX;                \
	XORQ DX, R11;                \
	ANDQ wmTypeTable_mask(CX), R11; \
	SHLQ $4, R11;                \
	ADDQ R11, CX;                \
	CMPQ AX, (wmTypeTable__size+wmTypeSlot_key)(CX); \
	MOVQ (wmTypeTable__size+wmTypeSlot_typ)(CX), CX

// UVARINT writes what is in V, and changes V and R11.
#define UVARINT(V, again, last) \
	CMPQ V, $0x80;               \
	JCS  last;                   \
again:                               \
	MOVL V, R11;                 \
	ORL  $0x80, R11;             \
	MOVB R11, (DI);              \
	INCQ DI;                     \
	SHRQ $7, V;                  \
	CMPQ V, $0x80;               \
	JCC  again;                  \
last:                                \
	MOVB V, (DI);                \
	INCQ DI

// NUMBER ends a step with the unsigned DX.
#define NUMBER \
	UVARINT(DX, again, last);    \
	NEXT

// SIGNED is NUMBER for a signed one.
#define SIGNED \
	MOVQ DX, R11;                \
	SARQ $63, R11;               \
	SHLQ $1, DX;                 \
	XORQ R11, DX;                \
	NUMBER

// READABLE goes to more unless all DX bytes at AX can be read, as run finds it. It changes CX, R8 and R11.
#define READABLE \
	MOVQ AX, R11;                \
	SUBQ ·wmFixed+wmFixedMemory_constants(SB), R11; \
	CMPQ R11, ·wmFixed+wmFixedMemory_constantsSize(SB); \
	JCC  variable;               \
	ADDQ DX, R11;                \
	CMPQ R11, ·wmFixed+wmFixedMemory_constantsSize(SB); \
	JLS  readable;               \
	JMP  more;                   \
variable:                            \
	MOVQ AX, R11;                \
	SUBQ ·wmFixed+wmFixedMemory_data(SB), R11; \
	CMPQ R11, ·wmFixed+wmFixedMemory_dataSize(SB); \
	JCC  heap;                   \
	ADDQ DX, R11;                \
	CMPQ R11, ·wmFixed+wmFixedMemory_dataSize(SB); \
	JLS  readable;               \
	JMP  more;                   \
heap:                                \
	MOVQ AX, R11;                \
	SHRQ $const_logHeapArenaBytes, R11; \
	ADDQ $(1<<(const_arenaL2Bits-1)), R11; \
	CMPQ R11, $(1<<const_arenaL2Bits); \
	JCC  more;                   \
	MOVQ ·mheap_+mheap_arenas(SB), R8; \
	MOVQ (R8)(R11*8), R8;        \
	TESTQ R8, R8;                \
	JEQ  more;                   \
	MOVQ AX, R11;                \
	SHRQ $const_wmPageShift, R11; \
	ANDL $(const_pagesPerArena-1), R11; \
	MOVQ heapArena_spans(R8)(R11*8), R8; \
	TESTQ R8, R8;                \
	JEQ  more;                   \
	CMPB mspan_state(R8), $const_mSpanInUse; \
	JNE  stack;                  \
	CMPB mspan_isUserArenaChunk(R8), $0; \
	JNE  more;                   \
	MOVQ AX, R11;                \
	SUBQ mspan_startAddr(R8), R11; \
	JCS  more;                   \
	MOVL mspan_divMul(R8), CX;   \
	IMULQ R11, CX;               \
	SHRQ $32, CX;                \
	INCQ CX;                     \
	IMULQ mspan_elemsize(R8), CX; \
	SUBQ R11, CX;                \
	CMPQ CX, DX;                 \
	JCS  more;                   \
	MOVQ mspan_limit(R8), CX;    \
	SUBQ AX, CX;                 \
	JLS  more;                   \
	CMPQ CX, DX;                 \
	JCS  more;                   \
	JMP  readable;               \
stack:                               \
	MOVQ (g_stack+stack_hi)(R14), R11; \
	MOVQ R11, CX;                \
	SUBQ (g_stack+stack_lo)(R14), CX; \
	SUBQ AX, R11;                \
	CMPQ R11, CX;                \
	JHI  more;                   \
	CMPQ R11, DX;                \
	JCS  more;                   \
readable:

// COPY writes DX bytes from AX. It changes CX, DX, R8 and R11.
#define COPY \
	LEAQ (DI)(DX*1), R11;        \
	CMPQ DX, $16;                \
	JCS  few;                    \
	MOVOU -16(AX)(DX*1), X0;     \
many:                                \
	CMPQ DX, $64;                \
	JLS  half;                   \
	MOVOU (AX), X6;              \
	MOVOU 16(AX), X7;            \
	MOVOU 32(AX), X8;            \
	MOVOU 48(AX), X9;            \
	MOVOU X6, (DI);              \
	MOVOU X7, 16(DI);            \
	MOVOU X8, 32(DI);            \
	MOVOU X9, 48(DI);            \
	ADDQ $64, AX;                \
	ADDQ $64, DI;                \
	SUBQ $64, DX;                \
	JMP  many;                   \
half:                                \
	CMPQ DX, $32;                \
	JLS  quarter;                \
	MOVOU (AX), X6;              \
	MOVOU 16(AX), X7;            \
	MOVOU X6, (DI);              \
	MOVOU X7, 16(DI);            \
	ADDQ $32, AX;                \
	ADDQ $32, DI;                \
	SUBQ $32, DX;                \
quarter:                             \
	CMPQ DX, $16;                \
	JLS  rest;                   \
	MOVOU (AX), X6;              \
	MOVOU X6, (DI);              \
rest:                                \
	MOVOU X0, -16(R11);          \
	JMP  copied;                 \
few:                                 \
	CMPQ DX, $8;                 \
	JCS  fewer;                  \
	MOVQ (AX), CX;               \
	MOVQ -8(AX)(DX*1), R8;       \
	MOVQ CX, (DI);               \
	MOVQ R8, -8(R11);            \
	JMP  copied;                 \
fewer:                               \
	CMPQ DX, $4;                 \
	JCS  fewest;                 \
	MOVL (AX), CX;               \
	MOVL -4(AX)(DX*1), R8;       \
	MOVL CX, (DI);               \
	MOVL R8, -4(R11);            \
	JMP  copied;                 \
fewest:                              \
	TESTQ DX, DX;                \
	JEQ  copied;                 \
	MOVBLZX -1(AX)(DX*1), CX;    \
	MOVB CX, -1(R11);            \
	SHRQ $1, DX;                 \
	MOVBLZX (AX)(DX*1), CX;      \
	MOVB CX, (DI)(DX*1);         \
	MOVBLZX (AX), CX;            \
	MOVB CX, (DI);               \
copied:                              \
	MOVQ R11, DI

// FOLLOW has AX be the base, until LEAVE. They change CX and R11.
#define FOLLOW \
	MOVQ g_m(R14), R11;          \
	MOVQ m_p(R11), R11;          \
	MOVBLZX wmOp_level(SI), CX;  \
	MOVQ R10, (p_wm+wmP_steps+wmSteps_bases)(R11)(CX*8); \
	MOVQ AX, R10

#define LEAVE \
	MOVQ g_m(R14), R11;          \
	MOVQ m_p(R11), R11;          \
	MOVBLZX wmOp_level(SI), CX;  \
	MOVQ (p_wm+wmP_steps+wmSteps_bases)(R11)(CX*8), R10

// SKIP goes to the last operation for what the pointer or slice leads to. It changes AX.
#define SKIP \
	MOVBLZX wmOp_skip(SI), AX;   \
	IMULQ $wmOp__size, AX;       \
	ADDQ AX, SI

// SLICE goes on if a slice isn't nil: with its length in R13 and its readable address in AX, and bytes
// of so many elements as may fit in DX. Their number is in X7.
#define SLICE \
	BEGIN;                       \
	MOVL wmOp_offset(SI), AX;    \
	ADDQ R10, AX;                \
	MOVQ 8(AX), R13;             \
	MOVQ (AX), AX;               \
	TESTQ AX, AX;                \
	JEQ  none;                   \
	TESTQ R13, R13;              \
	JLT  more;                   \
	MOVQ R9, DX;                 \
	SUBQ DI, DX;                 \
	CMPQ R13, DX;                \
	CMOVQCS R13, DX;             \
	MOVQ DX, X7;                 \
	MOVL wmOp_size(SI), CX;      \
	IMULQ CX, DX;                \
	READABLE;                    \
	MOVB $1, (DI);               \
	INCQ DI

#define MORE \
more:                                \
	JMP  ·wmStepMore(SB)

// func wmQuickValues(word uint64, list unsafe.Pointer, n int) uint64
// wmEmitValues, with the same registers.
TEXT ·wmQuickValues(SB),NOSPLIT|NOFRAME,$0-32
#ifdef GOOS_windows // its heap has another index
	JMP  ·wmEmitValues<ABIInternal>(SB)
#endif
	TESTQ CX, CX
	JEQ  valueless
	MOVQ AX, R13
	MOVQ g_m(R14), R11
	MOVQ (g_wm+wmG_id)(R14), R9
	MOVQ m_p(R11), R11
	RDTSC
	MOVQ (p_wm+wmP_pos)(R11), R12
	CMPQ R9, (p_wm+wmP_goid)(R11)
	JNE  slow
	LEAQ (2*const_wmRecordSize)(R12), DI
	MOVL DI, R10
	ANDL $(const_wmChunkSize-1), R10
	CMPL R10, $(2*const_wmRecordSize)
	JLS  slow
	MOVQ ·wmCaptured+wmCapture_space(SB), R8
	MOVQ R8, R9
	IMULQ CX, R9
	CMPQ R9, $const_wmMaxValues
	JHI  slow
	ADDQ R10, R9
	CMPQ R9, $const_wmChunkSize
	JHI  slow
	SUBQ $const_wmValueSlop, R8
	MOVQ R8, X5
	SHLQ $32, DX
	ORQ  DX, AX
	SHLQ $4, CX
	ADDQ BX, CX
	MOVQ R13, 8(R12)
	MOVQ AX, 16(R12)
	MOVQ CX, 24(R12)
	MOVQ BX, X3
	JMP  ·wmNextValue(SB)
slow:
	MOVQ R13, AX
	JMP  ·wmSlowValues<ABIInternal>(SB)
valueless:
	JMP  ·wmEmitValues<ABIInternal>(SB)

// wmNextValue begins with the value at BX, or ends the event.
TEXT ·wmNextValue(SB),NOSPLIT|NOFRAME,$0-0
	CMPQ BX, 24(R12)
	JCC  done
	MOVQ (BX), AX
	MOVQ 8(BX), R10
	MOVQ DI, X2
	MOVQ X5, R9
	ADDQ DI, R9
	CMPQ AX, ·wmFixed+wmFixedMemory_int(SB)
	JEQ  integer
	CMPQ AX, ·wmFixed+wmFixedMemory_string(SB)
	JEQ  text
other:
	SLOT
	JNE  more
	TESTQ CX, CX                      // of a nil interface
	JEQ  more
	MOVQ wmType_program(CX), SI
	TESTQ SI, SI
	JEQ  more
	CMPQ wmProgram_ops(SI), $0
	JEQ  more
	CMPL wmProgram_resting(SI), $0
	JNE  more
	MOVQ wmProgram_depth(SI), R11
	CMPQ R11, ·wmCaptured+wmCapture_depth(SB)
	JNE  more
	CMPB wmType_direct(CX), $0
	JNE  direct
	MOVQ wmType_size(CX), R11         // mostly it is a copy on the caller's stack
	ADDQ R10, R11
	CMPQ R10, SP
	JCS  elsewhere
	CMPQ R11, (g_stack+stack_hi)(R14)
	JHI  elsewhere
begin:
	MOVQ wmProgram_head(SI), DX
	MOVQ DX, (DI)
	ADDQ wmProgram_headLen(SI), DI
	MOVQ wmProgram_ops(SI), SI
	MOVBLZX wmOp_code(SI), AX
	LEAQ wmStepTable<>(SB), CX
	JMP  (CX)(AX*8)
direct:
	LEAQ 8(BX), R10
	JMP  begin
elsewhere:                                // as what an interface of the program's holds
	MOVQ R10, AX
	MOVQ wmType_size(CX), DX
	READABLE
	JMP  begin
more:
	JMP  ·wmStepMore(SB)
integer:
	LEAQ 8(R10), R11
	CMPQ R10, SP
	JCS  other
	CMPQ R11, (g_stack+stack_hi)(R14)
	JHI  other
	MOVB $2, (DI)                     // abi.Int
	INCQ DI
	LEAQ wmIntegerOps<>(SB), SI
	JMP  ·wmStepInt64(SB)
text:
	LEAQ 16(R10), R11
	CMPQ R10, SP
	JCS  other
	CMPQ R11, (g_stack+stack_hi)(R14)
	JHI  other
	MOVB $24, (DI)                    // abi.String
	INCQ DI
	LEAQ wmTextOps<>(SB), SI
	JMP  ·wmStepString(SB)

done:                                     // as wmEndValues
	MOVQ g_m(R14), R11
	MOVQ m_p(R11), R11
	SUBL $1, (p_wm+wmP_values+wmValueTimes_wait)(R11)
	JCS  timed
	MOVOU X15, (DI)                   // what was there before would get into the file
	MOVQ R12, R10
	ANDQ $~(const_wmChunkSize-1), R10
	ORL  $const_wmHeldValues, wmChunkHead_flags(R10)
	MOVQ DI, DX
	SUBQ R12, DX
	SUBQ $(2*const_wmRecordSize), DX
	MOVQ $const_wmValued, CX
	ORQ  CX, DX
	MOVQ 8(R12), AX
	MOVQ DX, 24(R12)
	MOVQ 16(R12), DX
	MOVQ DX, (R12)                    // commits it all
	ADDQ $(const_wmRecordSize-1), DI
	ANDQ $~(const_wmRecordSize-1), DI
	MOVQ DI, (p_wm+wmP_pos)(R11)
	RET
timed:
	MOVL $0, (p_wm+wmP_values+wmValueTimes_wait)(R11)
	MOVQ DI, X2
	JMP  ·wmStepMore(SB)

// wmStepMore has the rest of the values written, with the one that has been begun.
TEXT ·wmStepMore(SB),NOSPLIT|NOFRAME,$0-0
	MOVQ 8(R12), AX
	MOVQ BX, CX
	MOVQ X3, BX
	MOVQ X2, DI
	JMP  ·wmMoreValues<ABIInternal>(SB)

TEXT ·wmStepEnd(SB),NOSPLIT|NOFRAME,$0-0
	ADDQ $16, BX
	JMP  ·wmNextValue(SB)

TEXT ·wmStepBack(SB),NOSPLIT|NOFRAME,$0-0
	LEAVE
	NEXT

TEXT ·wmStepNothing(SB),NOSPLIT|NOFRAME,$0-0
	BEGIN
	NEXT
	MORE

TEXT ·wmStepInt64(SB),NOSPLIT|NOFRAME,$0-0
	BEGIN
	MOVL wmOp_offset(SI), AX
	MOVQ (R10)(AX*1), DX
	SIGNED
	MORE

TEXT ·wmStepInt32(SB),NOSPLIT|NOFRAME,$0-0
	BEGIN
	MOVL wmOp_offset(SI), AX
	MOVLQSX (R10)(AX*1), DX
	SIGNED
	MORE

TEXT ·wmStepInt16(SB),NOSPLIT|NOFRAME,$0-0
	BEGIN
	MOVL wmOp_offset(SI), AX
	MOVWQSX (R10)(AX*1), DX
	SIGNED
	MORE

TEXT ·wmStepInt8(SB),NOSPLIT|NOFRAME,$0-0
	BEGIN
	MOVL wmOp_offset(SI), AX
	MOVBQSX (R10)(AX*1), DX
	SIGNED
	MORE

TEXT ·wmStepUint64(SB),NOSPLIT|NOFRAME,$0-0
	BEGIN
	MOVL wmOp_offset(SI), AX
	MOVQ (R10)(AX*1), DX
	NUMBER
	MORE

TEXT ·wmStepUint32(SB),NOSPLIT|NOFRAME,$0-0
	BEGIN
	MOVL wmOp_offset(SI), AX
	MOVL (R10)(AX*1), DX
	NUMBER
	MORE

TEXT ·wmStepUint16(SB),NOSPLIT|NOFRAME,$0-0
	BEGIN
	MOVL wmOp_offset(SI), AX
	MOVWLZX (R10)(AX*1), DX
	NUMBER
	MORE

TEXT ·wmStepUint8(SB),NOSPLIT|NOFRAME,$0-0
	BEGIN
	MOVL wmOp_offset(SI), AX
	MOVBLZX (R10)(AX*1), DX
	MOVB DX, (DI)
	INCQ DI
	NEXT
	MORE

TEXT ·wmStepBool(SB),NOSPLIT|NOFRAME,$0-0
	BEGIN
	MOVL wmOp_offset(SI), AX
	MOVBLZX (R10)(AX*1), DX
	ANDL $1, DX
	MOVB DX, (DI)
	INCQ DI
	NEXT
	MORE

TEXT ·wmStepFour(SB),NOSPLIT|NOFRAME,$0-0
	BEGIN
	MOVL wmOp_offset(SI), AX
	MOVL (R10)(AX*1), DX
	MOVL DX, (DI)
	ADDQ $4, DI
	NEXT
	MORE

TEXT ·wmStepEight(SB),NOSPLIT|NOFRAME,$0-0
	BEGIN
	MOVL wmOp_offset(SI), AX
	MOVQ (R10)(AX*1), DX
	MOVQ DX, (DI)
	ADDQ $8, DI
	NEXT
	MORE

TEXT ·wmStepCount(SB),NOSPLIT|NOFRAME,$0-0
	BEGIN
	MOVL wmOp_size(SI), DX
	MOVW DX, (DI)
	ADDQ $2, DI
	NEXT
	MORE

TEXT ·wmStepString(SB),NOSPLIT|NOFRAME,$0-0
	BEGIN
	MOVL wmOp_offset(SI), AX
	ADDQ R10, AX
	MOVQ 8(AX), R13
	MOVQ (AX), AX
	TESTQ R13, R13
	JLE  none
	MOVQ R9, DX
	SUBQ DI, DX
	CMPQ R13, DX
	CMOVQCS R13, DX
	READABLE
	CMPQ DX, R13
	JNE  cut
	SHLQ $1, R13
length:
	UVARINT(R13, again, last)
	COPY
	NEXT
cut:
	LEAQ 1(DX)(DX*1), R8
	UVARINT(R8, againCut, lastCut)
	JMP  length
none:
	JLT  more
	MOVB $0, (DI)
	INCQ DI
	NEXT
	MORE

TEXT ·wmStepBytes(SB),NOSPLIT|NOFRAME,$0-0
	SLICE
	UVARINT(R13, again, last)
	MOVL wmOp_id(SI), R13
	UVARINT(R13, againID, lastID)
	MOVQ DI, R8                       // of the count
	ADDQ $2, DI
	MOVQ R9, R11
	SUBQ DI, R11
	JLS  full
	CMPQ R11, DX
	CMOVQCS R11, DX
	MOVW DX, (R8)
	COPY
	NEXT
full:
	MOVW $0, (R8)
	NEXT
none:
	MOVB $0, (DI)
	INCQ DI
	NEXT
	MORE

TEXT ·wmStepAddress(SB),NOSPLIT|NOFRAME,$0-0
	BEGIN
	MOVL wmOp_offset(SI), AX
	MOVQ (R10)(AX*1), DX
	TESTQ DX, DX
	JEQ  none
	MOVB $1, (DI)
	INCQ DI
none:
	NUMBER
	MORE

TEXT ·wmStepOutermost(SB),NOSPLIT|NOFRAME,$0-0
	BEGIN
	MOVL wmOp_offset(SI), AX
	MOVQ (R10)(AX*1), AX
	TESTQ AX, AX
	JEQ  none
	MOVL wmOp_size(SI), DX
	READABLE
	FOLLOW
	MOVB $3, (DI)
	INCQ DI
	SUBQ DI, R9
	UVARINT(AX, again, last)
	ADDQ DI, R9                       // not at the cost of what it points to
	MOVL wmOp_id(SI), DX
	UVARINT(DX, againID, lastID)
	NEXT
none:
	SKIP
	MOVB $0, (DI)
	INCQ DI
	NEXT
	MORE

TEXT ·wmStepPointer(SB),NOSPLIT|NOFRAME,$0-0
	BEGIN
	MOVL wmOp_offset(SI), AX
	MOVQ (R10)(AX*1), AX
	TESTQ AX, AX
	JEQ  none
	MOVL wmOp_size(SI), DX
	READABLE
	FOLLOW
	MOVB $2, (DI)
	INCQ DI
	MOVL wmOp_id(SI), DX
	UVARINT(DX, again, last)
	NEXT
none:
	SKIP
	MOVB $0, (DI)
	INCQ DI
	NEXT
	MORE

TEXT ·wmStepByteArray(SB),NOSPLIT|NOFRAME,$0-0
	BEGIN
	MOVL wmOp_offset(SI), AX
	ADDQ R10, AX
	MOVL wmOp_size(SI), DX
	MOVQ DI, R8                       // of the count
	ADDQ $2, DI
	MOVQ R9, R11
	SUBQ DI, R11
	JLS  full
	CMPQ R11, DX
	CMOVQCS R11, DX
	MOVW DX, (R8)
	COPY
	NEXT
full:
	MOVW $0, (R8)
	NEXT
	MORE

TEXT ·wmStepLength(SB),NOSPLIT|NOFRAME,$0-0
	SLICE
	UVARINT(R13, again, last)
	MOVL wmOp_id(SI), R13
	UVARINT(R13, againID, lastID)
	MOVW $0, (DI)
	ADDQ $2, DI
	NEXT
none:
	MOVB $0, (DI)
	INCQ DI
	NEXT
	MORE

TEXT ·wmStepElements(SB),NOSPLIT|NOFRAME,$0-0
	SLICE
	MOVQ g_m(R14), R8
	MOVQ m_p(R8), R8
	UVARINT(R13, again, last)
	MOVL wmOp_id(SI), R13
	UVARINT(R13, againID, lastID)
	MOVQ DI, (p_wm+wmP_steps+wmSteps_count)(R8)
	MOVW $0, (DI)
	ADDQ $2, DI
	CMPQ DI, R9
	JCC  empty
	TESTQ DX, DX
	JEQ  empty
	MOVQ X7, (p_wm+wmP_steps+wmSteps_left)(R8)
	MOVQ $0, (p_wm+wmP_steps+wmSteps_written)(R8)
	FOLLOW
	NEXT
empty:
	SKIP
	NEXT
none:
	SKIP
	MOVB $0, (DI)
	INCQ DI
	NEXT
	MORE

TEXT ·wmStepNext(SB),NOSPLIT|NOFRAME,$0-0
	MOVQ g_m(R14), R11
	MOVQ m_p(R11), R11
	INCQ (p_wm+wmP_steps+wmSteps_written)(R11)
	DECQ (p_wm+wmP_steps+wmSteps_left)(R11)
	JEQ  done
	CMPQ DI, R9
	JCC  done
	MOVL wmOp_size(SI), AX
	ADDQ AX, R10
	MOVBLZX wmOp_skip(SI), AX
	IMULQ $wmOp__size, AX
	SUBQ AX, SI
	NEXT
done:
	MOVQ (p_wm+wmP_steps+wmSteps_written)(R11), DX
	MOVQ (p_wm+wmP_steps+wmSteps_count)(R11), AX
	MOVW DX, (AX)
	LEAVE
	NEXT

TEXT ·wmStepHeader(SB),NOSPLIT|NOFRAME,$0-0
	BEGIN
	MOVL wmOp_offset(SI), AX
	MOVQ (R10)(AX*1), AX
	TESTQ AX, AX
	JEQ  none
	MOVL wmOp_size(SI), DX
	READABLE
	MOVB $2, (DI)
	INCQ DI
	CMPQ DX, $8
	JEQ  word
	MOVQ (AX), DX
	UVARINT(DX, again, last)
	ADDQ $8, AX
word:
	MOVQ (AX), DX
	UVARINT(DX, againWord, lastWord)
	NEXT
none:
	MOVB $0, (DI)
	INCQ DI
	NEXT
	MORE

TEXT ·wmStepFunction(SB),NOSPLIT|NOFRAME,$0-0
	BEGIN
	MOVL wmOp_offset(SI), AX
	MOVQ (R10)(AX*1), AX
	TESTQ AX, AX
	JEQ  none
	MOVL wmOp_size(SI), DX
	READABLE
	MOVQ (AX), AX
	SLOT
	JNE  more                         // it is described when it is walked
	MOVL wmType_id(CX), DX
	NUMBER
none:
	MOVB $0, (DI)
	INCQ DI
	NEXT
	MORE

TEXT ·wmStepNil(SB),NOSPLIT|NOFRAME,$0-0
	BEGIN
	MOVL wmOp_offset(SI), AX
	CMPQ (R10)(AX*1), $0
	JNE  more
	MOVB $0, (DI)
	INCQ DI
	NEXT
	MORE

// The steps, by the operations' codes.
#define STEP(code, step) DATA wmStepTable<>+(8*code)(SB)/8, $step(SB)
STEP(const_wmOpEnd, ·wmStepEnd)
STEP(const_wmOpBack, ·wmStepBack)
STEP(const_wmOpNext, ·wmStepNext)
STEP(const_wmOpNothing, ·wmStepNothing)
STEP(const_wmOpInt64, ·wmStepInt64)
STEP(const_wmOpInt32, ·wmStepInt32)
STEP(const_wmOpInt16, ·wmStepInt16)
STEP(const_wmOpInt8, ·wmStepInt8)
STEP(const_wmOpUint64, ·wmStepUint64)
STEP(const_wmOpUint32, ·wmStepUint32)
STEP(const_wmOpUint16, ·wmStepUint16)
STEP(const_wmOpUint8, ·wmStepUint8)
STEP(const_wmOpBool, ·wmStepBool)
STEP(const_wmOpFour, ·wmStepFour)
STEP(const_wmOpEight, ·wmStepEight)
STEP(const_wmOpString, ·wmStepString)
STEP(const_wmOpCount, ·wmStepCount)
STEP(const_wmOpBytes, ·wmStepBytes)
STEP(const_wmOpByteArray, ·wmStepByteArray)
STEP(const_wmOpAddress, ·wmStepAddress)
STEP(const_wmOpOutermost, ·wmStepOutermost)
STEP(const_wmOpPointer, ·wmStepPointer)
STEP(const_wmOpElements, ·wmStepElements)
STEP(const_wmOpLength, ·wmStepLength)
STEP(const_wmOpFunction, ·wmStepFunction)
STEP(const_wmOpHeader, ·wmStepHeader)
STEP(const_wmOpNil, ·wmStepNil)
STEP(const_wmOpUnexpected, ·wmStepNil)
GLOBL wmStepTable<>(SB), NOPTR, $(8*const_wmOpUnexpected+8)

// The programs of an int and of a string.
DATA wmIntegerOps<>+wmOp_code(SB)/1, $const_wmOpInt64
DATA wmIntegerOps<>+(wmOp__size+wmOp_code)(SB)/1, $const_wmOpEnd
GLOBL wmIntegerOps<>(SB), NOPTR|RODATA, $(2*wmOp__size)
DATA wmTextOps<>+wmOp_code(SB)/1, $const_wmOpString
DATA wmTextOps<>+(wmOp__size+wmOp_code)(SB)/1, $const_wmOpEnd
GLOBL wmTextOps<>(SB), NOPTR|RODATA, $(2*wmOp__size)
