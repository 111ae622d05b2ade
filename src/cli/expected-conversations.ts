/** The expectation of `inspect --expect`, and its report: each field that is not as expected, and a count. */
import { readFileSync } from 'node:fs';
import { counted } from '../model/counted.ts';
import type { Json } from '../model/json.ts';
import { UnreadableInput } from '../model/unreadable-input.ts';
import { visibleJson } from '../model/visible-text.ts';
import { unreadable } from '../model/why-unreadable.ts';
import { type ComparedField, comparedFields } from '../report/inspect/expected-fields.ts';
import type { PlainConversation } from '../reader/plain-conversation.ts';
import { CommandFailure, EXIT } from './exit-codes.ts';
import { safe, type Terminal } from './terminal.ts';

/** Throws where a field is not as expected, so that the command fails. */
export function reportExpected(
  terminal: Terminal,
  conversations: readonly PlainConversation[],
  { file, asJson }: { readonly file: string; readonly asJson: boolean },
): void {
  const fields = comparedFields(readExpected(file), conversations);
  const others = fields.filter(({ is }) => is !== 'right');
  if (asJson) terminal.out(visibleJson({ fields: fields.length, right: fields.length - others.length, others }, 2));
  else {
    for (const field of others) terminal.out(inOneLine(field));
    terminal.out(`${fields.length - others.length} of ${counted(fields.length, 'field')} as expected`);
  }
  if (others.length > 0)
    throw new CommandFailure(`${counted(others.length, 'field')} not as ${safe(file)} expects`, EXIT.failed);
}

function inOneLine({ field, is, expected, found }: ComparedField): string {
  const shown = (value: Json) => safe(JSON.stringify(value), 200);
  const name = `${is.padEnd(7)}  ${safe(field, 120)}`;
  if (is === 'unknown') return `${name}: no conversation has such a field (docs/reference/conversation.schema.json)`;
  return `${name}: expected ${shown(expected)}, found ${is === 'missing' ? 'nothing' : shown(found)}`;
}

/** A conversation, a list of them, or one a line. */
function readExpected(file: string): readonly Json[] {
  try {
    const text = readFileSync(file, 'utf8').trim();
    const isLines = /^\{.*\}\n\{/.test(text);
    // The cast is what JSON.parse gives.
    return [JSON.parse(isLines ? `[${text.replaceAll('\n', ',')}]` : text) as Json].flat();
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw new UnreadableInput(unreadable(file, error));
    throw new UnreadableInput(`${file}: expected a conversation as JSON, a list of them, or one a line`);
  }
}
