package main

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"castellan/bot"
	"castellan/bot/opponents"
	"castellan/bot/sources"
	"castellan/config"
	"castellan/engine"
	"castellan/engine/external"
	"castellan/engine/search"
	"castellan/engine/tablebase"
	"castellan/lichess"
	"castellan/lichess/record"
)

// botOptions puts the settings into the bot's own terms.
func botOptions(cfg *config.Config, log *slog.Logger) bot.Options {
	return bot.Options{
		MaxGames: int(cfg.MaxGames),
		Accept: bot.Acceptance{
			Humans: slices.Contains(cfg.AcceptOpponents, "human"), OfHumans: terms(&cfg.AcceptHumans),
			Bots: slices.Contains(cfg.AcceptOpponents, "bot"), OfBots: terms(&cfg.AcceptBots),
			HumanPlaces: int(cfg.HumanPlaces),
			Queue:       int(cfg.AcceptQueue), QueueWait: time.Duration(cfg.AcceptQueueWait), QueueBest: cfg.AcceptQueueOrder == "best",
			PreferHumans: cfg.AcceptPrefer == "human", PreferBots: cfg.AcceptPrefer == "bot",
		},
		Match:               matchPolicy(cfg),
		Arenas:              arenas(cfg),
		StateDir:            string(cfg.State.Dir),
		Draw:                drawPolicy(cfg),
		Rematch:             rematchPolicy(cfg),
		Resign:              resignPolicy(cfg),
		Takebacks:           int(cfg.Takebacks),
		AbortAfter:          time.Duration(cfg.AbortAfter),
		ClaimWhenGone:       bool(cfg.ClaimWhenGone),
		MaxCorrespondence:   int(cfg.MaxCorrespondence),
		CorrespondenceRest:  time.Duration(cfg.CorrespondenceRest),
		CorrespondenceThink: time.Duration(cfg.CorrespondenceThink),
		Ponder:              bool(cfg.Ponder),
		Chat: bot.Chat{
			Greeting: string(cfg.Chat.Greeting), GreetingSpectators: string(cfg.Chat.GreetingSpectators),
			Farewell: string(cfg.Chat.Farewell), FarewellSpectators: string(cfg.Chat.FarewellSpectators),
			Commands: bool(cfg.Chat.Commands), Bots: bool(cfg.Chat.Bots), Engine: engineName, Version: buildVersion(),
		},
		Log: log,
	}
}

func drawPolicy(cfg *config.Config) bot.DrawPolicy {
	d := &cfg.Draw
	return bot.DrawPolicy{
		Offer: bool(d.Offer), OfferHumans: slices.Contains(d.OfferOpponents, "human"), OfferBots: slices.Contains(d.OfferOpponents, "bot"),
		OfferMinRating: int(d.OfferMinRating), OfferScore: int(d.OfferScore), OfferMoves: int(d.OfferMoves), OfferDepth: int(d.OfferDepth),
		OfferFromMove: int(d.OfferFromMove), OfferMen: int(d.OfferMen), OfferQuiet: int(d.OfferQuietMoves),
		Accept: bool(d.Accept), AcceptScore: int(d.AcceptScore), Clock: time.Duration(d.Clock),
		Contempt: int(d.Contempt), ContemptByRating: int(d.ContemptByRating),
	}
}

func rematchPolicy(cfg *config.Config) bot.RematchPolicy {
	r := &cfg.Rematch
	return bot.RematchPolicy{
		Offer: r.Offer != "never", Lost: r.Offer == "lost", Humans: slices.Contains(r.Opponents, "human"), Bots: slices.Contains(r.Opponents, "bot"),
		Games: int(r.Games), Wait: time.Duration(r.Wait), Decline: !bool(r.Accept),
	}
}

func resignPolicy(cfg *config.Config) bot.ResignPolicy {
	r := &cfg.Resign
	return bot.ResignPolicy{
		Enabled: bool(r.Enabled), Humans: slices.Contains(r.Opponents, "human"), Bots: slices.Contains(r.Opponents, "bot"),
		MinRating: int(r.MinRating), Score: int(r.Score), Moves: int(r.Moves), Depth: int(r.Depth), FromMove: int(r.FromMove),
		OpponentClock: time.Duration(r.OpponentClock), Stalemate: bool(r.Stalemate),
	}
}

