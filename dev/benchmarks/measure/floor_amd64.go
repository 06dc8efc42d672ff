package measure

// Floor reads the time stamp counter 2*n times.
func Floor(n int)
