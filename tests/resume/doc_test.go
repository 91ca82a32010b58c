// Package resume interrupts trainings, resumes them and compares what comes out.
package resume
