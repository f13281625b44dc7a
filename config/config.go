// Package config reads every setting of Castellan from the environment and checks it.
//
// The variables are named after the structs below: CASTELLAN_, the section unless it is embedded, the field. A
// field's tags are the one source of its default, its legal values, its meaning and its example; the check, the
// listing and docs/configuration.md are all made from them.
//
// The package imports nothing else of Castellan: the commands copy what a part needs into that part's own options.
package config

//go:generate go test . -run ^TestDocumentIsCurrent$ -update

// prefix starts the name of every variable of ours, in the form that envconfig takes.
const prefix = "CASTELLAN"

// Config holds every setting, checked. Each field of it is a section of the documentation.
type Config struct {
	Lichess      `title:"Lichess account"`
	Log          Log `title:"Log"`
	Games        `title:"Games"`
	Accept       Terms `title:"Challenges to accept"`
	AcceptHumans Terms `split_words:"true" title:"Challenges of people, where they differ" general:"Accept"`
	AcceptBots   Terms `split_words:"true" title:"Challenges of bots, where they differ" general:"Accept"`
	Guests       `title:"Challengers"`
	Matchmaking  Matchmaking `title:"Challenges to others"`
	Rematch      Rematch     `title:"Rematches"`
	Tournaments  `title:"Arenas"`
	State        State  `title:"State"`
	Draw         Draw   `title:"Draws"`
	Resign       Resign `title:"Resignation"`
	Chat         Chat   `title:"Chat"`
	Thinking     `title:"Thinking"`
	Foreign      `title:"Another engine"`
	Asking       `title:"Sources of moves"`
	Openings     `title:"Opening books"`
	Explorer     Explorer  `title:"Opening explorer"`
	Cloud        Cloud     `title:"Cloud evaluations"`
	Tablebase    Tablebase `title:"Online endgame tables"`
	Endings      `title:"Endgame tables"`
	PGN          PGN `title:"Games kept"`
	Watching     `title:"Watching the bot"`
	Record       Record `title:"Recording"`
}

// Lichess says where to play and as whom.
type Lichess struct {
	Token     Secret `split_words:"true" example:"lip_0123456789abcdef" desc:"Personal access token of a BOT account with the scope bot:play. LICHESS_BOT_TOKEN is read too. Needed by the daemon; only one of the three ways to give it may be used."`
	TokenFile Path   `split_words:"true" example:"/run/secrets/lichess-token" desc:"File that holds the token and nothing else, in place of CASTELLAN_TOKEN. One newline at the end is allowed; 4 KiB at most."`
	URL       URL    `split_words:"true" default:"https://lichess.org" example:"https://lichess.dev" desc:"Server to play on. The token is sent there, so plain http is taken for this very machine only (localhost, 127.0.0.1, ::1)."`
}

// Log says what is written to standard error, and how.
type Log struct {
	Level  Choice `split_words:"true" default:"info" legal:"debug,info,warn,error" example:"debug" desc:"Least level that is logged."`
	Format Choice `split_words:"true" default:"auto" legal:"auto,text,json" example:"json" desc:"Form of a log line. auto is text when standard error is a terminal, json otherwise."`
}

// Games says how many games are played at once and how the bot behaves around them.
type Games struct {
	MaxGames           Int      `split_words:"true" default:"4" min:"1" max:"200" example:"8" desc:"Games with a clock that are played at once. Correspondence and unlimited games do not count."`
	MaxCorrespondence  Int      `split_words:"true" default:"50" min:"0" max:"500" example:"10" desc:"Correspondence and unlimited games that are played at once."`
	CorrespondenceRest Duration `split_words:"true" default:"10m" min:"0s" max:"24h" example:"1m" desc:"Time without a move of the opponent after which the connection of a correspondence or unlimited game is closed until it is the bot's turn. The running games are looked at each minute. 0 leaves it open."`
	Takebacks          Int      `split_words:"true" default:"1" min:"0" max:"100" example:"0" desc:"Takebacks granted to a person in one casual game. 0 grants none. The server passes proposals on only when the preferences of the account allow takebacks: a BOT account begins with never."`
	AbortAfter         Duration `split_words:"true" default:"30s" min:"0s" max:"24h" example:"1m" desc:"Wait for the opponent's first move in a game with a clock; then the game is aborted. 0 waits for ever."`
	ClaimWhenGone      Bool     `split_words:"true" default:"yes" example:"no" desc:"Claim the win as soon as the server allows it when the opponent has left."`
	Shutdown           Choice   `split_words:"true" default:"leave" legal:"leave,finish" example:"finish" desc:"What SIGTERM and SIGINT do to running games. leave: stop at once, the next start carries on with them. finish: take no new games and play the running ones with a clock to their end."`
	ShutdownLimit      Duration `split_words:"true" default:"10m" min:"1s" max:"24h" example:"1h" desc:"Longest time that CASTELLAN_SHUTDOWN=finish goes on playing. A container's stop timeout must be longer."`
}

