// Package transcript reads the conversation files that Claude Code writes: one
// JSON object a line, appended to for as long as the session lives, across
// compactions and resumes.
//
// [Read] gives the conversation as [Event] values, in order: the person's
// prompts, the model's sentences, its tool calls with their results, and the
// texts that memory tools and hooks put into the conversation. Everything else
// in a file (settings, listings, notices, summaries, commands of the client
// itself) is passed over, and so is every kind of line that a later client may
// add.
//
// A file is read in steps. Each step begins behind a [Checkpoint] and ends with
// the next one, so that nothing is taken twice and nothing is missed, although
// lines reach the file a moment late. Some of what lies before the checkpoint is
// given again, marked [Earlier], because a failure and its remedy are often
// further apart than two steps.
//
// Memory is bounded whatever the file holds: lines beyond a limit are skipped,
// long texts lose their middle, and a step ends after a number of bytes.
package transcript
