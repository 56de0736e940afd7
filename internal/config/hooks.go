package config

// Hooks say what mneme-hook may put in front of the model.
type Hooks struct {
	SessionStart Injection
	Prompt       Prompt
	ExtractMax   int // most memories taken from one session; 0 takes none; default 12
}

// Injection bounds what the start of a session recalls.
type Injection struct {
	Limit    int     // memories, 0 to 20; 0 injects none; default 5
	MinScore float64 // 0 to 1, strict; default 0.7
	Tokens   int     // 100 to 2400, estimated as four bytes each; default 1200
}

// Prompt says whether and how much is recalled for each prompt.
type Prompt struct {
	Enabled bool // default false: what is injected is paid for with every later request
	Tokens  int  // 50 to 1200; default 300
}