// Terms says which challenges are accepted, by what they ask for; the others are declined with the fitting reason. There is one
// for everybody, and one each for people and for bots whose settings, where they are not set, are those for everybody.
type Terms struct {
	Variants            List     `split_words:"true" default:"standard,chess960,fromPosition" legal:"standard,chess960,fromPosition" example:"standard,chess960" desc:"Variants to play."`
	Speeds              List     `split_words:"true" default:"bullet,blitz,rapid,classical,correspondence" legal:"bullet,blitz,rapid,classical,correspondence" example:"blitz,rapid,correspondence" desc:"Speeds to play, as the server names them by base time and 40 increments. Ultrabullet is closed to bots."`
	Clocks              Clocks   `split_words:"true" example:"3+2,10+5" desc:"The only clocks to play, in minutes and seconds for each move. Not set: all that the other settings allow. Correspondence is not concerned."`
	Modes               List     `split_words:"true" default:"casual,rated" legal:"casual,rated" example:"casual" desc:"Casual games, rated games or both."`
	BaseMin             Duration `split_words:"true" default:"0s" min:"0s" max:"3h" example:"3m" desc:"Shortest base time of a clock: 5m is five minutes, and a bare 5 five seconds."`
	BaseMax             Duration `split_words:"true" default:"3h" min:"0s" max:"3h" example:"30m" desc:"Longest base time of a clock, with its unit."`
	IncrementMin        Duration `split_words:"true" default:"0s" min:"0s" max:"3m" example:"2s" desc:"Smallest increment for each move."`
	IncrementMax        Duration `split_words:"true" default:"3m" min:"0s" max:"3m" example:"20s" desc:"Largest increment for each move."`
	BulletIncrement     Bool     `split_words:"true" default:"no" example:"yes" desc:"Take bullet only with an increment; bullet without one, such as 1+0, is declined, since what the network loses decides it."`
	DaysMin             Int      `split_words:"true" default:"1" min:"1" max:"14" example:"2" desc:"Fewest days for each move of a correspondence game."`
	DaysMax             Int      `split_words:"true" default:"14" min:"1" max:"14" example:"7" desc:"Most days for each move of a correspondence game."`
	Unlimited           Bool     `split_words:"true" default:"no" example:"yes" desc:"Games without any limit of time. The server counts them as correspondence."`
	RatingMin           Int      `split_words:"true" default:"0" min:"0" max:"4000" example:"1200" desc:"Lowest rating of a challenger, in the kind of game that is asked for. 0 is no bound."`
	RatingMax           Int      `split_words:"true" default:"0" min:"0" max:"4000" example:"2400" desc:"Highest rating of a challenger, in the kind of game that is asked for. 0 is no bound."`
	RatingDifference    Int      `split_words:"true" default:"0" min:"0" max:"4000" example:"300" desc:"Largest distance of a challenger's rating from that of the bot, in the kind of game that is asked for. 0 is no bound."`
	OpponentGames       Int      `split_words:"true" default:"0" min:"0" max:"200" example:"1" desc:"Games at once with one and the same opponent, correspondence included. 0 is no bound."`
	OpponentGamesPerDay Int      `split_words:"true" default:"0" min:"0" max:"1000" example:"5" desc:"Games within 24 hours with one and the same opponent. 0 is no bound."`
	OpponentPause       Duration `split_words:"true" default:"0s" min:"0s" max:"24h" example:"10m" desc:"Time after a game in which the same opponent is told to come later. It holds for rematches too."`
}

