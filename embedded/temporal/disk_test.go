package temporal

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// A forgetfulDisk stands between SQLite and its files, which it writes as they should be. It
// remembers which writes were synced, and so knows what a power cut would leave of a file:
// the content at the end of its last sync, with any part of the later writes.
//
// To SQLite it is a VFS (sqlite.org/vfs.html): the system's own with a few functions replaced.
type forgetfulDisk struct {
	name string // of the VFS

	mu      sync.Mutex
	seq     int // of the newest write
	files   map[string]*forgetfulFile
	removed []string // names whose removal the folder was not synced after
}

type forgetfulFile struct {
	named bool    // the folder was synced since the file was made
	kept  []byte  // synced
	since []write // not synced, oldest first
}

// A write puts data at an offset, or cuts a file off there if data is nil.
type write struct {
	seq    int
	offset int64
	data   []byte
}

func (w write) apply(content []byte) []byte {
	end := w.offset + int64(len(w.data))
	if w.data == nil && end < int64(len(content)) {
		return content[:end]
	}
	if missing := end - int64(len(content)); missing > 0 {
		content = append(content, make([]byte, missing)...)
	}
	copy(content[w.offset:], w.data)
	return content
}

// wrote notes a write to a file, which is known by its name: a disk serves one folder.
func (d *forgetfulDisk) wrote(path string, offset int64, data []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.seq++
	f := d.file(path)
	f.since = append(f.since, write{seq: d.seq, offset: offset, data: data})
}

func (d *forgetfulDisk) file(path string) *forgetfulFile {
	name := filepath.Base(path)
	if d.files[name] == nil {
		d.files[name] = &forgetfulFile{}
	}
	return d.files[name]
}

// syncing runs a sync and keeps what was written before it began.
func (d *forgetfulDisk) syncing(path string, sync func() bool) {
	d.mu.Lock()
	upTo := d.seq
	d.mu.Unlock()
	if !sync() {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	f := d.file(path)
	if !f.named { // SQLite syncs the folder with the first sync of a file
		f.named = true
		for _, name := range d.removed {
			delete(d.files, name)
		}
		d.removed = nil
	}
	for len(f.since) > 0 && f.since[0].seq <= upTo {
		f.kept = f.since[0].apply(f.kept)
		f.since = f.since[1:]
	}
}

// syncLog is what the server syncs the log with.
func (d *forgetfulDisk) syncLog(f *os.File) (err error) {
	d.syncing(f.Name(), func() bool { err = f.Sync(); return err == nil })
	return err
}

// remove notes that a name is no more.
func (d *forgetfulDisk) remove(path string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.removed = append(d.removed, filepath.Base(path))
}

// cut writes to dir what a power cut at this moment leaves. With chance nil all that was not
// synced is lost; otherwise it decides about every write.
func (d *forgetfulDisk) cut(t testing.TB, dir string, chance *rand.Rand) {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	lost := 0
	for name, f := range d.files {
		left := append([]byte(nil), f.kept...)
		for _, w := range f.since {
			if chance != nil && chance.IntN(2) == 0 {
				left = w.apply(left)
			} else {
				lost++
			}
		}
		if err := os.WriteFile(filepath.Join(dir, name), left, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("power cut: %d writes are lost", lost)
}

// What SQLite's C code, translated to Go, knows only by address.
var (
	vfsMu    sync.Mutex                       //nolint:gochecknoglobals // as SQLite's list of VFSs is
	disks    = map[uintptr]*forgetfulDisk{}   //nolint:gochecknoglobals // by VFS
	openFile = map[uintptr]*forgetfulHandle{} //nolint:gochecknoglobals // by sqlite3_file
)

type forgetfulHandle struct {
	disk   *forgetfulDisk
	path   string
	system *sqlite3.Tsqlite3_io_methods
}

// newForgetfulDisk registers a disk. It stays registered, as connections to it stay open.
func newForgetfulDisk() *forgetfulDisk {
	tls := libc.NewTLS()
	defer tls.Close()
	vfs := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(sqlite3.Tsqlite3_vfs{})))
	vfsMu.Lock()
	defer vfsMu.Unlock()
	d := &forgetfulDisk{name: fmt.Sprintf("forgetful%d", len(disks)), files: map[string]*forgetfulFile{}}
	disks[vfs] = d
	v := at[sqlite3.Tsqlite3_vfs](vfs)
	*v = *systemVFS(tls)
	name, err := libc.CString(d.name)
	if err != nil {
		panic(err)
	}
	v.FzName, v.FxOpen, v.FxDelete = name, address(openOnDisk), address(deleteOnDisk)
	if rc := sqlite3.Xsqlite3_vfs_register(tls, vfs, 0); rc != sqlite3.SQLITE_OK {
		panic(fmt.Sprintf("register a VFS: %d", rc))
	}
	return d
}

func systemVFS(tls *libc.TLS) *sqlite3.Tsqlite3_vfs {
	return at[sqlite3.Tsqlite3_vfs](sqlite3.Xsqlite3_vfs_find(tls, 0))
}

// openOnDisk opens a file with the system's VFS and replaces what writes.
func openOnDisk(tls *libc.TLS, vfs, path, file uintptr, flags int32, outFlags uintptr) int32 {
	rc := call[func(*libc.TLS, uintptr, uintptr, uintptr, int32, uintptr) int32](systemVFS(tls).FxOpen)(
		tls, vfs, path, file, flags, outFlags)
	if rc != sqlite3.SQLITE_OK || path == 0 { // a file without a name is gone with the process
		return rc
	}
	methods := &at[sqlite3.Tsqlite3_file](file).FpMethods
	system := at[sqlite3.Tsqlite3_io_methods](*methods)
	vfsMu.Lock()
	defer vfsMu.Unlock()
	openFile[file] = &forgetfulHandle{disk: disks[vfs], path: libc.GoString(path), system: system}
	*methods = libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(*system)))
	ours := at[sqlite3.Tsqlite3_io_methods](*methods)
	*ours = *system
	ours.FiVersion = 2 // no memory-mapped reading and writing, which would pass by
	ours.FxWrite, ours.FxTruncate = address(writeToDisk), address(truncateOnDisk)
	ours.FxSync, ours.FxClose = address(syncDisk), address(closeOnDisk)
	return rc
}

