#!/usr/bin/env bash
# Builds images from packages, for machines that cannot pull any. See README.md.
#   BASE_IMAGE=debian:bookworm-slim  an image of Debian; made with debootstrap where it is not there
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
base=${BASE_IMAGE:-debian:bookworm-slim}
# The classic builder is in every engine.
export DOCKER_BUILDKIT=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if ! docker image inspect "$base" >/dev/null 2>&1; then
  debootstrap --variant=minbase --include=ca-certificates bookworm "$work/debian"
  tar -C "$work/debian" -c . | docker import - "$base"
fi

build() {
  name=$1
  docker build --build-arg "BASE_IMAGE=$base" -t "assay-test/$name" "$work/$name"
}

cd "$root"
export PATH=$root/node_modules/.bin:$PATH
jars=$(node -e "import('$root/test/outside/kafka/kafka-jars.ts').then(async (m) => console.log((await m.kafkaClassPath()).slice(0, -2)))")
collector=$(node -e "import('$root/test/outside/collector.ts').then(async (m) => console.log(await m.collectorBinary()))")

for name in kafka postgres collector; do cp -r "$here/$name" "$work/$name"; done
cp -r "$jars" "$work/kafka/libs"
cp "$collector" "$work/collector/otelcol-contrib"
for name in kafka postgres collector; do build "$name"; done
