/** Reads `deploy/`, `docker-compose.yml` and the Dockerfile, for tests that compare them with the code. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse, parseAllDocuments } from 'yaml';

export const ROOT = path.resolve(import.meta.dirname, '../..');

/** Our own files, so a missing field is a mistake that the test shows: undefined all the way down. */
// biome-ignore lint/suspicious/noExplicitAny: the shape of these files is what the tests are about.
export type Written = any;

export function text(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8');
}

export function yaml(file: string): Written {
  return parse(text(file), { merge: true });
}

export function yamlDocuments(file: string): readonly Written[] {
  return parseAllDocuments(text(file)).map((document) => document.toJS());
}

/** Environment variables that are read as settings. */
export function knownVariables(): ReadonlySet<string> {
  const sources = readdirSync(path.join(ROOT, 'src/config')).map((file) => text(`src/config/${file}`));
  const found = sources.flatMap((source) => [...source.matchAll(/\b(ASSAY_[A-Z_]+)\b/g)].map(([name]) => name));
  return new Set(found);
}

/** Topics that the script creates. */
export function createdTopics(): ReadonlySet<string> {
  const script = text('deploy/kafka/create-topics.sh');
  const looped = /for topic in ([^;]+);/.exec(script)?.[1]?.split(' ') ?? [];
  const named = [...script.matchAll(/^create (\w+)/gm)].map(([, name = '']) => name);
  return new Set([...looped, ...named]);
}
