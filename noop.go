package waymark

// NoOp gives a factory of monitors that do nothing: to measure what it costs to call a monitor,
// or to take the place of another one.
func NoOp() MonitorFactory { return noOp{} }

type noOp struct{}

func (noOp) Kind() string { return "NoOp" }

func (noOp) Create(pkg string) Monitor { return noOpMonitor{named{pkg}} }

type noOpMonitor struct{ named }

func (noOpMonitor) Enter(int, ...any)                 {}
func (noOpMonitor) Info([]any, int, int, TimingPoint) {}
func (noOpMonitor) Exit(int)                          {}
func (noOpMonitor) ExitResults(int, ...any)           {}
func (noOpMonitor) Panic(int, any)                    {}
func (noOpMonitor) Clear()                            {}
