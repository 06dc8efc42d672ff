# Counts the instructions of one call of a function, by function, with gdb:
#
#	gdb -q -batch -ex 'set $fn = "main.f"' -x benchmarks/instructions.py --args program arguments...
#
# Unlike times these repeat. The call is the 3000th, so that what happens once is over.
import gdb

name = gdb.convenience_variable("fn").string()
for setting in ("pagination off", "confirm off", "breakpoint pending on"):
    gdb.execute("set " + setting)
gdb.execute("handle SIGURG nostop noprint pass")  # the scheduler's
gdb.execute("break *'%s'" % name, to_string=True)
gdb.execute("ignore $bpnum 3000", to_string=True)
gdb.execute("run", to_string=True)
gdb.execute("set scheduler-locking on")

counts = {}
start = int(gdb.parse_and_eval("$sp"))
back = int(gdb.parse_and_eval("{uint64}$sp"))  # amd64: where it returns to
# A system stack may lie above the goroutine's.
while int(gdb.parse_and_eval("$pc")) != back or int(gdb.parse_and_eval("$sp")) <= start:
    function = gdb.selected_frame().name()
    counts[function] = counts.get(function, 0) + 1
    gdb.execute("stepi", to_string=True)
print("%d instructions" % sum(counts.values()))
for function, n in counts.items():
    print("%6d  %s" % (n, function))
gdb.execute("kill", to_string=True)
