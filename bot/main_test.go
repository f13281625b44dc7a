package bot_test

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain lets more tests run side by side than there are cores: most of them wait for a clock.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == fakeEngine {
		beEngine(os.Args[2], os.Args[3:])
		return
	}
	flag.Parse()
	if flag.Lookup("test.parallel").Value.String() == flag.Lookup("test.parallel").DefValue {
		flag.Set("test.parallel", "8")
	}
	remove, err := makeChaosCertificates()
	if err != nil {
		fmt.Fprintln(os.Stderr, "certificates for the tests:", err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		remove()
		os.Exit(code)
	}))
}