func deleteOnDisk(tls *libc.TLS, vfs, path uintptr, syncFolder int32) int32 {
	rc := call[func(*libc.TLS, uintptr, uintptr, int32) int32](systemVFS(tls).FxDelete)(tls, vfs, path, syncFolder)
	if rc == sqlite3.SQLITE_OK {
		vfsMu.Lock()
		disk := disks[vfs]
		vfsMu.Unlock()
		disk.remove(libc.GoString(path))
	}
	return rc
}

func handle(file uintptr) *forgetfulHandle {
	vfsMu.Lock()
	defer vfsMu.Unlock()
	return openFile[file]
}

func writeToDisk(tls *libc.TLS, file, buffer uintptr, amount int32, offset int64) int32 {
	h := handle(file)
	rc := call[func(*libc.TLS, uintptr, uintptr, int32, int64) int32](h.system.FxWrite)(tls, file, buffer, amount, offset)
	if rc == sqlite3.SQLITE_OK {
		h.disk.wrote(h.path, offset, append([]byte{}, unsafe.Slice(at[byte](buffer), amount)...))
	}
	return rc
}

func truncateOnDisk(tls *libc.TLS, file uintptr, size int64) int32 {
	h := handle(file)
	rc := call[func(*libc.TLS, uintptr, int64) int32](h.system.FxTruncate)(tls, file, size)
	if rc == sqlite3.SQLITE_OK {
		h.disk.wrote(h.path, size, nil)
	}
	return rc
}

func syncDisk(tls *libc.TLS, file uintptr, flags int32) (rc int32) {
	h := handle(file)
	h.disk.syncing(h.path, func() bool {
		rc = call[func(*libc.TLS, uintptr, int32) int32](h.system.FxSync)(tls, file, flags)
		return rc == sqlite3.SQLITE_OK
	})
	return rc
}

func closeOnDisk(tls *libc.TLS, file uintptr) int32 {
	h := handle(file)
	vfsMu.Lock()
	delete(openFile, file)
	vfsMu.Unlock()
	return call[func(*libc.TLS, uintptr) int32](h.system.FxClose)(tls, file)
}

// at is what lies at an address outside Go's memory.
func at[T any](p uintptr) *T { return *(**T)(unsafe.Pointer(&p)) }

// call is the function at an address, and address the other way round, both as modernc.org's
// translator writes function pointers: the address of Go's own function value.
func call[F any](p uintptr) F { return *(*F)(unsafe.Pointer(&p)) }

func address[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&f)) }
