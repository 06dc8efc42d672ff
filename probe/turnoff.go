package probe

func usdtWanted() bool { return true }
