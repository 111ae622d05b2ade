import { expect, test } from 'vitest';
import { ConversationNotes } from '../../src/engine/conversation-notes.ts';
import { conversationHash, conversationIdFrom } from '../../src/model/conversation-id.ts';
import type { ConversationId } from '../../src/model/ids.ts';
import { BatchTable, encodeTable } from '../../src/otlp/batch-table.ts';
import { transcodeTraces } from '../../src/otlp/json-transcoder.ts';
import { indexTraces } from '../../src/otlp/traces-reader.ts';

/** Notes the conversations of spans with these attributes, and reads the table again. */
function noted(spans: readonly (readonly [key: string, value: string])[][], idKeys: readonly string[] = []) {
  const attributesOf = (pairs: readonly (readonly [string, string])[]) =>
    pairs.map(([key, value]) => ({ key, value: { stringValue: value } }));
  const request = {
    resourceSpans: [
      {
        resource: { attributes: attributesOf([['tenant.session', 'of the resource']]) },
        scopeSpans: [
          {
            scope: { name: 'assay' },
            spans: spans.map((pairs, index) => ({
              traceId: 'ab'.repeat(16),
              spanId: (index + 1).toString(16).padStart(16, '0'),
              flags: 0x301,
              attributes: attributesOf(pairs),
            })),
          },
        ],
      },
    ],
  };
  const bytes = transcodeTraces(Buffer.from(JSON.stringify(request)));
  const table = encodeTable(indexTraces(bytes));
  const before = BatchTable.read(Buffer.from(table));
  new ConversationNotes(idKeys).note({ signal: 'traces', bytes, table });
  const after = BatchTable.read(table);
  for (let row = 0; row < after.rowCount; row += 1) {
    expect([after.isOwn(row), after.parentIsRemote(row)]).toEqual([before.isOwn(row), before.parentIsRemote(row)]);
    expect(before.conversationHash(row)).toBe(0);
  }
  return Array.from({ length: after.rowCount }, (_, row) => after.conversationHash(row));
}

const hash = (named: string) => conversationHash(conversationIdFrom(named));

test('each span is noted with the conversation that it names, by the conventions and their precedence', () => {
  expect(
    noted([
      [['gen_ai.conversation.id', 'c1']],
      [
        ['session.id', 's1'],
        ['gen_ai.conversation.id', 'c1'],
      ],
      [['session.id', 's1']],
      [['langfuse.session.id', 'f1']],
      [['something.else', 'c1']],
      [['gen_ai.conversation.id', '']],
    ]),
  ).toEqual([hash('c1'), hash('c1'), hash('s1'), hash('f1'), 0, 0]);
});

test('a configured attribute counts before the conventions, on the resource as well', () => {
  const keys = ['tenant.conversation', 'tenant.session'];

  expect(
    noted([[['gen_ai.conversation.id', 'c1']], [['tenant.conversation', 't1']], [['session.id', 's1']]], keys),
  ).toEqual([hash('of the resource'), hash('t1'), hash('of the resource')]);
});

test('the hash of an id is small, never 0, and does not change from one version to the next', () => {
  const hashes = ['', 'c1', 'conversation-31-7', 'ü'.repeat(300)].map((id) => conversationHash(id as ConversationId));

  expect(hashes).toEqual([18_652_615, 136_962_011, 1_006_587_631, 711_317_957]);
  for (const one of hashes) expect(one > 0 && one < 2 ** 30).toBe(true);
});

test.each([
  ['the value before the key', [value('s1'), key('session.id')]],
  ['an unknown field between them', [key('session.id'), [0x1a, 1, 7], value('s1')]],
  ['an unknown field behind them', [key('x'), value('s1'), [0x1a, 0], key('session.id')]],
  ['another key first', [key('x'), value('s1'), key('session.id')]],
  ['another key directly before it', [key('x'), key('session.id'), value('s1')]],
  ['a length of the key in two bytes', [[0x0a, 0x80 | 10, 0, ...Buffer.from('session.id')], value('s1')]],
  ['a value in two pieces', [key('session.id'), value('s0'), value('s1')]],
])('an attribute that is written in another way is read as the index reads it: %s', (_, pieces) => {
  const attribute = pieces.flat();
  const span = [0x0a, 16, ...Buffer.alloc(16, 1), 0x12, 8, ...Buffer.alloc(8, 1), 0x4a, attribute.length, ...attribute];
  const spans = [0x12, span.length, ...span];
  const bytes = Buffer.from([0x0a, spans.length + 2, 0x12, spans.length, ...spans]);
  const index = indexTraces(bytes);
  const table = encodeTable(index);

  new ConversationNotes([]).note({ signal: 'traces', bytes, table });

  expect(index.view(0).attributes.text('session.id')).toBe('s1');
  expect(BatchTable.read(table).conversationHash(0)).toBe(hash('s1'));
});

function key(text: string): number[] {
  return [0x0a, text.length, ...Buffer.from(text)];
}

function value(text: string): number[] {
  return [0x12, text.length + 2, 0x0a, text.length, ...Buffer.from(text)];
}
