#!/bin/sh
# Waits until Temporal says that it serves, and makes the namespace of mneme if there is none.
set -eu
pem=/run/secrets/temporal
ask() { temporal "$@" --address "$TEMPORAL_ADDRESS" --tls-ca-path "$pem" --tls-cert-path "$pem" --tls-key-path "$pem"; }

tries=0
until ask operator cluster health; do
	tries=$((tries + 1))
	if [ "$tries" -ge 60 ]; then
		echo "namespace.sh: Temporal does not serve after two minutes" >&2
		exit 1
	fi
	sleep 2
done
if ask operator namespace describe --namespace "$NAMESPACE" >/dev/null 2>&1; then
	echo "the namespace $NAMESPACE is there"
else
	ask operator namespace create --namespace "$NAMESPACE" --retention "$RETENTION"
fi
