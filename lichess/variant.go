package lichess

// VariantKey names a chess variant.
type VariantKey string

// The variants of the server.
const (
	VariantStandard      VariantKey = "standard"
	VariantChess960      VariantKey = "chess960"
	VariantFromPosition  VariantKey = "fromPosition"
	VariantCrazyhouse    VariantKey = "crazyhouse"
	VariantAntichess     VariantKey = "antichess"
	VariantAtomic        VariantKey = "atomic"
	VariantHorde         VariantKey = "horde"
	VariantKingOfTheHill VariantKey = "kingOfTheHill"
	VariantRacingKings   VariantKey = "racingKings"
	VariantThreeCheck    VariantKey = "threeCheck"
)

// Variant is a variant with its names for people. Short is missing in the
// games of the event stream.
type Variant struct {
	Key   VariantKey `json:"key"`
	Name  string     `json:"name"`
	Short string     `json:"short,omitempty"`
}

var variants = []Variant{
	{VariantStandard, "Standard", "Std"},
	{VariantChess960, "Chess960", "960"},
	{VariantFromPosition, "From Position", "FEN"},
	{VariantCrazyhouse, "Crazyhouse", "Crazy"},
	{VariantAntichess, "Antichess", "Anti"},
	{VariantAtomic, "Atomic", "Atom"},
	{VariantHorde, "Horde", "Horde"},
	{VariantKingOfTheHill, "King of the Hill", "KotH"},
	{VariantRacingKings, "Racing Kings", "Racing"},
	{VariantThreeCheck, "Three-check", "3check"},
}

// VariantByKey returns the variant with its names, false when the key is
// unknown.
func VariantByKey(key VariantKey) (Variant, bool) {
	for _, v := range variants {
		if v.Key == key {
			return v, true
		}
	}
	return Variant{}, false
}
