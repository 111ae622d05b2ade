import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { reloaded } from '../../src/config/reloadable.ts';
import { loadSettings } from '../../src/config/settings.ts';
import { tempDirectory } from '../temp-directory.ts';

function load(cwd: string, yaml: string) {
  writeFileSync(path.join(cwd, 'assay.yaml'), yaml);
  return loadSettings({ flags: {}, env: {}, cwd });
}

test.for([
  ['log_level: debug'],
  ['store: {keep: 1d, keep_failed: 2d}'],
  ['results: {endpoint: "http://c:4318"}'],
  ['truth: {files: [{path: a.yaml}]}'],
  ['conversation: {idle: 1s}'],
] as const)('%s is taken', ([yaml]) => {
  const cwd = tempDirectory();
  const next = load(cwd, yaml);

  expect(next.mistakes).toEqual([]);
  expect(reloaded(load(cwd, '').settings, next.settings)).toEqual({ settings: next.settings, needRestart: [] });
});

test.for([
  ['http_port: 1\notlp_http_port: 2', ['otlp_http_port', 'http_port']],
  ['turn: {idle: 1s, max_bytes: 5MiB}', ['turn']],
  ['judging: {limit: 2h}', ['judges']],
  ['judging: {budget: {per_day: 1}}', ['judges']],
  ['conversation: {id_keys: [a]}', ['conversation.id_keys']],
] as const)('%s waits for the next start, and is named', ([yaml, needRestart]) => {
  const cwd = tempDirectory();
  const next = load(cwd, yaml);
  const running = load(cwd, '').settings;

  expect(next.mistakes).toEqual([]);
  expect(reloaded(running, next.settings)).toEqual({ settings: running, needRestart });
});

test('of a section that is taken in parts, each setting goes its own way', () => {
  const cwd = tempDirectory();
  const running = load(cwd, '').settings;
  const next = load(cwd, 'conversation: {idle: 1s, id_keys: [a]}').settings;

  const { settings } = reloaded(running, next);

  expect(settings).toEqual({ ...running, conversation: { ...running.conversation, idleMs: 1000 } });
});
