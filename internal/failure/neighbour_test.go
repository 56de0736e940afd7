package failure

import "testing"

func TestNeighboursFailAlike(t *testing.T) {
	t.Parallel()
	const denied = "Exit code 1\n2026-10-10T20:11: Cannot open /dev/ttyUSB1: Permission denied"
	if text := "indiserver: Cannot open /dev/ttyUSB0: Permission denied - the user must be in the group dialout."; !Read("indiserver indi_mount", denied).Fits(text) {
		t.Errorf("another device: %.2f", Read("indiserver indi_mount", denied).Score(text))
	}
	if text := "indiserver: Cannot open /etc/passwd: Permission denied - run it as root."; Read("indiserver indi_mount", denied).Fits(text) {
		t.Errorf("another file: %.2f", Read("indiserver indi_mount", denied).Score(text))
	}
	if text := "kubectl apply: error HTTP401 from the API. Fix: log in again."; Read("kubectl apply", "error HTTP403 from the API").Fits(text) {
		t.Error("another status")
	}
}
