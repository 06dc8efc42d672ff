package probe

// registers are those that have the arguments while place is at a site.
var registers = [MaxArgs]string{"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11"}