// Guests says who may challenge at all, and what is done when there are more challenges than places.
type Guests struct {
	AcceptOpponents  List     `split_words:"true" default:"human,bot" legal:"human,bot" example:"human" desc:"Kinds of opponents to play."`
	AcceptAllowList  Names    `split_words:"true" example:"alice,Bob-2" desc:"The only accounts to play. Upper and lower case are the same. Not set, and no CASTELLAN_ACCEPT_ALLOW_FILE: everybody."`
	AcceptAllowFile  Path     `split_words:"true" example:"/etc/castellan/allow" desc:"File with more accounts for CASTELLAN_ACCEPT_ALLOW_LIST, one a line; # begins a remark. SIGHUP reads it again; when it is wrong then, the list stays as it was."`
	AcceptBlockList  Names    `split_words:"true" example:"mallory" desc:"Accounts never to play, and never to challenge. Upper and lower case are the same."`
	AcceptBlockFile  Path     `split_words:"true" example:"/etc/castellan/block" desc:"File with more accounts for CASTELLAN_ACCEPT_BLOCK_LIST, one a line; # begins a remark. SIGHUP reads it again; when it is wrong then, the list stays as it was."`
	HumanPlaces      Int      `split_words:"true" default:"0" min:"0" max:"200" example:"1" desc:"Of CASTELLAN_MAX_GAMES, places that are kept for people: neither bots nor arenas get them."`
	AcceptQueue      Int      `split_words:"true" default:"4" min:"0" max:"50" example:"10" desc:"Challenges that wait for a place when all are taken. 0 declines them at once."`
	AcceptQueueWait  Duration `split_words:"true" default:"15s" min:"1s" max:"10m" example:"1m" desc:"Time that a challenge waits for a place; then it is declined. The server lets a challenge lapse 20 seconds after the challenger has gone, without telling."`
	AcceptQueueOrder Choice   `split_words:"true" default:"first" legal:"first,best" example:"best" desc:"Which of the waiting challenges gets a place. first: the one that waits longest. best: the one of the challenger with the highest rating."`
	AcceptPrefer     Choice   `split_words:"true" default:"human" legal:"human,bot,none" example:"none" desc:"Kind of opponent whose waiting challenges come before all others."`
}

// Matchmaking says when the bot challenges others, and to what. There is one such challenge at a time.
type Matchmaking struct {
	Enabled             Bool     `split_words:"true" default:"no" example:"yes" desc:"Challenge bots that are online when there is nothing to do."`
	Idle                Duration `split_words:"true" default:"10m" min:"0s" max:"24h" example:"2m" desc:"Time without the beginning or the end of a game after which the bot challenges somebody."`
	Interval            Duration `split_words:"true" default:"1m" min:"5s" max:"24h" example:"5m" desc:"Least time between two challenges. It grows by itself when half of CASTELLAN_MATCHMAKING_CHALLENGES_PER_DAY is used."`
	Wait                Duration `split_words:"true" default:"20s" min:"5s" max:"10m" example:"10s" desc:"Time that a challenge may go without an answer; then it is withdrawn. The server lets it lapse after 20 seconds."`
	Games               Int      `split_words:"true" default:"1" min:"1" max:"200" example:"2" desc:"Games with a clock up to which the bot wants one more. Games that others asked for count, and CASTELLAN_MAX_GAMES holds."`
	GamesPerDay         Int      `split_words:"true" default:"80" min:"1" max:"100" example:"50" desc:"Games against bots within 24 hours, whoever asked for them, from which on the bot challenges nobody. The server allows 100."`
	ChallengesPerDay    Int      `split_words:"true" default:"150" min:"1" max:"200" example:"100" desc:"Most challenges to others within 24 hours, from which on no rematch is offered either. The server allows 200."`
	Clocks              Clocks   `split_words:"true" default:"3+2" example:"1+1,3+2,10+5" desc:"Clocks to ask for, each as often as the others."`
	Modes               List     `split_words:"true" default:"casual" legal:"casual,rated" example:"casual,rated" desc:"Ask for casual games, rated games or both."`
	Variants            List     `split_words:"true" default:"standard" legal:"standard,chess960" example:"standard,chess960" desc:"Variants to ask for."`
	RatingMin           Int      `split_words:"true" default:"0" min:"0" max:"4000" example:"1500" desc:"Lowest rating of an opponent, in the kind of game that is asked for. 0 is no bound."`
	RatingMax           Int      `split_words:"true" default:"0" min:"0" max:"4000" example:"2800" desc:"Highest rating of an opponent, in the kind of game that is asked for. 0 is no bound."`
	RatingDifference    Int      `split_words:"true" default:"300" min:"0" max:"4000" example:"200" desc:"Largest distance of an opponent's rating from that of the bot, in the kind of game that is asked for. 0 is no bound."`
	OpponentGamesPerDay Int      `split_words:"true" default:"4" min:"0" max:"100" example:"2" desc:"Games within 24 hours with one opponent, from which on it is not challenged. 0 is no bound."`
	Prefer              Choice   `split_words:"true" default:"near" legal:"near,strong,weak,any" example:"strong" desc:"Whom to challenge among those that were played least in the last week: the nearest by rating, the strongest, the weakest, or anybody."`
}

