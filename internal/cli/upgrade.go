package cli

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/internal/release"
	"github.com/mneme-memory/mneme/memory"
)

type upgradeFlags struct {
	from, folder      string
	dryRun, yes, back bool
}

// upgradeJSON is what "mneme upgrade --json" prints.
type upgradeJSON struct {
	Done    bool     `json:"done"` // false if there was nothing to do, or with --dry-run
	From    string   `json:"from_version,omitempty"`
	To      string   `json:"to_version,omitempty"`
	Archive string   `json:"archive,omitempty"`
	Folders []string `json:"folders"` // whose programs are replaced
	Kept    string   `json:"kept,omitempty"`
}

func (a *app) upgrade() *cobra.Command {
	var f upgradeFlags
	cmd := &cobra.Command{
		Use:   "upgrade",
		Short: "Replace mneme's programs by those of a release",
		Long: "Replace mneme's programs by those of a release: of an https address or of a folder, which has\n" +
			"SHA256SUMS. Says what it will do and asks. Nothing is put in place before its sum is right and\n" +
			"the new mneme runs here. The old programs are kept, and --back puts them in place again. The\n" +
			"memories are not touched: the next \"mneme up\" brings the database to its version.",
		Example: "  mneme upgrade --from https://github.com/mneme-memory/mneme/releases/download/v1.2.3\n  mneme upgrade --from ./dist --dry-run\n  mneme upgrade --back",
		Args:    cobra.NoArgs,
	}
	fl := cmd.Flags()
	fl.StringVar(&f.from, "from", "", "address or folder of the release")
	fl.StringVar(&f.folder, "folder", "", "folder of the programs (default: that of this program)")
	fl.BoolVar(&f.back, "back", false, "go back to the programs that the last upgrade replaced")
	fl.BoolVar(&f.dryRun, "dry-run", false, "say what would be done, and change nothing")
	fl.BoolVarP(&f.yes, "yes", "y", false, "do not ask")
	cmd.MarkFlagsMutuallyExclusive("from", "back")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if f.from == "" && !f.back {
			return memory.Errorf(memory.Invalid, "mneme upgrade --from ADDRESS, or --back", "nobody says which release to take")
		}
		cfg, err := a.config()
		if err != nil {
			return err
		}
		dir, err := a.programFolder(f.folder)
		if err != nil {
			return err
		}
		if f.back {
			return a.downgrade(cmd.Context(), cfg, dir, f)
		}
		return a.runUpgrade(cmd.Context(), cfg, dir, f)
	}
	return cmd
}

// programFolder is where the programs lie. Those of a package manager are its own to replace.
func (a *app) programFolder(folder string) (string, error) {
	if folder != "" {
		return a.abs(folder), nil
	}
	exe, err := a.sys.Executable()
	if err == nil {
		exe, err = filepath.EvalSymlinks(exe)
	}
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	for part, hint := range map[string]string{
		"/Cellar/": "brew upgrade mneme", "/node_modules/": "npm install --global @mneme-memory/mneme",
	} {
		if strings.Contains(filepath.ToSlash(exe), part) {
			return "", memory.Errorf(memory.Refused, hint, "%s belongs to a package manager", exe)
		}
	}
	return filepath.Dir(exe), nil
}

// folders are where the programs of an upgrade go: the folder of the programs, and that of the data
// folder, into which "mneme install" copied the two that Claude Code starts.
func folders(home, dir string) map[string][]string {
	out := map[string][]string{dir: release.Programs()}
	copies := filepath.Join(home, "bin")
	for _, program := range []string{"mneme-hook", "mneme-mcp"} {
		info, err := os.Lstat(filepath.Join(copies, program))
		if err == nil && info.Mode().IsRegular() && copies != dir {
			out[copies] = append(out[copies], program)
		}
	}
	return out
}

func (a *app) runUpgrade(ctx context.Context, cfg config.Config, dir string, f upgradeFlags) error {
	if !strings.Contains(f.from, "://") {
		f.from = a.abs(f.from)
	}
	source, err := release.Open(f.from)
	if err != nil {
		return err
	}
	sums, err := source.Sums(ctx)
	if err != nil {
		return err
	}
	archive, err := sums.For(release.Here())
	if err != nil {
		return err
	}
	res := upgradeJSON{
		From: a.versionText(), To: archive.Version, Archive: archive.Name(), Folders: slices.Sorted(maps.Keys(folders(cfg.Home, dir))), Kept: release.Previous(dir),
	}
	if err := a.showUpgrade(cfg, res, archive); err != nil {
		return err
	}
	if f.dryRun {
		return a.printUpgrade(res, "nothing was changed\n")
	}
	if sure, err := a.confirm(ctx, f.yes, "Replace the programs?"); err != nil || !sure {
		return err
	}
	fresh, err := fetchPrograms(ctx, source, archive, sums[archive.Name()])
	if err != nil {
		return err
	}
	defer os.RemoveAll(fresh) //nolint:errcheck // a temporary folder
	for _, folder := range res.Folders {
		if err := release.Swap(folder, fresh, folders(cfg.Home, dir)[folder]); err != nil {
			return memory.Errorf(memory.Internal, "repeat it as somebody who may write there, or with --folder", "upgrade: %w", err)
		}
	}
	res.Done = true
	return a.printUpgrade(res, fmt.Sprintf("the programs are those of mneme %s; \"mneme upgrade --back\" goes back\n", archive.Version))
}