// terms puts the settings about challenges into the bot's own terms.
func terms(t *config.Terms) bot.Terms {
	terms := bot.Terms{
		Variants: t.Variants, Speeds: t.Speeds, Rated: slices.Contains(t.Modes, "rated"), Casual: slices.Contains(t.Modes, "casual"),
		BaseMin: time.Duration(t.BaseMin), BaseMax: time.Duration(t.BaseMax),
		IncMin: time.Duration(t.IncrementMin), IncMax: time.Duration(t.IncrementMax), BulletIncrement: bool(t.BulletIncrement),
		DaysMin: int(t.DaysMin), DaysMax: int(t.DaysMax), Unlimited: bool(t.Unlimited),
		RatingMin: int(t.RatingMin), RatingMax: int(t.RatingMax), RatingDifference: int(t.RatingDifference),
		OpponentGames: int(t.OpponentGames), OpponentGamesPerDay: int(t.OpponentGamesPerDay), OpponentPause: time.Duration(t.OpponentPause),
	}
	for _, clock := range t.Clocks {
		terms.Clocks = append(terms.Clocks, opponents.Clock(clock))
	}
	return terms
}

// engineName is what the built-in engine is called.
const engineName = "Castellan"

// matchPolicy puts the settings about challenges to others into the bot's own terms.
func matchPolicy(cfg *config.Config) bot.MatchPolicy {
	m := &cfg.Matchmaking
	policy := bot.MatchPolicy{
		Enabled: bool(m.Enabled), Idle: time.Duration(m.Idle), Interval: time.Duration(m.Interval), Wait: time.Duration(m.Wait),
		Games: int(m.Games), GamesPerDay: int(m.GamesPerDay), ChallengesPerDay: int(m.ChallengesPerDay),
		Wish: opponents.Wish{
			Rated: slices.Contains(m.Modes, "rated"), Casual: slices.Contains(m.Modes, "casual"),
			RatingMin: int(m.RatingMin), RatingMax: int(m.RatingMax), RatingDifference: int(m.RatingDifference),
			OpponentGamesPerDay: int(m.OpponentGamesPerDay),
			Prefer: map[config.Choice]opponents.Preference{
				"near": opponents.PreferNear, "strong": opponents.PreferStrong, "weak": opponents.PreferWeak, "any": opponents.PreferAny,
			}[m.Prefer],
		},
	}
	for _, clock := range m.Clocks {
		policy.Wish.Clocks = append(policy.Wish.Clocks, opponents.Clock(clock))
	}
	for _, variant := range m.Variants {
		policy.Wish.Variants = append(policy.Wish.Variants, lichess.VariantKey(variant))
	}
	return policy
}

// arenas are those of the settings.
func arenas(cfg *config.Config) (list []bot.Arena) {
	for _, id := range cfg.Arenas {
		list = append(list, bot.Arena{ID: id, Password: cfg.ArenaPassword.Reveal(), Team: string(cfg.ArenaTeam)})
	}
	return list
}

// openState reads what is known of opponents out of the state directory, which has to be one that can be written to; nil when the
// settings name none.
func openState(cfg *config.Config, log *slog.Logger) (*opponents.Book, error) {
	dir := string(cfg.State.Dir)
	if dir == "" {
		return nil, nil
	}
	if err := checkFolder("CASTELLAN_STATE_DIR", cfg.State.Dir); err != nil {
		return nil, err
	}
	book, err := opponents.Load(dir, time.Now())
	if err != nil {
		log.Warn("some of the state is lost", "err", err)
	}
	return book, nil
}

// files is what the engine reads from besides its own memory; each is nil when the settings have none.
type files struct {
	books  openedBooks
	tables *tablebase.Tables
}

// openFiles opens the books and endgame tables of the settings, checked. All faults are told at once.
func openFiles(cfg *config.Config) (files, error) {
	books, bookFault := openBooks(cfg)
	tables, tableFault := openTables(cfg)
	f := files{books, tables}
	if err := errors.Join(bookFault, tableFault); err != nil {
		f.close()
		return files{}, err
	}
	return f, nil
}

func (f files) close() {
	f.books.close()
	f.tables.Close()
}