// Tournaments says in which arena tournaments the bot plays.
type Tournaments struct {
	Arenas        Arenas `split_words:"true" example:"hL7vMrFQ,https://lichess.org/tournament/9Xk2pQaZ" desc:"Arenas to play in from the start on, by id or address. They have to admit bots, and the token needs the permission tournament:write besides bot:play. One place of CASTELLAN_MAX_GAMES is kept for each while it runs, and none of CASTELLAN_HUMAN_PLACES."`
	ArenaPassword Secret `split_words:"true" legal:"any text" example:"open-sesame" desc:"Password for those arenas, or the account's own entry code."`
	ArenaTeam     Text   `split_words:"true" max:"80" example:"lichess-bots" desc:"Id of the team to play for, in arenas that are battles of teams."`
}

// State says where the bot keeps what it has to know after a restart.
type State struct {
	Dir Folder `split_words:"true" example:"/var/lib/castellan/state" desc:"Folder for what is known of opponents: games of the last week with the takebacks granted and draws offered in them, what was declined, and what the server's limits of a day have been used for. It must exist. Not set: a restart forgets it."`
}

// Rematch says what comes after a game.
type Rematch struct {
	Offer     Choice   `split_words:"true" default:"never" legal:"never,lost,always" example:"always" desc:"After which games with a clock the bot asks its opponent for another, with colours changed. lost: those that it has not won, drawn ones included. It asks by a challenge, of which the server allows 200 to bots or 40 to people a day; never after a game that was aborted or that the opponent has left."`
	Opponents List     `split_words:"true" default:"human,bot" legal:"human,bot" example:"bot" desc:"Kinds of opponents whom the bot asks."`
	Games     Int      `split_words:"true" default:"2" min:"2" max:"100" example:"4" desc:"Most games in a row with one opponent for which the bot asks, the first counted in. 2 is one with each colour."`
	Wait      Duration `split_words:"true" default:"20s" min:"5s" max:"5m" example:"1m" desc:"Time for the opponent to answer; then the bot withdraws."`
	Accept    Bool     `split_words:"true" default:"yes" example:"no" desc:"Play the rematches that opponents ask for, as far as the rules for challenges allow. no declines them all."`
}

