/** An author's expectation of an export, compared field by field with what was read. */
import { expect, test } from 'vitest';
import type { Json } from '../../src/model/json.ts';
import { comparedFields } from '../../src/report/inspect/expected-fields.ts';

const FOUND: Json = [
  {
    conversation_id: 'c',
    agent: null,
    turns: [
      {
        final_answer: 'Done.',
        tool_calls: [
          { id: 'a', name: 'find', args: { order: 9, deep: true }, error: null },
          { id: 'b', name: 'track', args: {}, error: null },
        ],
      },
    ],
  },
];

test.each<[string, Json, readonly string[]]>([
  ['fields that are left out are not compared', [{ conversation_id: 'c' }], []],
  ['another value is wrong', [{ turns: [{ final_answer: 'No.' }] }], ['wrong [0].turns[0].final_answer']],
  ['nothing in place of a value is missing', [{ agent: 'shop' }], ['missing [0].agent']],
  [
    'a value where nothing is expected is wrong',
    [{ turns: [{ final_answer: null }] }],
    ['wrong [0].turns[0].final_answer'],
  ],
  ['a field of no conversation', [{ user: 'x' }], ['unknown [0].user']],
  ['another length', [{ turns: [{}, {}] }], ['wrong [0].turns.length', 'missing [0].turns[1]']],
  [
    'calls go by their id, in any order',
    [
      {
        turns: [
          {
            tool_calls: [
              { id: 'b', name: 'track' },
              { id: 'a', name: 'look' },
            ],
          },
        ],
      },
    ],
    ['wrong [0].turns[0].tool_calls[1].name'],
  ],
  [
    'arguments are one field',
    [{ turns: [{ tool_calls: [{ args: { order: 9 } }, {}] }] }],
    ['wrong [0].turns[0].tool_calls[0].args'],
  ],
  ['more conversations than there are', [{}, {}], ['wrong .length', 'missing [1]']],
])('%s', (_what, expected, others) => {
  const fields = comparedFields(expected, FOUND);

  expect(fields.filter(({ is }) => is !== 'right').map(({ field, is }) => `${is} ${field}`)).toEqual(others);
});
