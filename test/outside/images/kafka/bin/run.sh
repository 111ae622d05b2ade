#!/bin/sh
# KAFKA_LOG_DIRS is log.dirs, and so on; storage is formatted at the first start.
set -eu
properties=$(mktemp)
env | sed -n 's/^KAFKA_\([A-Z_]*\)=\(.*\)$/\1=\2/p' | while IFS='=' read -r name value; do
  [ "$name" = HEAP_OPTS ] || echo "$(echo "$name" | tr 'A-Z_' 'a-z.')=$value"
done >"$properties"
java -cp '/opt/kafka/libs/*' kafka.tools.StorageTool format --ignore-formatted -t 4L6g3nShT-eMCtK--X86sw -c "$properties"
exec java ${KAFKA_HEAP_OPTS:--Xmx512m} -cp '/opt/kafka/libs/*' -Dorg.slf4j.simpleLogger.defaultLogLevel=info kafka.Kafka "$properties"
