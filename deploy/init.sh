#!/bin/sh
# Makes .env and secrets/ beside this file, each with its own passwords and keys, where they are
# missing. What is there stays as it is.
set -eu
umask 077
cd "$(dirname "$0")"

# hex prints a number of random bytes as letters and digits.
hex() { od -An -N "$1" -tx1 /dev/urandom | tr -d ' \n'; }

if [ ! -e .env ]; then
	while IFS= read -r line; do
		case $line in
		*PASSWORD= | *KEY= | *TOKEN=) printf '%s%s\n' "$line" "$(hex 24)" ;;
		*) printf '%s\n' "$line" ;;
		esac
	done <.env.example >.env.new
	mv .env.new .env
	echo "made deploy/.env"
fi

# The folder lets in its owner alone. Its files can be read by everybody, because those who read
# them in the containers are other users; they see the one file, and not the folder.
mkdir -p secrets
chmod 700 secrets
# The first key encrypts, the one called marks makes the marks of redaction: see docs/security.md.
key() { head -c 32 /dev/urandom | base64 | tr -d '\n'; }
if [ ! -e secrets/payload.keys ]; then
	printf '%s %s\nmarks %s\n' "$(hex 4)" "$(key)" "$(key)" >secrets/payload.keys.new
	chmod 444 secrets/payload.keys.new
	mv secrets/payload.keys.new secrets/payload.keys
	echo "made deploy/secrets/payload.keys: keep a copy; without it, whatever still waits to be stored is lost"
fi
if [ ! -e secrets/temporal.pem ]; then
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 36500 -subj "/CN=mneme" \
		-addext "subjectAltName=DNS:temporal,DNS:localhost,IP:127.0.0.1" \
		-keyout secrets/key.new -out secrets/certificate.new 2>secrets/log.new || {
		cat secrets/log.new >&2
		exit 1
	}
	cat secrets/key.new secrets/certificate.new >secrets/temporal.pem.new
	rm secrets/key.new secrets/certificate.new secrets/log.new
	chmod 444 secrets/temporal.pem.new
	mv secrets/temporal.pem.new secrets/temporal.pem
	echo "made deploy/secrets/temporal.pem"
fi
