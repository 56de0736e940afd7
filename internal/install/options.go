package install

import (
	"context"
	"io/fs"
	"path/filepath"

	"github.com/mneme-memory/mneme/memory"
)

// Mode is a way to be connected.
type Mode string

// The modes.
const (
	Plugin   Mode = "plugin"   // as a plugin, through Claude Code's own command line
	Settings Mode = "settings" // by entries in Claude Code's settings
)

// Scope says for whom Claude Code is connected.
type Scope string

// The scopes, by Claude Code's names.
const (
	User    Scope = "user"    // every project of this user
	Project Scope = "project" // everybody who works in a project; the files are part of it
	Local   Scope = "local"   // this user, in one project
)

// Options say what to install and where. All fields but Dir, ConfigDir and Client
// are required.
type Options struct {
	Mode  Mode
	Scope Scope
	Dir   string // the project of the scopes Project and Local, as [ProjectDir] finds it

	Home      string // mneme's data folder, absolute
	UserHome  string // the user's home folder
	ConfigDir string // Claude Code's folder (CLAUDE_CONFIG_DIR); empty means .claude in UserHome

	Programs string // folder with mneme-mcp, mneme-hook and mneme
	Files    fs.FS  // the plugin
	Client   Client // nil when there is no Claude Code; mode Plugin needs it
}

// Client runs Claude Code's command line in a folder.
type Client interface {
	Run(ctx context.Context, dir string, args ...string) (output string, err error)
}

func (o Options) check() error {
	switch {
	case o.Mode != Plugin && o.Mode != Settings:
		return memory.Errorf(memory.Invalid, "use plugin or settings", "unknown mode %q", o.Mode)
	case o.Scope != User && o.Scope != Project && o.Scope != Local:
		return memory.Errorf(memory.Invalid, "use user, project or local", "unknown scope %q", o.Scope)
	case o.Mode == Plugin && o.Client == nil:
		return memory.Errorf(memory.Invalid, "install Claude Code, or use --settings",
			"the plugin needs Claude Code's command line, and no claude is on the PATH")
	}
	return nil
}

// marketplace is the folder that Claude Code takes the plugin from. Claude Code
// reads the plugin from this folder at each start, so a new version is in force
// at once.
func (o Options) marketplace() string { return filepath.Join(o.Home, "claude") }

// programs is where the programs are kept, whatever becomes of the folder that
// they were built in.
func (o Options) programs() string { return filepath.Join(o.Home, "bin") }

// usualHome reports whether the data folder is the one that the programs use
// without being told.
func (o Options) usualHome() bool { return o.Home == filepath.Join(o.UserHome, ".mneme") }

func (o Options) configDir() string {
	if o.ConfigDir != "" {
		return o.ConfigDir
	}
	return filepath.Join(o.UserHome, ".claude")
}

// statePath is the file in which Claude Code keeps a user's MCP servers.
func (o Options) statePath() string {
	if o.ConfigDir != "" {
		return filepath.Join(o.ConfigDir, ".claude.json")
	}
	return filepath.Join(o.UserHome, ".claude.json")
}

func (o Options) settingsPath() string {
	switch o.Scope {
	case Project:
		return filepath.Join(o.Dir, ".claude", "settings.json")
	case Local:
		return filepath.Join(o.Dir, ".claude", "settings.local.json")
	default:
		return filepath.Join(o.configDir(), "settings.json")
	}
}

// key names a connection among the recorded ones.
func (o Options) key() string {
	if o.Scope == User {
		return string(o.Scope) + ":" + o.configDir()
	}
	return string(o.Scope) + ":" + o.Dir
}
