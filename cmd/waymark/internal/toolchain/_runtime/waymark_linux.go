package runtime

// wmPID tells processes that are copies of each other apart.
func wmPID() int { return getpid() }
