#!/bin/sh
# Installs the programs of mneme into ~/.local/bin, without root:
#
#     sh install.sh --from https://…/v1.2.3      the address of a release
#     sh install.sh --from ./dist                a folder with one
#
# Nothing is put in place before its SHA-256 is that of SHA256SUMS. With --signers FILE, an allowed
# signers file of ssh-keygen, the signature of SHA256SUMS must be one of theirs as well.
set -eu

from=https://github.com/mneme-memory/mneme/releases/latest/download
to=${MNEME_INSTALL_DIR:-$HOME/.local/bin}
signers= dry=

fail() { echo "install.sh: error: $1" >&2; [ $# -lt 2 ] || echo "install.sh: hint: $2" >&2; exit 1; }

while [ $# -gt 0 ]; do
  case $1 in
    --from | --to | --signers)
      [ $# -ge 2 ] || fail "$1 needs a value"
      case $1 in --from) from=$2 ;; --to) to=$2 ;; --signers) signers=$2 ;; esac
      shift 2 ;;
    --dry-run) dry=1; shift ;;
    -h | --help) sed -n '2,8s/^# \{0,1\}//p' "$0"; echo "Flags: --from, --to FOLDER, --signers FILE, --dry-run"; exit 0 ;;
    *) fail "there is no flag $1" "sh install.sh --help lists them" ;;
  esac
done

case $(uname -s) in
  Linux) os=linux ;;
  Darwin) os=darwin ;;
  *) fail "there is no release for $(uname -s)" "build mneme from its source" ;;
esac
case $(uname -m) in
  x86_64 | amd64) arch=amd64 ;;
  aarch64 | arm64) arch=arm64 ;;
  *) fail "there is no release for $(uname -m)" "build mneme from its source" ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# fetch NAME: a file of the release into $work.
fetch() {
  case $from in
    https://* | http://127.0.0.1[:/]* | http://localhost[:/]*)
      if command -v curl >/dev/null 2>&1; then
        curl -fsSL -o "$work/$1" "$from/$1" || fail "fetch $from/$1" "check the address and the network"
      elif command -v wget >/dev/null 2>&1; then
        wget -q -O "$work/$1" "$from/$1" || fail "fetch $from/$1" "check the address and the network"
      else
        fail "there is neither curl nor wget" "install one of them"
      fi ;;
    *://*) fail "a release is not fetched from $from" "use an https address, or a folder" ;;
    *) cp "$from/$1" "$work/$1" || fail "there is no $1 in $from" ;;
  esac
}

fetch SHA256SUMS
if [ -n "$signers" ]; then
  fetch SHA256SUMS.sig
  ssh-keygen -Y verify -f "$signers" -I mneme -n mneme-release -s "$work/SHA256SUMS.sig" <"$work/SHA256SUMS" >/dev/null ||
    fail "the release is not signed by any of $signers" "do not use it"
fi

# The archive of this platform. One with analytics needs glibc and libstdc++, where it was built for them.
pattern="  mneme_[0-9A-Za-z.+-]*_${os}_${arch}\\(_without-analytics\\)\\{0,1\\}\\.tar\\.gz\$"
archive=$(grep "$pattern" "$work/SHA256SUMS" | head -n 1 | sed 's/^[0-9a-f]*  //')
[ -n "$archive" ] || fail "the release has nothing for $os/$arch" "build mneme from its source"
case $archive in */*) fail "SHA256SUMS names a path" "do not use this release" ;; esac

echo "release:  $from"
echo "archive:  $archive"
echo "programs: $to/mneme, mneme-hook, mneme-mcp, mneme-worker"
if [ -n "$dry" ]; then
  echo "nothing was changed"
  exit 0
fi

fetch "$archive"
want=$(grep "  $archive\$" "$work/SHA256SUMS" | head -n 1 | cut -d' ' -f1)
if command -v sha256sum >/dev/null 2>&1; then
  have=$(sha256sum "$work/$archive" | cut -d' ' -f1)
else
  have=$(shasum -a 256 "$work/$archive" | cut -d' ' -f1)
fi
[ "$want" = "$have" ] || fail "$archive is not the file that SHA256SUMS tells of" "fetch it again; if that does not help, do not use it"

mkdir "$work/unpacked"
tar -xzf "$work/$archive" -C "$work/unpacked"
mkdir -p "$to"
for program in mneme-hook mneme-mcp mneme-worker mneme; do
  # Beside its place first: a program that runs keeps its file, and no half of one is ever found.
  cp "$work"/unpacked/*/bin/"$program" "$to/.$program.new"
  chmod 755 "$to/.$program.new"
  mv -f "$to/.$program.new" "$to/$program"
done
"$to/mneme" version
case :$PATH: in
  *:"$to":*) ;;
  *) echo "add $to to your PATH" ;;
esac
echo 'next: "mneme up --detach", then "mneme install" connects Claude Code'
