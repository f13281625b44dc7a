package main

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"

	"castellan/bot/opponents"
	"castellan/config"
)

// allFaults adds what is wrong with all that the settings name to what is known to be wrong, so that it is told at once: books, endgame
// tables, lists of names, folders, addresses and the other engine. It is nil when nothing is wrong.
func allFaults(cfg *config.Config, known error) error {
	f, filesFault := openFiles(cfg)
	f.close()
	other, engineFault := openExternal(cfg, nil, nil)
	if other != nil {
		other.Close()
	}
	_, namesFault := cfg.NameLists()
	return together(known, filesFault, namesFault, folderFaults(cfg), addressFaults(cfg), engineFault)
}

// folderFaults tells which folders of the settings cannot be written to. The one of the state has to be there; the others are made.
func folderFaults(cfg *config.Config) error {
	return errors.Join(
		checkFolder("CASTELLAN_STATE_DIR", cfg.State.Dir),
		checkMadeFolder("CASTELLAN_PGN_DIR", cfg.PGN.Dir),
		checkMadeFolder("CASTELLAN_RECORD_DIR", cfg.Record.Dir))
}

// checkMadeFolder is [checkFolder] for one that is made when it is not there.
func checkMadeFolder(variable string, dir config.Folder) error {
	if dir == "" {
		return nil
	}
	above, itself := firstThere(string(dir))
	if !itself {
		variable = fmt.Sprintf("%s: %s is not there and cannot be made", variable, dir)
	}
	return checkFolder(variable, config.Folder(above))
}

// checkFolder tries to write into the folder of a setting; that of none is well.
func checkFolder(variable string, dir config.Folder) error {
	if dir == "" {
		return nil
	}
	if err := opponents.CheckDir(string(dir)); err != nil {
		return usageError{fmt.Errorf("%s: %w: %s", variable, err, folderAdvice(err))}
	}
	return nil
}

// listenAdvice is what to do about an address that cannot be listened on.
const listenAdvice = "choose another port or address; if another bot has this one, see that no second one runs with the same token"

// addressFaults tells which addresses of the settings cannot be listened on.
func addressFaults(cfg *config.Config) error {
	var faults []error
	for _, at := range []struct {
		variable string
		addr     config.Addr
	}{{"CASTELLAN_STATUS_ADDR", cfg.StatusAddr}, {"CASTELLAN_METRICS_ADDR", cfg.MetricsAddr}} {
		if at.addr == "" {
			continue
		}
		listener, err := net.Listen("tcp", string(at.addr))
		if err != nil {
			faults = append(faults, usageError{fmt.Errorf("%s: %w: %s", at.variable, err, listenAdvice)})
			continue
		}
		listener.Close()
	}
	return errors.Join(faults...)
}

// together is all faults as one error, each once, under a heading when there are several; nil for none.
func together(errs ...error) error {
	var all []string
	for _, err := range errs {
		for _, text := range single(err) {
			if !slices.Contains(all, text) {
				all = append(all, text)
			}
		}
	}
	switch len(all) {
	case 0:
		return nil
	case 1:
		return usageError{errors.New(all[0])}
	}
	return usageError{fmt.Errorf("%d settings are wrong:\n  %s", len(all), strings.Join(all, "\n  "))}
}

// single takes joined faults apart into the text of each.
func single(err error) (texts []string) {
	switch e := err.(type) {
	case nil:
	case usageError:
		return single(e.err)
	case config.Faults:
		for _, fault := range e {
			texts = append(texts, fault.String())
		}
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			texts = append(texts, single(inner)...)
		}
	default:
		texts = append(texts, strings.ReplaceAll(err.Error(), "\n", "\n    "))
	}
	return texts
}

// under puts the name of a setting before each of its faults.
func under(variable string, err error) error {
	var faults []error
	for _, text := range single(err) {
		faults = append(faults, usageError{fmt.Errorf("%s: %s", variable, text)})
	}
	return errors.Join(faults...)
}
