// Package install connects mneme to Claude Code and takes the connection back.
//
// There are two ways to be connected: as a plugin, which Claude Code's own
// command line installs from a marketplace in the data folder, or by entries in
// Claude Code's settings. [Prepare] works out what would change and shows it,
// [Plan.Apply] does it, [Remove] undoes it.
//
// The files belong to the user. They are edited where needed and kept to the byte
// elsewhere; their earlier content is kept in the data folder, together with a
// hash of the written one. A file that nobody has touched since is put back as it
// was, to the byte; from one that was edited since, only our entries are taken.
package install
