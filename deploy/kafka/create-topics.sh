#!/bin/sh
# Creates the topics that Assay reads and writes; existing ones stay unchanged.
#   BROKERS=kafka:9092 PARTITIONS=12 REPLICAS=3 deploy/kafka/create-topics.sh
# KAFKA_TOPICS is the command of Kafka's distribution, if it is not at its place in Apache's image.
set -eu
topics=${KAFKA_TOPICS:-/opt/kafka/bin/kafka-topics.sh}
brokers=${BROKERS:-localhost:9092}
partitions=${PARTITIONS:-12}
replicas=${REPLICAS:-3}

create() {
  name=$1
  count=$2
  shift 2
  "$topics" --bootstrap-server "$brokers" ${COMMAND_CONFIG:+--command-config "$COMMAND_CONFIG"} \
    --create --if-not-exists --topic "$name" --partitions "$count" --replication-factor "$replicas" "$@"
}

# LogAppendTime: log time is then the brokers' clock, so a wrong clock of an agent cannot advance or delay anything.
for topic in otlp_spans otlp_logs; do
  create "$topic" "$partitions" \
    --config max.message.bytes=16777216 \
    --config message.timestamp.type=LogAppendTime \
    --config retention.ms=259200000
done
create assay_dead_letters 1 --config max.message.bytes=17825792 --config retention.ms=1209600000
# The key is the id of an evaluation: one that was sent twice is kept once.
create assay_evaluations "$partitions" --config cleanup.policy=compact,delete