// showUpgrade says to a person what will be done.
func (a *app) showUpgrade(cfg config.Config, res upgradeJSON, archive release.Archive) error {
	if a.json {
		return nil
	}
	text := fmt.Sprintf("version   %s → %s\narchive   %s\nreplaces  %s in %s\nkeeps     the old programs in %s\n",
		printable(res.From), archive.Version, archive.Name(), strings.Join(release.Programs(), ", "), printable(strings.Join(res.Folders, " and ")), printable(res.Kept))
	if !archive.Analytics {
		text += "without   DuckDB: \"mneme analytics\" will not work\n"
	}
	if pid, err := homestate.Holder(cfg.Home); err == nil && pid != 0 {
		text += "running   mneme goes on with the old program until \"mneme down\" and \"mneme up --detach\"\n"
	}
	return a.printf("%s", text)
}

// fetchPrograms fetches an archive into a folder of its own, checks it and its mneme, and returns
// the folder.
func fetchPrograms(ctx context.Context, source release.Source, archive release.Archive, sum string) (dir string, err error) {
	dir, err = os.MkdirTemp("", "mneme-upgrade-")
	if err != nil {
		return "", fmt.Errorf("fetch the release: %w", err)
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(dir) // a folder of the system's, which clears it one day
		}
	}()
	f, err := os.Create(filepath.Join(dir, "archive"))
	if err != nil {
		return "", fmt.Errorf("fetch the release: %w", err)
	}
	defer f.Close()
	if err := source.Fetch(ctx, archive.Name(), sum, f); err != nil {
		return "", err
	}
	if _, err := f.Seek(0, 0); err != nil {
		return "", fmt.Errorf("read the release: %w", err)
	}
	if _, err := release.Unpack(f, archive, dir); err != nil {
		return "", err
	}
	return dir, tryProgram(ctx, filepath.Join(dir, archive.Target.File("mneme")))
}

// tryProgram has a new mneme tell its version: a program that lacks a library must replace nothing.
func tryProgram(ctx context.Context, path string) error {
	const patience = 20 * time.Second
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "version") //nolint:gosec // its sum was checked
	if out, err := cmd.CombinedOutput(); err != nil {
		return memory.Errorf(memory.Invalid, "take the archive without analytics, or build mneme from its source",
			"the new mneme does not run here: %w: %s", err, oneLine(string(out), 200))
	}
	return nil
}

// downgrade puts the replaced programs in place again.
func (a *app) downgrade(ctx context.Context, cfg config.Config, dir string, f upgradeFlags) error {
	res := upgradeJSON{From: a.versionText(), Folders: slices.Sorted(maps.Keys(folders(cfg.Home, dir))), Kept: release.Previous(dir)}
	if _, err := os.Stat(res.Kept); err != nil {
		return memory.Errorf(memory.NotFound, "only an upgrade keeps the old programs", "there are no older programs in %s", res.Kept)
	}
	if !a.json {
		if err := a.printf("puts back  the programs of %s\nkeeps      those of now in its place\n", printable(res.Kept)); err != nil {
			return err
		}
	}
	if f.dryRun {
		return a.printUpgrade(res, "nothing was changed\n")
	}
	if sure, err := a.confirm(ctx, f.yes, "Go back?"); err != nil || !sure {
		return err
	}
	for _, folder := range res.Folders {
		if _, err := os.Stat(release.Previous(folder)); err != nil && folder != dir {
			continue // copied there since the upgrade
		}
		if _, err := release.Back(folder); err != nil {
			return err
		}
	}
	res.Done = true
	return a.printUpgrade(res, "the old programs are in place again; \"mneme upgrade --back\" goes forward\n")
}

func (a *app) printUpgrade(res upgradeJSON, text string) error {
	if a.json {
		return a.printJSON(res)
	}
	return a.printf("%s", text)
}
