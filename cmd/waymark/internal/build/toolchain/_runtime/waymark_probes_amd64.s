#include "go_asm.h"
#include "textflag.h"

// func wmCallProbe(at uintptr, words *[wmProbeWords]uint64)
// Goes through the location with that number, with the words in registers. The frame is for kernels that
// make the long nop a call: they push 32 bytes.
TEXT ·wmCallProbe(SB),NOSPLIT,$128-16
	MOVQ at+0(FP), R15
	MOVQ words+8(FP), R13
	SHLQ $const_wmProbeShift, R15
	LEAQ ·wmProbePool(SB), AX
	ADDQ AX, R15
	ADDQ $const_wmProbeHead, R15
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

// A location is nop, a nop of 10 bytes, ret, and 4 bytes that are never reached. Older kernels put a
// breakpoint onto the first nop and needn't execute what it replaces; newer ones make the long one a call.
#define L1 QUAD $0x0000841f0f2e6690; QUAD $0xccccccccc3000000
#define L4 L1; L1; L1; L1
#define L16 L4; L4; L4; L4
#define L64 L16; L16; L16; L16
#define L256 L64; L64; L64; L64
#define L1024 L256; L256; L256; L256

// The locations of all probes, wmProbeLocations of them, behind wmProbeHead bytes by which the pool is found.
TEXT ·wmProbePool(SB),NOSPLIT|NOFRAME,$0-0
	QUAD $0xcccccccccccccccc
	QUAD $0x6b72616d796177cc // "waymark", " pool of probes."
	QUAD $0x666f206c6f6f7020
	QUAD $0x2e7365626f727020
	L1024; L1024; L1024; L1024
	L1024; L1024; L1024; L1024
	L1024; L1024; L1024; L1024
	L1024; L1024; L1024; L1024
