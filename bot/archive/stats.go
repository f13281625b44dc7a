package archive

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"castellan/engine/chess"
	"castellan/lichess"
)

// Stats are the figures of one account's games.
type Stats struct {
	Account string `json:"account"`
	From    string `json:"from,omitempty"` // date of the first game, YYYY-MM-DD; "" when no game has one
	To      string `json:"to,omitempty"`   // … and of the last

	All        Count            `json:"all"`
	ByColor    map[string]Count `json:"byColor"`    // white, black
	BySpeed    map[string]Count `json:"bySpeed"`    // bullet, blitz, … and unknown
	ByOpponent map[string]Count `json:"byOpponent"` // person, bot, ai, unknown

	// Performance is nil when no opponent had a rating.
	Performance *Performance `json:"performance,omitempty"`

	Open   int `json:"open"`   // games without a result, or of which the account is not a player: left out
	Faulty int `json:"faulty"` // games that cannot be read: left out
}

// Count counts games by how they ended for the account.
type Count struct {
	Won   int `json:"won"`
	Drawn int `json:"drawn"`
	Lost  int `json:"lost"`
}

// Games is how many there are.
func (c Count) Games() int { return c.Won + c.Drawn + c.Lost }

// Score is the points for each game, 0 to 1; 0 without games.
func (c Count) Score() float64 {
	if c.Games() == 0 {
		return 0
	}
	return (float64(c.Won) + float64(c.Drawn)/2) / float64(c.Games())
}

// Kinds of opponents.
const (
	Person = "person"
	Bot    = "bot"
	AI     = "ai" // the server's own engine
)

// unknown is the speed of a game whose clock is not told, and the kind of an opponent of whom nothing tells it.
const unknown = "unknown"

// seen is what the figures need of a game.
type seen struct {
	names   [2]string
	titles  [2]string
	elo     [2]int // 0 when not told
	result  string
	speed   string
	date    string
	isTaken bool // has a result
	isTold  bool // who has no title is a person
}

// Paths returns the PGN files under each path: the path itself, or what lies in it when it is a folder, but not in folders in it.
func Paths(paths []string) (files []string, err error) {
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			if fault := (*fs.PathError)(nil); errors.As(err, &fault) {
				err = fault.Err
			}
			return nil, fmt.Errorf("no games can be read from %q: %w", path, err)
		}
		if !info.IsDir() {
			files = append(files, path)
			continue
		}
		entries, err := os.ReadDir(path)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if strings.EqualFold(filepath.Ext(e.Name()), ".pgn") && e.Type()&fs.ModeDir == 0 && !strings.HasPrefix(e.Name(), tempMark) {
				files = append(files, filepath.Join(path, e.Name()))
			}
		}
	}
	return files, nil
}

// A TieError says that two accounts have played in as many games, so that nobody knows whose the files are.
type TieError struct{ Accounts [2]string }

// Error names them.
func (e *TieError) Error() string {
	return fmt.Sprintf("%s and %s have played in as many games: say whose figures are wanted", e.Accounts[0], e.Accounts[1])
}

// Read counts the games in PGN files for an account; "" is the one that played in most of them, and of two that played in as many the
// one that is a bot; a *TieError when that does not tell either. An account that played in none of them is an error. each, when not nil, is told the
// number of files read.
func Read(files []string, account string, each func(files int)) (*Stats, error) {
	var games []seen
	faulty := 0
	for i, path := range files {
		found, bad, err := readFile(path)
		if err != nil {
			return nil, err
		}
		games, faulty = append(games, found...), faulty+bad
		if each != nil {
			each(i + 1)
		}
	}
	if len(games) == 0 {
		return nil, noGames(files, faulty)
	}
	if account == "" {
		var err error
		if account, err = mostSeen(games); err != nil {
			return nil, err
		}
	} else {
		var err error
		if account, err = spelling(games, account); err != nil {
			return nil, err
		}
	}
	s := count(games, account)
	s.Faulty = faulty
	return s, nil
}

// noGames says that there is no game in files, or that none of them can be read.
func noGames(files []string, faulty int) error {
	where, unread := strings.Join(files, ""), ""
	if len(files) > 1 {
		where = fmt.Sprintf("%s and %d more", files[0], len(files)-1)
	}
	if faulty > 0 {
		unread = fmt.Sprintf(", but %d that cannot be read", faulty)
	}
	return fmt.Errorf("%s: there are no games%s", where, unread)
}

func readFile(path string) (games []seen, faulty int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	for g, err := range chess.NewPGNReader(f).All() {
		if fault := (*chess.PGNError)(nil); errors.As(err, &fault) {
			faulty++
			continue
		}
		if err != nil {
			return nil, 0, fmt.Errorf("%s: %w", path, err)
		}
		games = append(games, look(g))
	}
	return games, faulty, nil
}

