#!/bin/sh
# Sends a healthy version for some minutes, and then a bad release for as long again, to ENDPOINT (OTLP over HTTP).
set -eu
agent="node $(dirname "$0")/main.ts --endpoint ${ENDPOINT:-http://127.0.0.1:4318} --rate ${RATE:-5}"
each=${CONVERSATIONS:-1500}
# A different seed each time, so that the conversations are new.
seed=$(date +%s)
$agent --seed "$seed" --conversations "$each" --version v1
$agent --seed "$((seed + 1))" --conversations "$each" --version v2 \
  --regress wrong-participant,wrong-time,skip-alternatives,silent-crash --regress-rate 0.6
