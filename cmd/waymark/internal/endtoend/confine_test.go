package endtoend

// confineVar is the variable in which this test binary is told to run a program of a
// test's in a confinement.
const confineVar = "WAYMARK_TEST_CONFINE"