// look takes what counts of a game.
func look(g *chess.PGNGame) seen {
	elo := func(tag string) int {
		n, err := strconv.Atoi(g.Tag(tag))
		if err != nil || n < 1 || n > 10_000 {
			return 0
		}
		return n
	}
	date := g.Tag("UTCDate")
	if date == "" {
		date = g.Tag("Date")
	}
	if len(date) != len("2026.11.30") || strings.Contains(date, "?") {
		date = ""
	}
	site := g.Tag("Site")
	return seen{
		names:  [2]string{g.Tag("White"), g.Tag("Black")},
		titles: [2]string{g.Tag("WhiteTitle"), g.Tag("BlackTitle")},
		elo:    [2]int{elo("WhiteElo"), elo("BlackElo")},
		result: g.Result, speed: speedOf(g.Tag("TimeControl")), date: strings.ReplaceAll(date, ".", "-"),
		isTaken: g.Result == "1-0" || g.Result == "0-1" || g.Result == "1/2-1/2",
		// A server gives programs a title. Elsewhere, as in a match of engines, nobody may have one.
		isTold: g.Tag("WhiteTitle")+g.Tag("BlackTitle") != "" || strings.HasPrefix(site, "https://") || strings.HasPrefix(site, "http://"),
	}
}

// speedOf classes a TimeControl tag as Lichess classes games.
func speedOf(tag string) string {
	if strings.HasSuffix(tag, "per move") || tag == "-" {
		return string(lichess.SpeedCorrespondence)
	}
	base, increment, _ := strings.Cut(tag, "+")
	limit, err := strconv.ParseFloat(base, 64)
	if err != nil || !(limit >= 0 && limit < 1e6) {
		return unknown
	}
	each := 0.0
	if increment != "" {
		if each, err = strconv.ParseFloat(increment, 64); err != nil || !(each >= 0 && each < 1e6) {
			return unknown
		}
	}
	return string(lichess.SpeedOf(int(limit), int(each)))
}

// mostNames is how many accounts an error lists.
const mostNames = 5

// spelling returns an account as the last of its games spells it. When it has played in none, the error names those who have.
func spelling(games []seen, account string) (string, error) {
	id := lichess.UserID(account)
	times, spelled := map[string]int{}, map[string]string{}
	for _, g := range games {
		for _, name := range g.names {
			times[lichess.UserID(name)]++
			spelled[lichess.UserID(name)] = name
		}
	}
	if name, ok := spelled[id]; ok {
		return name, nil
	}
	there := slices.SortedFunc(maps.Keys(times), func(a, b string) int { return cmp.Or(cmp.Compare(times[b], times[a]), strings.Compare(a, b)) })
	more := ""
	if len(there) > mostNames {
		there, more = there[:mostNames], " and others"
	}
	for i := range there {
		there[i] = lichess.CleanText(spelled[there[i]], 60)
	}
	return "", fmt.Errorf("%s has played none of the games; those who have are %s%s", lichess.CleanText(account, 60), strings.Join(there, ", "), more)
}

// mostSeen returns the account that played in most games.
func mostSeen(games []seen) (string, error) {
	times, spelled, bots := map[string]int{}, map[string]string{}, map[string]bool{}
	for _, g := range games {
		for side, name := range g.names {
			id := lichess.UserID(name)
			times[id]++
			spelled[id] = name
			bots[id] = bots[id] || g.titles[side] == lichess.TitleBot
		}
	}
	ids := make([]string, 0, len(times))
	for id := range times {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b string) int { return cmp.Or(cmp.Compare(times[b], times[a]), strings.Compare(a, b)) })
	switch {
	case len(ids) > 2 && times[ids[0]] == times[ids[2]]:
		return "", fmt.Errorf("%s, %s and others have played in as many games: say whose figures are wanted", spelled[ids[0]], spelled[ids[1]])
	case len(ids) > 1 && times[ids[0]] == times[ids[1]] && bots[ids[0]] == bots[ids[1]]:
		return "", &TieError{[2]string{spelled[ids[0]], spelled[ids[1]]}}
	case len(ids) > 1 && times[ids[0]] == times[ids[1]] && bots[ids[1]]:
		return spelled[ids[1]], nil
	}
	return spelled[ids[0]], nil
}

// count makes the figures.
func count(games []seen, account string) *Stats {
	s := &Stats{Account: account, ByColor: map[string]Count{}, BySpeed: map[string]Count{}, ByOpponent: map[string]Count{}}
	me := lichess.UserID(account)
	var against []Opponent
	for _, g := range games {
		us := slices.IndexFunc(g.names[:], func(name string) bool { return lichess.UserID(name) == me })
		if us < 0 || !g.isTaken {
			s.Open++
			continue
		}
		if g.date != "" && (s.From == "" || g.date < s.From) {
			s.From = g.date
		}
		s.To = max(s.To, g.date)
		them := 1 - us
		var one Count
		switch {
		case g.result == "1/2-1/2":
			one.Drawn = 1
		case (g.result == "1-0") == (us == int(chess.White)):
			one.Won = 1
		default:
			one.Lost = 1
		}
		s.All = s.All.add(one)
		for _, by := range []struct {
			counts map[string]Count
			key    string
		}{{s.ByColor, chess.Color(us).String()}, {s.BySpeed, g.speed}, {s.ByOpponent, kindOf(&g, them)}} {
			by.counts[by.key] = by.counts[by.key].add(one)
		}
		if g.elo[them] > 0 {
			against = append(against, Opponent{Rating: g.elo[them], Score: one.Score()})
		}
	}
	s.Performance = Perform(against)
	return s
}

func (c Count) add(o Count) Count {
	return Count{c.Won + o.Won, c.Drawn + o.Drawn, c.Lost + o.Lost}
}

func kindOf(g *seen, side int) string {
	switch {
	case g.titles[side] == lichess.TitleBot:
		return Bot
	case strings.HasPrefix(g.names[side], "lichess AI"):
		return AI
	case g.isTold:
		return Person
	}
	return unknown
}
