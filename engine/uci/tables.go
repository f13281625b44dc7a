package uci

import (
	"path/filepath"

	"castellan/engine"
	"castellan/engine/tablebase"
)

// noPath is what a GUI sends for no text at all.
const noPath = "<empty>"

// tableOptions are the options of endgame tables, under the names that other engines use.
func (s *session) tableOptions() []option {
	o := s.settings
	path := s.tablePath
	if path == "" {
		path = noPath
	}
	return []option{
		{"SyzygyPath", "type string default " + path, func(s *session, v string) error {
			return s.setTables(v)
		}},
		{"SyzygyProbeDepth", spin(o.TableDepth, 1, engine.MaxTableDepth), func(s *session, v string) error {
			return s.changed(setInt(&s.settings.TableDepth, v, 1, engine.MaxTableDepth))
		}},
		{"SyzygyProbeLimit", spin(max(0, o.TableMen), 0, engine.MaxTableMen), func(s *session, v string) error {
			var men int
			err := setInt(&men, v, 0, engine.MaxTableMen)
			if err == nil {
				if s.settings.TableMen = men; men == 0 {
					s.settings.TableMen = -1 // the engine's word for none
				}
			}
			return s.changed(err)
		}},
		{"Syzygy50MoveRule", check(!o.Endless), func(s *session, v string) error {
			rule := !s.settings.Endless
			err := setBool(&rule, v)
			s.settings.Endless = !rule
			return s.changed(err)
		}},
	}
}

// setTables opens the tables in a list of directories, separated as in the environment's PATH.
func (s *session) setTables(path string) error {
	var tables *tablebase.Tables
	if path == noPath {
		path = ""
	}
	if path != "" {
		var err error
		if tables, err = tablebase.Open(filepath.SplitList(path)); err != nil {
			return err
		}
		s.inform("endgame tables: " + tables.Counts().String())
		s.tables = append(s.tables, tables)
	}
	s.tablePath, s.settings.Tables = path, tables
	return s.changed(nil)
}

// closeTables closes the tables that the session has opened, but for those in use.
func (s *session) closeTables(used *tablebase.Tables) {
	var kept []*tablebase.Tables
	for _, t := range s.tables {
		if t == used {
			kept = append(kept, t)
		} else if err := t.Close(); err != nil {
			s.inform(err.Error())
		}
	}
	s.tables = kept
}
