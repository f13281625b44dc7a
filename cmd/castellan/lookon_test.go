package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"testing"
)

// TestLookOnInTheBrowser opens games of others: one that another program plays with a bot here, and one that is none.
func TestLookOnInTheBrowser(t *testing.T) {
	ctx := startBrowser(t)
	url := startLocal(t, "127.0.0.1:0")
	t.Run("another program's game", func(t *testing.T) {
		rival := startProcess(t, url, "lip_rival", "CASTELLAN_NODES=200")
		rival.logged("online")
		go io.Copy(io.Discard, rival.stderr)
		cmd := exec.Command("castellan", "challenge", "Castellan", "5+3", "--json")
		cmd.Env = append(cmd.Environ(), "CASTELLAN_URL="+url, "CASTELLAN_TOKEN=lip_rival")
		out, err := cmd.Output()
		var made struct{ ID string }
		if err := errors.Join(err, json.Unmarshal(out, &made)); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		p := openPage(t, ctx, url+"/"+made.ID, `document.querySelectorAll('#moves button').length >= 4`)
		if p.is(`!document.querySelector('#in-play').hidden || document.querySelector('.square.movable')`) {
			t.Error("a person who watches can move")
		}
	})
	t.Run("no such game", func(t *testing.T) {
		p := openPage(t, ctx, url+"/nothing0", `document.querySelector('#link').dataset.link === 'failed'`)
		p.until("there is no board", `document.querySelector('#table').hidden`)
		p.click("#new-game")
		p.until("the form has one", `!document.querySelector('#table').hidden && !document.querySelector('#setup').hidden`)
	})
}
