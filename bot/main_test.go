package bot_test

import (
	"flag"
	"testing"

	"go.uber.org/goleak"
)

// TestMain lets more tests run side by side than there are cores: most of them wait for a clock.
func TestMain(m *testing.M) {
	flag.Parse()
	if flag.Lookup("test.parallel").Value.String() == flag.Lookup("test.parallel").DefValue {
		flag.Set("test.parallel", "8")
	}
	goleak.VerifyTestMain(m)
}
