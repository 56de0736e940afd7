// Package homestate tells which mneme runs in a home, and where its services are. A running
// mneme holds the lock of the home and keeps a state file there; every other program of the user
// finds it by the two. What the user sets is package config's.
package homestate