// Draw says when draws are offered and accepted. Scores are of the bot's own search, in centipawns.
type Draw struct {
	Offer            Bool     `split_words:"true" default:"yes" example:"no" desc:"Offer draws in games that are flat and dead."`
	OfferOpponents   List     `split_words:"true" default:"human,bot" legal:"human,bot" example:"bot" desc:"Kinds of opponents to whom draws are offered."`
	OfferMinRating   Int      `split_words:"true" default:"0" min:"0" max:"4000" example:"1800" desc:"Rating of the weakest opponent to whom draws are offered. 0 is anybody."`
	OfferScore       Int      `split_words:"true" default:"10" min:"0" max:"1000" example:"20" desc:"A position is level when its score is this many centipawns from zero at most, for either side."`
	OfferMoves       Int      `split_words:"true" default:"10" min:"1" max:"200" example:"6" desc:"Own moves in a row that must be level before a draw is offered. Book moves and forced moves neither count nor break the row."`
	OfferDepth       Int      `split_words:"true" default:"8" min:"1" max:"100" example:"12" desc:"Plies to which each of these moves must have been searched. A bot that CASTELLAN_ELO or CASTELLAN_NODES keeps from looking so deep offers no draws."`
	OfferFromMove    Int      `split_words:"true" default:"40" min:"1" max:"500" example:"30" desc:"First move number at which a draw may be offered."`
	OfferMen         Int      `split_words:"true" default:"12" min:"0" max:"32" example:"10" desc:"A position is dead with at most so many men on the board, kings and pawns included; or when it has come before, or when endgame tables say that it is drawn."`
	OfferQuietMoves  Int      `split_words:"true" default:"10" min:"0" max:"50" example:"6" desc:"A position is dead, too, when nothing was captured and no pawn moved for so many moves of both sides. 0 takes every position for dead."`
	Accept           Bool     `split_words:"true" default:"yes" example:"no" desc:"Accept draw offers when the bot does not stand better, or when endgame tables say that the game is drawn."`
	AcceptScore      Int      `split_words:"true" default:"0" min:"-1000" max:"1000" example:"-50" desc:"Highest own score, in centipawns, at which a draw offer is accepted."`
	Clock            Duration `split_words:"true" default:"10s" min:"0s" max:"10m" example:"20s" desc:"A side with less time than this and less than the other is in time trouble. An opponent in it is offered no draw; the bot in it accepts one in level positions too."`
	Contempt         Int      `split_words:"true" default:"0" min:"-1000" max:"1000" example:"30" desc:"What a draw costs, in centipawns: a draw is offered and accepted as if the scores were better by this. Less than zero for a bot that likes draws. A draw by the endgame tables is accepted all the same."`
	ContemptByRating Int      `split_words:"true" default:"0" min:"0" max:"100" example:"5" desc:"Centipawns that are added to CASTELLAN_DRAW_CONTEMPT for each 100 points that the opponent's rating is below the bot's, and taken off for each above."`
}

// Resign says when the bot gives a game up. Scores are of the bot's own search, in centipawns.
type Resign struct {
	Enabled       Bool     `split_words:"true" default:"yes" example:"no" desc:"Resign lost games. A position that endgame tables call lost is lost, a loss that the 50-move rule saves is none."`
	Opponents     List     `split_words:"true" default:"human,bot" legal:"human,bot" example:"bot" desc:"Kinds of opponents against whom the bot resigns. People may like to give the mate themselves."`
	MinRating     Int      `split_words:"true" default:"1500" min:"0" max:"4000" example:"2000" desc:"Rating of the weakest opponent against whom the bot resigns: below it he may still blunder. 0 is anybody."`
	Score         Int      `split_words:"true" default:"-1000" min:"-10000" max:"-100" example:"-800" desc:"A position is lost when the own score is this many centipawns or less."`
	Moves         Int      `split_words:"true" default:"4" min:"1" max:"200" example:"6" desc:"Own moves in a row that must be lost before the bot resigns. Book moves and forced moves neither count nor break the row."`
	Depth         Int      `split_words:"true" default:"8" min:"1" max:"100" example:"12" desc:"Plies to which each of these moves must have been searched. A bot that CASTELLAN_ELO or CASTELLAN_NODES keeps from looking so deep does not resign before it sees the mate."`
	FromMove      Int      `split_words:"true" default:"20" min:"3" max:"500" example:"30" desc:"First move number at which the bot may resign. The server aborts a game that is resigned before both sides have moved."`
	OpponentClock Duration `split_words:"true" default:"15s" min:"0s" max:"10m" example:"30s" desc:"The bot plays on while the opponent has less time than this, ten increments counted in: he may lose on time."`
	Stalemate     Bool     `split_words:"true" default:"yes" example:"no" desc:"Play on while the bot has no moves but the king's: the opponent may stalemate it."`
}