// openTables lists the endgame tables of the settings; nil when there are none.
func openTables(cfg *config.Config) (*tablebase.Tables, error) {
	if len(cfg.SyzygyPath) == 0 {
		return nil, nil
	}
	tables, err := tablebase.Open(cfg.SyzygyPath)
	if err != nil {
		return nil, under("CASTELLAN_SYZYGY_PATH", err)
	}
	return tables, nil
}

// engineOptions puts the settings into the engine's own terms.
func engineOptions(cfg *config.Config, f files) engine.Options {
	threads := int(cfg.Threads)
	if threads == 0 {
		threads = min(search.Processors(), engine.MaxThreads)
	}
	overhead := time.Duration(cfg.MoveOverhead)
	if overhead == 0 {
		overhead = -1 // the engine's word for none
	}
	hash := int(cfg.HashMB)
	if cfg.Engine != "" {
		hash = min(hash, standbyHashMB)
	}
	return engine.Options{
		HashMB: hash, Threads: threads, MoveOverhead: overhead,
		MaxMoveTime: max(engine.DefaultMaxMoveTime, time.Duration(cfg.CorrespondenceThink)),
		Elo:         int(cfg.Elo),
		Nodes:       uint64(cfg.Nodes),
		Tables:      f.tables,
	}
}

// player is a bot with what it needs, closed together.
type player struct {
	*bot.Bot
	client    *lichess.Client
	engine    *engine.Engine
	external  *external.Engine // nil when the built-in engine plays
	files     files
	reference *lichess.Reference
	recorder  *record.Recorder // nil when nothing is recorded
}

// newPlayer makes a bot for one account, of which the watchers are told; nil for none.
func newPlayer(cfg *config.Config, url, token string, log *slog.Logger, w *watchers) (*player, error) {
	p := &player{}
	made := false
	defer func() {
		if !made {
			p.close()
		}
	}()
	lists, listFault := cfg.NameLists()
	var err error
	var fileFault, engineFault error
	p.files, fileFault = openFiles(cfg)
	if p.engine, err = engine.New(engineOptions(cfg, p.files)); err != nil {
		return nil, errors.Join(fileFault, err)
	}
	p.external, engineFault = openExternal(cfg, p.engine, log)
	if err := together(fileFault, listFault, folderFaults(cfg), engineFault); err != nil {
		return nil, err
	}
	options := lichess.Options{URL: url, Token: lichess.Token(token), Version: buildVersion(), Logger: log}
	if cfg.Record.Dir != "" {
		p.recorder, err = record.New(record.Options{
			Dir: string(cfg.Record.Dir), MaxBytes: int64(cfg.Record.MB) << 20, Token: token, Version: buildVersion(), Log: log,
		})
		if err != nil {
			return nil, usageError{fmt.Errorf("CASTELLAN_RECORD_DIR: %w", err)}
		}
		options.Wrap = p.recorder.Wrap
		log.Info("recording", "dir", string(cfg.Record.Dir))
	}
	if w != nil {
		options.Observe = w.metrics.Try
	}
	if p.client, err = lichess.New(options); err != nil {
		return nil, usageError{err}
	}
	if p.files.tables != nil {
		log.Info("endgame tables", "found", p.files.tables.Counts().String())
	}
	var mind engine.Mind = p.engine
	if p.external != nil {
		mind = p.external
		log.Info("another engine plays", "name", p.external.Name(), "process", string(cfg.EngineProcess))
	}
	if p.reference, err = lichess.NewReference(referenceOptions(cfg, log)); err != nil {
		return nil, usageError{err}
	}
	mind = sources.New(mind, sourceOptions(cfg, p.files, p.reference, p.engine, log))
	behave := botOptions(cfg, log)
	if p.external != nil {
		behave.Chat.Engine, behave.Chat.Version = p.external.Name(), "" // the name has it
	}
	if behave.Opponents, err = openState(cfg, log); err != nil {
		return nil, err
	}
	if w != nil {
		behave.Watch, w.client = w.note, p.client
	}
	p.Bot = bot.New(p.client, mind, behave)
	p.SetNames(lists.Allow, lists.Block)
	made = true
	return p, nil
}

func (p *player) close() {
	if p.external != nil {
		p.external.Close()
	}
	if p.engine != nil {
		p.engine.Close()
	}
	p.files.close()
	p.reference.Close()
	if p.client != nil {
		p.client.Close()
	}
	if p.recorder != nil {
		p.recorder.Close()
	}
}
