#!/usr/bin/env bash
# Compiles mneme for the other systems, makes a release for this one and installs it in all its ways:
# with the script, with npm and npx, by "mneme upgrade". Everything lies in a folder of its own that
# is removed at the end. Run it with "make release-check"; it takes as long as its compilers.
set -euo pipefail
cd "$(dirname "$0")/../.."
GO=${GO:-go}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for target in darwin/arm64 darwin/amd64 linux/arm64; do
  echo "== compile for $target"
  CGO_ENABLED=0 GOOS=${target%/*} GOARCH=${target#*/} "$GO" build -o /dev/null ./cmd/...
done

here=$("$GO" env GOOS)/$("$GO" env GOARCH)
dist=${DIST:-$work/dist} # DIST: a release that was made already
if [ -z "${DIST:-}" ]; then
  echo "== release for $here"
  "$GO" run ./internal/release/make -version 0.0.1 -out "$dist" -targets "$here"
fi
(cd "$dist" && sha256sum --check --quiet SHA256SUMS 2>/dev/null || shasum -a 256 -c SHA256SUMS >/dev/null)

echo "== install with the script"
sh "$dist/install.sh" --from "$dist" --to "$work/bin"

echo "== upgrade, and back"
"$work/bin/mneme" --home "$work/home" upgrade --from "$dist" --yes
"$work/bin/mneme" --home "$work/home" upgrade --back --yes

if command -v npm >/dev/null; then
  echo "== npx from local packages"
  node=$(node -p 'process.platform + "-" + process.arch')
  mkdir "$work/packed" "$work/app"
  (cd "$work/packed" && npm pack --silent "$dist/npm/mneme" "$dist/npm/mneme-$node")
  cd "$work/app"
  echo '{"private": true}' >package.json
  npm install --silent --no-audit --no-fund --offline --cache "$work/npm" "$work"/packed/*.tgz
  npx --no-install mneme version
  npx --no-install mneme-mcp --no-such-flag 2>/dev/null && { echo "the exit code was lost"; exit 1; }
fi
echo "release-check: all went well"