// Chat holds what the bot says. A text that is not set is not said; the names in braces are filled in.
type Chat struct {
	Greeting           Text `split_words:"true" max:"140" legal:"me,opponent,engine,version" example:"Good luck, {opponent}!" desc:"Said to the opponent when a game starts, once. {me} and {opponent} stand for the names of the players, {engine} and {version} for what finds the moves. The server drops lines with links."`
	GreetingSpectators Text `split_words:"true" max:"140" legal:"me,opponent,engine,version" example:"Welcome, everybody." desc:"Said to the spectators when a game starts. The same names are filled in."`
	Farewell           Text `split_words:"true" max:"140" legal:"me,opponent,engine,version" example:"Thanks for the game!" desc:"Said to the opponent when a game ends. The same names are filled in."`
	FarewellSpectators Text `split_words:"true" max:"140" legal:"me,opponent,engine,version" example:"Thanks for watching. I am {engine} {version}." desc:"Said to the spectators when a game ends. The same names are filled in."`
	Commands           Bool `split_words:"true" default:"yes" example:"no" desc:"Answer !help, !eval, !name, !howto, !ping and !cpu. What !eval tells is for the spectators while the game runs, and for the opponent in the minute after it. Everybody gets a few answers a minute, over all games."`
	Bots               Bool `split_words:"true" default:"no" example:"yes" desc:"Talk to opponents that are bots, too. Spectators are talked to in any game."`
}

// Thinking says how much of the machine and of the clock the engine may use.
type Thinking struct {
	Threads             Int      `split_words:"true" default:"0" min:"0" max:"256" example:"2" desc:"Search threads that all games share. 0 is one for each processor that the process may use."`
	HashMB              Int      `split_words:"true" default:"0" min:"0" max:"65536" example:"128" desc:"Size of the transposition table that all games share, in MiB. 0 is what suits the memory: up to 256, so that seven eighths of a container's limit or of CASTELLAN_MEMORY_MB are enough for everything, or a sixteenth of what the machine has. castellan local takes 64 then."`
	MemoryMB            Int      `split_words:"true" default:"0" min:"0" max:"1048576" example:"512" desc:"Memory for everything: the table, the search threads, the games and the program, in MiB. The start fails when it is too little for the other settings. 0 is what the machine has, or the container's limit when that is less."`
	MoveOverhead        Duration `split_words:"true" default:"100ms" min:"0s" max:"10s" example:"350ms" desc:"Least part of the clock kept back at each move for the network and the server, which credit a bot with no lag. The bot measures what its moves lose and keeps back as much when it is more."`
	Nodes               Int      `split_words:"true" default:"0" min:"0" max:"1000000000" example:"20000" desc:"Most positions to look at for one move. 0 is no limit: the clock alone decides."`
	CorrespondenceThink Duration `split_words:"true" default:"10s" min:"10ms" max:"1h" example:"1m" desc:"Thinking time for each move of a correspondence or unlimited game."`
	Elo                 Int      `split_words:"true" default:"0" min:"0" max:"2800" example:"1500" desc:"Rating to play like, from 800 to 2800. The bot then thinks for a moment only and takes moves that look nearly as good as the best. 0 is full strength."`
	Ponder              Bool     `split_words:"true" default:"no" example:"yes" desc:"Think in the opponent's time too, on threads that no game's own move needs."`
}

// Foreign names another engine that finds the moves in place of the built-in one.
type Foreign struct {
	Engine        Command `split_words:"true" max:"4096" example:"java -jar /opt/chess/engine.jar" desc:"UCI engine that finds the moves: a program and its arguments, in quotes where they hold spaces. The built-in engine steps in when it fails. Not set: the built-in engine plays. None of the variables of this program are handed to it, least of all the token."`
	EngineOptions Pairs   `split_words:"true" example:"Skill Level=10,EvalFile=/var/lib/nets/own.nnue" desc:"UCI options for that engine, checked against what it offers at start. A button has nothing after the =. It gets Threads, Hash and SyzygyPath from the settings of this program when it offers them and they are not here."`
	EngineProcess Choice  `split_words:"true" default:"game" legal:"game,shared" example:"shared" desc:"Processes of that engine. game: one for each game with a clock, which takes its memory and its threads as often. shared: one for all of these, which wait for each other and do not think in the opponent's time. Games without a clock have one more, for the time of a move."`
}

