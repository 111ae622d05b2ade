/** A data folder with conversations whose texts nothing else contains, and the search for them in all of its files. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { decodeContent } from '../../../src/store/content-codec.ts';
import { findPieces } from '../../../src/store/sqlite/content-piece.ts';

interface SecretTurn {
  readonly conversation: string | undefined;
  readonly user: string | undefined;
  readonly trace: string;
  readonly text: string;
  /** Spans below the root that do not name the conversation. */
  readonly calls?: number;
  /** Without its root, the turn stays open. */
  readonly isOpen?: boolean;
  readonly isLast?: boolean;
}

/** Id of a trace. */
export function traceOf(number: number): string {
  return (0xabc000 + number).toString(16).padStart(32, '5');
}

export function spansOf({ conversation, user, trace, text, calls = 2, isOpen, isLast }: SecretTurn) {
  const span = <T extends object>(id: number, more: T) => ({
    traceId: trace,
    spanId: `${trace.slice(-12)}${id.toString(16).padStart(4, '0')}`,
    startTimeUnixNano: '1790000000000000000',
    endTimeUnixNano: '1790000001000000000',
    kind: 1,
    status: { code: 1 },
    ...more,
  });
  const attribute = (key: string, value: string | undefined) =>
    value === undefined ? [] : [{ key, value: { stringValue: value } }];
  const root = span(1, {
    name: 'invoke_agent',
    attributes: [
      ...attribute('gen_ai.operation.name', 'invoke_agent'),
      ...attribute('gen_ai.agent.name', 'helper'),
      ...attribute('gen_ai.conversation.id', conversation),
      ...attribute('user.id', user),
      ...attribute('gen_ai.input.messages', messages('user', `${text} asked`)),
      ...attribute('gen_ai.output.messages', messages('assistant', `${text} answered`)),
      ...(isLast === true ? [{ key: 'assay.conversation.end', value: { boolValue: true } }] : []),
    ],
  });
  const below = Array.from({ length: calls }, (_, index) =>
    span(index + 2, {
      parentSpanId: `${trace.slice(-12)}0001`,
      name: 'execute_tool look_up',
      attributes: [
        ...attribute('gen_ai.operation.name', 'execute_tool'),
        ...attribute('gen_ai.tool.name', 'look_up'),
        ...attribute('gen_ai.tool.call.arguments', JSON.stringify({ about: `${text} call ${index}` })),
      ],
    }),
  );
  if (isOpen !== true) return [...below, root];
  // A child names it, so that it is known before the turn closes.
  const named = below.map((one) => ({
    ...one,
    attributes: [
      ...one.attributes,
      ...attribute('gen_ai.conversation.id', conversation),
      ...attribute('user.id', user),
    ],
  }));
  return named;
}

function messages(role: string, text: string): string {
  return JSON.stringify([{ role, parts: [{ type: 'text', content: text }] }]);
}

/** Files of the folder in which one of the texts is: in the bytes as they are, or in a piece of content, unpacked. */
export function filesWith(folder: string, texts: readonly string[]): readonly string[] {
  const wanted = texts.map((text) => Buffer.from(text));
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => {
      const bytes = readFileSync(file);
      const all = [bytes, ...(file.endsWith('.content') ? unpacked(bytes) : [])];
      return wanted.some((text) => all.some((one) => one.includes(text)));
    })
    .map((file) => path.relative(folder, file));
}

function unpacked(bytes: Buffer): readonly Buffer[] {
  return [...findPieces(bytes)].flatMap(({ spans, logs }) =>
    [spans, logs].filter(({ length }) => length > 0).map((part) => Buffer.from(decodeContent(part))),
  );
}
