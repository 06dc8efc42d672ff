#include "go_asm.h"
#include "textflag.h"

// func wmCallProbe(at uintptr, words *[wmProbeWords]uint64)
// Goes through the location with that number, with the words in registers.
TEXT ·wmCallProbe(SB),NOSPLIT,$16-16
	MOVD at+0(FP), R16
	MOVD words+8(FP), R17
	LSL  $const_wmProbeShift, R16
	MOVD $·wmProbePool(SB), R15
	ADD  R15, R16
	ADD  $const_wmProbeHead, R16
	LDP  0(R17), (R0, R1)
	LDP  16(R17), (R2, R3)
	LDP  32(R17), (R4, R5)
	LDP  48(R17), (R6, R7)
	LDP  64(R17), (R8, R9)
	LDP  80(R17), (R10, R11)
	CALL (R16)
	RET

// A location is nop, ret.
#define L1 WORD $0xd503201f; WORD $0xd65f03c0
#define L4 L1; L1; L1; L1
#define L16 L4; L4; L4; L4
#define L64 L16; L16; L16; L16
#define L256 L64; L64; L64; L64
#define L1024 L256; L256; L256; L256

// The locations of all probes, wmProbeLocations of them, behind wmProbeHead bytes by which the pool is found.
TEXT ·wmProbePool(SB),NOSPLIT|NOFRAME,$0-0
	WORD $0xcccccccc
	WORD $0xcccccccc
	WORD $0x796177cc // "waymark", " pool of probes."
	WORD $0x6b72616d
	WORD $0x6f6f7020
	WORD $0x666f206c
	WORD $0x6f727020
	WORD $0x2e736562
	L1024; L1024; L1024; L1024
	L1024; L1024; L1024; L1024
	L1024; L1024; L1024; L1024
	L1024; L1024; L1024; L1024