// Asking says what is asked for a move before the engine thinks.
type Asking struct {
	Sources       List     `split_words:"true" default:"book" legal:"book,explorer,cloud,tablebase" example:"book,tablebase,explorer,cloud" desc:"What is asked for a move before the engine thinks, in this order; what is not in the list is not asked. book: the files of CASTELLAN_BOOK. explorer, cloud and tablebase: services of Lichess, for which see their sections. A move from any of them is played only when it is legal; one of the book, the explorer or the cloud only when it repeats no position. With CASTELLAN_ELO neither cloud nor tablebase is asked."`
	SourceTimeout Duration `split_words:"true" default:"1s" min:"50ms" max:"10s" example:"500ms" desc:"Longest wait for an answer of a service, and never more than a fortieth of the clock. In games without a clock it is ten seconds."`
	SourceMisses  Int      `split_words:"true" default:"3" min:"1" max:"100" example:"5" desc:"Questions in a row without an answer of use, after which a service is not asked again in that game."`
}

// Explorer says how moves are chosen from the opening explorer.
type Explorer struct {
	Token     Secret   `split_words:"true" example:"lip_fedcba9876543210" desc:"Token for the opening explorer, which answers nobody without one. Make one of its own, without any permission: it is sent to CASTELLAN_EXPLORER_URL, which CASTELLAN_TOKEN never is."`
	TokenFile Path     `split_words:"true" example:"/run/secrets/explorer-token" desc:"File that holds that token and nothing else, in place of CASTELLAN_EXPLORER_TOKEN."`
	URL       URL      `split_words:"true" default:"https://explorer.lichess.org" example:"http://127.0.0.1:9002" desc:"Address of the opening explorer. Plain http is taken for this very machine only."`
	Database  Choice   `split_words:"true" default:"masters" legal:"masters,lichess" example:"lichess" desc:"Games to look into. masters: of titled players over the board, standard chess only. lichess: rated games on Lichess of players rated 2200 and more."`
	Choice    Choice   `split_words:"true" default:"weighted" legal:"weighted,popular,score" example:"score" desc:"Which move is played. weighted: at random, each as often as it was played. popular: the most played. score: the one with which the games ended best for the side to move."`
	MinGames  Int      `split_words:"true" default:"20" min:"1" max:"1000000000" example:"100" desc:"Games in which a move was played at least."`
	Depth     Int      `split_words:"true" default:"30" min:"0" max:"1000" example:"20" desc:"Plies of a game, the moves of both sides counted, after which the explorer is not asked. 0 is no limit."`
	MinClock  Duration `split_words:"true" default:"30s" min:"0s" max:"3h" example:"1m" desc:"Least time on the bot's clock with which the explorer is asked."`
}

// Cloud says when a cloud evaluation is played.
type Cloud struct {
	URL      URL      `split_words:"true" default:"https://lichess.org" example:"https://lichess.dev" desc:"Address of the server with the cloud evaluations. No token is sent there for them."`
	MinDepth Int      `split_words:"true" default:"20" min:"1" max:"200" example:"30" desc:"Least depth, in plies, of an evaluation whose move is played."`
	MinClock Duration `split_words:"true" default:"30s" min:"0s" max:"3h" example:"1m" desc:"Least time on the bot's clock with which a cloud evaluation is asked for."`
}

// Tablebase says when the online endgame tables are asked.
type Tablebase struct {
	URL      URL      `split_words:"true" default:"https://tablebase.lichess.org" example:"http://127.0.0.1:9000" desc:"Address of the online endgame tables, for positions with seven men at most. No token is sent there. Positions in the tables of CASTELLAN_SYZYGY_PATH are not asked about."`
	MinClock Duration `split_words:"true" default:"10s" min:"0s" max:"3h" example:"30s" desc:"Least time on the bot's clock with which they are asked."`
}

