/**
 * Removes from a capture the data of the machine it was made on: names, ids and paths of host and process. Times, span
 * ids and everything that an emitter decides stay as they are.
 */
import { homedir, hostname, tmpdir } from 'node:os';
import type { Json } from './otlp-json.ts';

const NEUTRAL_KEYS: ReadonlyMap<string, Json> = new Map<string, Json>([
  ['host.name', { stringValue: 'host-1' }],
  ['host.id', { stringValue: '00000000000000000000000000000000' }],
  ['host.arch', { stringValue: 'amd64' }],
  ['host.mac', { arrayValue: {} }],
  ['host.ip', { arrayValue: {} }],
  ['net.host.name', { stringValue: 'host-1' }],
  ['os.version', { stringValue: '6.0.0' }],
  ['process.pid', { intValue: '4242' }],
  ['process.parent_pid', { intValue: '4241' }],
  ['process.owner', { stringValue: 'app' }],
  ['process.executable.path', { stringValue: '/usr/local/bin/node' }],
  ['process.executable.name', { stringValue: 'node' }],
  ['process.command', { stringValue: '/app/run.mjs' }],
  ['process.command_args', { arrayValue: { values: [{ stringValue: 'node' }, { stringValue: '/app/run.mjs' }] } }],
  ['process.command_line', { stringValue: 'node /app/run.mjs' }],
  ['service.instance.id', { stringValue: '00000000-0000-4000-8000-000000000000' }],
]);

/** The replacements for the run's own folder and port. */
export function neutralised(value: Json, run: { readonly folder: string; readonly port: number }): Json {
  const replacements: readonly (readonly [string, string])[] = [
    [run.folder, '/app'],
    [process.execPath, '/usr/local/bin/node'],
    [`127.0.0.1:${run.port}`, '127.0.0.1:8080'],
    [`localhost:${run.port}`, 'localhost:8080'],
    [homedir(), '/home/app'],
    [tmpdir(), '/tmp'],
    [hostname(), 'host-1'],
  ];
  const text = (item: string) => {
    let result = item;
    for (const [from, to] of replacements) if (from.length > 3) result = result.replaceAll(from, to);
    return result;
  };
  const walk = (item: Json): Json => {
    if (typeof item === 'string') return text(item);
    if (typeof item !== 'object' || item === null) return item;
    if (Array.isArray(item)) return item.map(walk);
    const { key } = item as { readonly key?: Json };
    const neutral = typeof key === 'string' ? NEUTRAL_KEYS.get(key) : undefined;
    if (neutral !== undefined) return { key: key ?? null, value: neutral };
    return Object.fromEntries(
      Object.entries(item).map(([name, child]) => [name, name === 'intValue' ? port(child) : walk(child)]),
    );
  };
  const port = (item: Json): Json =>
    String(item) === String(run.port) ? (typeof item === 'string' ? '8080' : 8080) : item;
  return walk(value);
}
