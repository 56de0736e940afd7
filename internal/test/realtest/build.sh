#!/bin/sh
# Builds one of the real programs that the tests of this folder run, from its Go
# module and at the version that go.mod names, and puts it into a folder:
#
#     build.sh ollama|temporal-server|temporal-sql-tool|temporal-ui FOLDER
#
# Each takes some minutes, Ollama a quarter of an hour on two cores: it is
# compiled from C++.
set -eu
program=$1
folder=$2
go=${GO:-go}
flags=
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

case $program in
ollama)
	module=github.com/ollama/ollama
	package=$module
	# A Go module has no folder named vendor, where llama.cpp has these headers.
	for header in nlohmann/json.hpp stb/stb_image.h; do
		if ! echo "#include <$header>" | c++ -x c++ -fsyntax-only - 2>"$work/errors"; then
			cat "$work/errors" >&2
			echo "build.sh: Ollama needs $header: apt-get install g++ nlohmann-json3-dev libstb-dev" >&2
			exit 1
		fi
	done
	# No package of Debian has miniaudio.h; this module brings it along.
	miniaudio=$("$go" mod download -json github.com/gen2brain/malgo@v0.11.24 | sed -n 's/^[[:space:]]*"Dir": "\(.*\)",*$/\1/p')
	ln -s "$miniaudio" "$work/miniaudio"
	export CPLUS_INCLUDE_PATH="$work"
	flags="-X github.com/ollama/ollama/version.Version="
	;;
temporal-server)
	module=go.temporal.io/server
	package=$module/cmd/server
	;;
temporal-ui)
	module=github.com/temporalio/ui-server/v2
	package=$module/cmd/server
	;;
temporal-sql-tool)
	module=go.temporal.io/server
	package=$module/cmd/tools/sql
	;;
*)
	echo "build.sh: no program $program" >&2
	exit 2
	;;
esac

version=$("$go" list -m -f '{{.Version}}' "$module")
mkdir -p "$folder"
if [ -n "$flags" ]; then
	flags=$flags${version#v} # without it the program calls itself 0.0.0
fi
GOBIN=$work/bin nice -n 10 "$go" install -ldflags "$flags" "$package@$version"
mv "$work/bin/$(basename "$package")" "$folder/$program"
