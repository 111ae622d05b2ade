#!/bin/sh
exec java -Xmx256m -Dorg.slf4j.simpleLogger.defaultLogLevel=warn -cp "/opt/kafka/libs/*" org.apache.kafka.tools.ConsoleProducer "$@"
