package probe

// registers are those that have the arguments while place is at a site.
var registers = [MaxArgs]string{"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13"}
