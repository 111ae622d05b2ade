/** Where expressions hold: a row of conversations for each, worked out by the engine that runs suites. */
import type { Conversation } from '../model/conversation.ts';
import { compileExpression } from '../score/cel/compile-expression.ts';
import { checkEnvironment } from '../score/cel/environment.ts';
import { Scope } from '../score/cel/scope.ts';
import { subjectOf } from '../score/subject/subject.ts';
import type { Expression } from './expressions.ts';

export interface Row {
  readonly of: Expression;
  /** By conversation: 1 where it holds, 0 where it does not, 2 where it cannot be said. */
  readonly holds: Uint8Array;
}

export const HOLDS = 1;
export const HOLDS_NOT = 0;
export const UNKNOWN = 2;

/** Without those that are the same everywhere, and only the first of those that are alike. */
export function rowsOf(expressions: readonly Expression[], conversations: readonly Conversation[]): readonly Row[] {
  const scopes = scopesOf(conversations);
  const rows = new Map<string, Row>();
  for (const of of expressions) {
    const holds = holdsIn(of, scopes);
    const key = holds.join('');
    if (!rows.has(key) && new Set(holds).size > 1) rows.set(key, { of, holds });
  }
  return [...rows.values()];
}

export function holdsOn(expression: Expression, conversations: readonly Conversation[]): Row['holds'] {
  return holdsIn(expression, scopesOf(conversations));
}

function scopesOf(conversations: readonly Conversation[]): readonly Scope[] {
  return conversations.map((conversation) => new Scope(subjectOf(conversation, undefined)));
}

function holdsIn({ cel }: Expression, scopes: readonly Scope[]): Uint8Array {
  const compiled = compileExpression(ENVIRONMENT, cel, { gives: 'bool' });
  if ('mistake' in compiled) throw new Error(`${cel}: ${compiled.mistake.problem}`);
  return Uint8Array.from(scopes, (scope) => {
    const end = compiled.program.run(scope);
    if (end.kind !== 'value') return UNKNOWN;
    return end.value === true ? HOLDS : HOLDS_NOT;
  });
}

const ENVIRONMENT = checkEnvironment();
