package lichess

import (
	"encoding/json"
	"strings"
	"testing"
)

// hidings are texts in which the token comes together when they are decoded and cleaned.
var hidings = []string{
	`lip_Secret`, `lip\u005fSecret`, `\u006Cip_Secre\u0074`, "lip_\x00Secret", `lip_\u0000Secret`, "lip_\u200bSecret", `lip_\u200bSecret`,
	"lip_\xffSecret", `lip_\ud800Secret`, `lip_\udb40\udc41Secret`, `lip_\bSecret`, "lip\u005f\\u005fSecret lip_\x01\\u0002Secret",
}

func TestScrubFindsWhatComesTogetherLater(t *testing.T) {
	const secret = "lip_Secret"
	for _, hiding := range hidings {
		for _, text := range []string{hiding, "a" + hiding + "b " + hiding, `\\` + hiding + `\n"é`} {
			safe := Scrub([]byte(text), secret)
			if shown := CleanText(string(safe), 1000); strings.Contains(shown, secret) {
				t.Errorf("%q becomes %q", text, shown)
			}
			var decoded string
			if json.Unmarshal([]byte(`"`+string(safe)+`"`), &decoded) == nil && strings.Contains(CleanText(decoded, 1000), secret) {
				t.Errorf("%q is read as %q", text, decoded)
			}
			if body := errorBody(400, Scrub([]byte(`<html><title>`+text+`</title></html>`), secret)); strings.Contains(body.Error, secret) {
				t.Errorf("%q is told as %q", text, body.Error)
			}
		}
	}
	for _, plain := range []string{``, `\`, `\u`, `\u12`, `{"a":"\u0041\n"}`, "\x00lip_Sec\x00", `lip_Se\ncret`, `lip_Secre\u00`} {
		if got := string(Scrub([]byte(plain), secret)); got != plain {
			t.Errorf("%q became %q", plain, got)
		}
	}
}

// FuzzScrub wants the token neither in what is shown of a text, nor of what the text says as JSON.
func FuzzScrub(f *testing.F) {
	const secret = "lip_Secret"
	for _, hiding := range hidings {
		f.Add([]byte(hiding))
		f.Add([]byte(`"` + hiding + `"`))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		safe := Scrub(text, secret)
		if shown := CleanText(string(safe), 1000); strings.Contains(shown, secret) {
			t.Errorf("%q becomes %q", text, shown)
		}
		var decoded string
		if json.Unmarshal(safe, &decoded) == nil && strings.Contains(CleanText(decoded, 1000), secret) {
			t.Errorf("%q is read as %q", text, decoded)
		}
	})
}
