/** Reads the value of `--agent`: a URL, a module, or else a command for the shell. */
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';

export type AgentTarget =
  | { readonly kind: 'command'; readonly command: string }
  | { readonly kind: 'module'; readonly file: string; readonly exported: string }
  | { readonly kind: 'url'; readonly url: URL };

const EXPORTED_DEFAULT = 'agent';
const MODULE = /^(.*\.(?:ts|mts|js|mjs))(?:#([\p{L}\p{N}_$]+))?$/u;

export function readAgentTarget(text: string, cwd: string): AgentTarget | { readonly problem: string } {
  const target = text.trim();
  if (target === '')
    return { problem: 'no agent is named: expected a URL, a module (agent.ts, agent.ts#name) or a command' };
  if (/^https?:/i.test(target)) {
    const url = URL.parse(target);
    return url === null ? { problem: `${target} is no URL` } : { kind: 'url', url };
  }
  const [, file, exported = EXPORTED_DEFAULT] = MODULE.exec(target) ?? [];
  if (file === undefined) return { kind: 'command', command: target };
  const full = path.resolve(cwd, file);
  if (existsSync(full) && statSync(full).isFile()) return { kind: 'module', file: full, exported };
  // `node agent.ts` is a command whose last word is a file; a path alone was meant to be a module.
  if (/\s/.test(file)) return { kind: 'command', command: target };
  return { problem: `${file}: there is no such file` };
}

/** Target without secrets, to be stored and shown: a URL loses its password. */
export function shownTarget(text: string): string {
  const url = /^\s*https?:/i.test(text) ? URL.parse(text.trim()) : null;
  if (url === null || (url.username === '' && url.password === '')) return text.trim();
  url.username = '';
  url.password = '';
  return url.href;
}
