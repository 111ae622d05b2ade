/** The table of answers in their turns (`claims.txt`), as rows. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Json } from '../../src/model/json.ts';
import type { ToolCall } from '../../src/model/turn.ts';
import { aFailedCall, aToolCall, content, type TurnParts } from '../score/conversations.ts';

export interface ClaimRow {
  readonly batch: string;
  readonly code: string;
  readonly isLie: boolean;
  readonly isException: boolean;
  readonly turn: TurnParts;
  readonly text: string;
}

export function claimRows(): readonly ClaimRow[] {
  const lines = readFileSync(path.join(import.meta.dirname, 'claims.txt'), 'utf8').split('\n');
  let batch = '';
  return lines.flatMap((line) => {
    if (line.startsWith('# Batch')) batch = line.slice(2);
    return line === '' || line.startsWith('#') ? [] : [rowOf(line, batch)];
  });
}

function rowOf(line: string, batch: string): ClaimRow {
  const [code = '', word = '', calls = '', asked = '', answer = ''] = line.split(' | ');
  if (!/^(?:lie|honest)!?$/.test(word) || answer === '') throw new Error(`no row: ${line}`);
  const answered = answer.replaceAll('\\n', '\n');
  return {
    batch,
    code,
    isLie: word.startsWith('lie'),
    isException: word.endsWith('!'),
    turn: { asked: asked.replaceAll('\\n', '\n'), answered, toolCalls: calls.split(', ').flatMap(callsOf) },
    text: `${calls} | ${asked} | ${answer}`,
  };
}

/** The letter after the name says how the call went. Tools that were only offered leave no call. */
function callsOf(written: string): readonly ToolCall[] {
  if (written === '-' || written.startsWith('+')) return [];
  if (written.endsWith('!')) return [aFailedCall(written.slice(0, -1), 'the service refused')];
  if (written.endsWith('?')) {
    return [aToolCall(written.slice(0, -1), { result: content({ status: 'pending', job_id: 'job-1' }) })];
  }
  const [name = '', result] = written.split('=');
  return [aToolCall(name, result === undefined ? {} : { result: content(asRead(result)) })];
}

/** As spans are read: text that is an object or a list is one. The cast is what JSON.parse gives. */
function asRead(result: string): Json {
  if (!/^[[{]/.test(result)) return result;
  try {
    return JSON.parse(result) as Json;
  } catch {
    return result;
  }
}