// Openings says which opening books are played from, and how.
type Openings struct {
	Book          Paths    `split_words:"true" example:"/var/lib/castellan/own.bin,/usr/share/books/general.bin" desc:"Opening books in the Polyglot format. The first that has a move for a position is played from. They are checked at start. Not set: the engine thinks from the first move."`
	BookWhite     Paths    `split_words:"true" example:"/var/lib/castellan/white.bin" desc:"Books for the games with the white men, before those of CASTELLAN_BOOK."`
	BookBlack     Paths    `split_words:"true" example:"/var/lib/castellan/black.bin" desc:"Books for the games with the black men, before those of CASTELLAN_BOOK."`
	BookMinClock  Duration `split_words:"true" default:"0s" min:"0s" max:"3h" example:"1s" desc:"Least time on the bot's clock with which a book is looked into."`
	BookChoice    Choice   `split_words:"true" default:"weighted" legal:"weighted,best,uniform" example:"best" desc:"Which of a book's moves is played. weighted: at random, each as often as its weight says. best: the one with the most weight, at random among equals. uniform: at random, all alike."`
	BookDepth     Int      `split_words:"true" default:"0" min:"0" max:"1000" example:"16" desc:"Plies of a game, the moves of both sides counted, after which the books are no longer used. 0 is no limit."`
	BookMinWeight Int      `split_words:"true" default:"1" min:"0" max:"65535" example:"10" desc:"Least weight of a book move that is played. 0 plays even the moves that a book marks as never to be played."`
}

// Endings says where there are endgame tables.
type Endings struct {
	SyzygyPath Folders `split_words:"true" example:"/var/lib/syzygy/wdl,/var/lib/syzygy/dtz" desc:"Folders with Syzygy endgame tables (.rtbw and .rtbz), for 3 to 7 men. Their names and sizes are checked at start. Positions in them are played without fault, and the search looks results up. Not set: the engine thinks for itself to the end. With CASTELLAN_ELO they are not used."`
}

// PGN says whether finished games are kept, and how.
type PGN struct {
	Dir   Folder `split_words:"true" example:"/var/lib/castellan/games" desc:"Folder to keep finished games in, as PGN with clocks and the bot's own scores: castellan stats counts them. Aborted games are not kept. It is made when it does not exist, and is for one bot alone. Not set: no game is kept."`
	Files Choice `split_words:"true" default:"game" legal:"game,opponent,day,all" example:"day" desc:"Which games share a file. game: none. opponent: those with the same opponent. day: those that began on the same day, UTC. all: all of them."`
}

// Watching says where the bot tells how it is doing.
type Watching struct {
	StatusAddr  Addr  `split_words:"true" example:"127.0.0.1:8080" desc:"Address of the status page, which shows the account, the games in play, results, faults and settings, secrets masked, and lets nobody do anything. /healthz, /readyz and /metrics are there too. Without a host only this machine can reach it; 0.0.0.0 is everybody who can reach this machine. Not set: there is no such page."`
	StatusHosts Hosts `split_words:"true" example:"bot.example.org,castellan" desc:"Names under which the status page is served beside IP addresses, localhost and the host of CASTELLAN_STATUS_ADDR, such as that of a proxy before it. By any other name it answers 403, so that no page from elsewhere can read it by a name that its owner has pointed here. * is any name. /healthz, /readyz and /metrics answer by all names."`
	MetricsAddr Addr  `split_words:"true" example:"0.0.0.0:9464" desc:"Address of /healthz, /readyz and /metrics (Prometheus) alone, without the status page. Not set: they are at CASTELLAN_STATUS_ADDR, or nowhere."`
}

// Record says whether all that is said to the server and heard from it is written down, and where.
type Record struct {
	Dir Folder `split_words:"true" example:"/var/lib/castellan/record" desc:"Folder to record everything in that is sent to the server and received from it, but never the token: castellan replay shows what the bot makes of it. Chat and names of opponents are in it. Not set: nothing is recorded."`
	MB  Int    `split_words:"true" default:"256" min:"1" max:"1048576" example:"64" desc:"Room for all recordings in that folder, in MiB. The oldest make room for the newest."`
}
