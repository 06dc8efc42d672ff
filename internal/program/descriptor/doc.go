// Package descriptor keeps waymark's file descriptors out of the program's way.
package descriptor
