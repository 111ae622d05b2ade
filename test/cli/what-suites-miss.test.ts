/** Bad outcomes of an import that the suites miss: how the command asks for them, and what it prints. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { printMissed, whatSuitesMiss } from '../../src/cli/what-suites-miss.ts';
import type { Terminal } from '../../src/cli/terminal.ts';
import { printed } from './printed.ts';

/** A service of which every id is known, and called fine. */
async function serviceThat(answers: (ids: readonly string[], limit: number) => object, status = 200): Promise<string> {
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const answer = answers(searchParams.getAll('conversation_id'), Number(searchParams.get('limit')));
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  // The cast holds for a server that listens on a port.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function quiet(complaints: string[] = []): Terminal {
  const nothing = () => undefined;
  const err = (text: string) => void complaints.push(text);
  return {
    ...{ out: nothing, json: nothing, progress: nothing, progressDone: nothing },
    ...{ err, paint: (_style, text) => text, isLive: false },
  };
}

const many = Array.from({ length: 130 }, (_none, n) => ({ conversation_id: `c-${n}`, good: n % 4 === 0 }));
const AGENT = 'shop';

test('many outcomes are asked for some at a time, and the latest that are missed are kept, across requests', async () => {
  const sizes: number[] = [];
  const url = await serviceThat((ids, limit) => {
    sizes.push(ids.length);
    const at = (id: string) => new Date(Number(id.slice(2)) * 1000).toISOString();
    const items = ids.map((id) => ({ conversation_id: id, agent: AGENT, began_at: at(id), asked: `${id}?`, more: 1 }));
    return { conversations: items.slice(0, limit), looked_at: ids.length, next: null };
  });

  const missed = await whatSuitesMiss(many, { url, token: undefined }, quiet());

  expect(sizes.every((size) => size <= 50)).toBe(true);
  expect(missed).toMatchObject({ known: 130, bad: 97, called_fine: 97 });
  expect(missed?.examples.map(({ conversation_id: id }) => id)).toEqual(['c-129', 'c-127', 'c-126', 'c-125', 'c-123']);
});

test('a service that does not show conversations is no failure: the outcomes are stored, and the reason is printed', async () => {
  const url = await serviceThat(() => ({ error: 'this takes the role read' }), 403);
  const complaints: string[] = [];

  expect(await whatSuitesMiss(many, { url, token: 'put-only' }, quiet(complaints))).toBeUndefined();
  expect(complaints).toEqual([expect.stringMatching(/^the outcomes are stored; .*403: this takes the role read$/s)]);
});

const NONE = { known: 3, bad: 2, called_fine: 0, examples: [] };
const example = { conversation_id: 'c-1', agent: 'shop', began_at: '2026-01-01T00:00:00.000Z' };
const ASKED = { ...example, asked: `Where\n\u001b[31mis it?\u202e ${'x'.repeat(200)}` };

test.each([
  ['nothing is missed', NONE, 3, ['2 of 3 outcomes are bad; the suites call none of them fine']],
  ['nothing is bad', { ...NONE, bad: 0 }, 3, ['']],
  ['none is known', { ...NONE, known: 0, bad: 0 }, 3, ['outcomes of conversations that the service does not have: 3']],
  [
    'words of users would be obeyed by a terminal',
    { ...NONE, called_fine: 2, examples: [ASKED, example] },
    3,
    [
      '2 of 3 outcomes are bad; the suites call 2 of them fine (100.0 %)',
      `    c-1  shop  Where is it?  ${'x'.repeat(85)}…`,
      '    c-1  shop',
      'All that are bad and called fine: http://127.0.0.1:4319/conversations?came_out=missed',
    ],
  ],
] as const)('the lines where %s', (_when, missed, outcomes, lines) => {
  const text = printed((terminal) => printMissed(terminal, missed, { outcomes, url: 'http://127.0.0.1:4319' }));

  expect(text.split('\n')).toEqual(lines);
});
