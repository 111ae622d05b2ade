/**
 * Apache Kafka's own jars, from Maven Central, for a broker and its command line tools. They are fetched once into
 * node_modules/.cache; Maven keeps its copy, so that a fresh checkout has them without the network.
 *
 * The version is the newest of which all parts are published: the tools' API of 4.4.0 is missing.
 */
import { execFile } from 'node:child_process';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { madeOnce } from '../made-once.ts';

const KAFKA_VERSION = '4.3.1';

/** The class path with which `java` runs Kafka. */
export async function kafkaClassPath(): Promise<string> {
  const directory = await madeOnce(`kafka-${KAFKA_VERSION}`, {
    make: fetchJars,
    needs: 'mvn, Java 17 and Maven Central',
  });
  return `${directory}/*`;
}

async function fetchJars(made: string): Promise<void> {
  const project = path.join(made, 'pom.xml');
  writeFileSync(project, POM);
  await promisify(execFile)(
    'mvn',
    ['-q', '-B', '-f', project, 'dependency:copy-dependencies', `-DoutputDirectory=${made}`, '-DincludeScope=runtime'],
    { timeout: 600_000 },
  );
  rmSync(project);
  if (!readdirSync(made).some((file) => file.startsWith('kafka_')))
    throw new Error(`no Kafka among what Maven fetched into ${made}`);
}

function dependency(group: string, artifact: string, version: string): string {
  return `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`;
}

const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
<modelVersion>4.0.0</modelVersion>
<groupId>assay</groupId><artifactId>kafka-for-tests</artifactId><version>1</version><packaging>pom</packaging>
<dependencies>
${dependency('org.apache.kafka', 'kafka_2.13', KAFKA_VERSION)}
${dependency('org.apache.kafka', 'kafka-tools', KAFKA_VERSION)}
${dependency('org.slf4j', 'slf4j-simple', '1.7.36')}
</dependencies>
</project>
`;
