// Package usdt is about USDT probes as SystemTap defined them and bpftrace, bcc, perf and gdb read
// them. An ELF file has a note for each place where a program may be stopped. The note has the
// probe's name and says where its arguments are then.
//
//	note := usdt.Note{
//		Provider: "shop", Name: "finish", Location: 0x401000, Semaphore: 0x602000,
//		Args: []usdt.Arg{usdt.Register(8, true, "rax"), usdt.Register(8, false, "rbx")},
//	}
//	section, err := usdt.Append(nil, usdt.AMD64, note)   // what .note.stapsdt holds
//	notes, err := usdt.Decode(section, usdt.AMD64)
//
// The package encodes and decodes; it knows names that tracers refuse, and the instructions of a
// probe's place. It reads and writes no file. It is for 64-bit, little-endian machines.
//
// # The note
//
// A note has the name "stapsdt", the type 3, and a description of
//
//	location   8 bytes  address of the instruction, as in the file
//	base       8 bytes  address of the section .stapsdt.base, as in the file
//	semaphore  8 bytes  address of a 16-bit counter, 0: none
//	provider   text, ends with a 0 byte
//	name       text, ends with a 0 byte
//	arguments  text, ends with a 0 byte
//
// A tool that moves the file's addresses moves the section .stapsdt.base, too. Readers add the
// difference between its address and base to the location and to the semaphore. Tracers count the
// semaphore up while they are attached, in each process.
//
// Arguments are divided by spaces, each as SIZE@PLACE. SIZE is the number of bytes, negative for
// signed integers, with an f for a floating-point register. PLACE is written as in the assembly
// language of the machine:
//
//	-4@%eax  8@%rbx  8@16(%rsp)  -4@$7      amd64
//	-4@x0    8@x1    8@[sp, 16]  -4@7       arm64
//
// At most MaxArgs arguments can be told.
package usdt
