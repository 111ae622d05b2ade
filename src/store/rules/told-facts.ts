/** Facts of the conversations of a window, with what is known of how each went: what a discovery looks at. */
import { CALLED } from '../../model/called.ts';
import { POLARITIES } from '../../model/feedback.ts';
import { inStretch, stretchOf } from '../conversation-search.ts';
import { cameOutAs } from '../frame-columns.ts';
import type { FactsOf, FactsRead, FrameQuery } from '../frame-reader.ts';
import { cells, type Dialect, isTrue, type Rule } from '../sql.ts';
import { windowOf } from './frame.ts';

type Cells = readonly [
  row: number,
  conversationId: string,
  beganAt: number,
  facts: string | null,
  called: number | null,
  feedback: number | null,
  cameOut: number | null,
  foretold: number | null,
  readGood: number | boolean,
  readBad: number | boolean,
];

/** The window is found by an index of times alone: one conversation more than are looked at says that there are more. */
export function* factsOf(dialect: Dialect, query: FrameQuery, lookedAtMax: number): Rule<FactsRead> {
  const { key } = dialect;
  const stretch = inStretch(stretchOf(query), '');
  const window = windowOf(dialect, query, '+c.began_at');
  const readAs = (good: string) => `c.${key} IN (SELECT ${key} FROM readings WHERE source = 'person' AND ${good})`;
  const sql = `SELECT c.id, c.conversation_id, c.began_at, CASE WHEN ${window.sql} AND c.frame IS NOT NULL THEN c.facts END,
      c.called, c.feedback, c.came_out, c.foretold, ${readAs('good')}, ${readAs('NOT good')}
    FROM (SELECT id FROM conversations WHERE first_closed_at IS NOT NULL AND ${stretch.sql}
      ORDER BY began_at DESC, id DESC LIMIT ?) latest CROSS JOIN conversations c WHERE c.id = latest.id`;
  const found = yield* cells<Cells>({ name: 'facts-of-window', sql, varies: true }, [
    ...window.values,
    ...stretch.values,
    lookedAtMax + 1,
  ]);
  return {
    conversations: found.flatMap((row) => toFacts(dialect, row)),
    isCut: found.length > lookedAtMax,
  };
}

function toFacts({ fromStored }: Dialect, row: Cells): readonly FactsOf[] {
  const [id, conversationId, beganAt, facts, called, feedback, cameOut, foretold, readGood, readBad] = row;
  if (facts === null) return [];
  return [
    {
      row: id,
      conversationId: fromStored(conversationId),
      beganAt,
      facts: fromStored(facts),
      called: CALLED[called ?? -1] ?? 'unscored',
      feedback: POLARITIES[feedback ?? -1],
      cameOut: cameOutAs(cameOut),
      isForetoldBad: foretold === 0,
      readAs: isTrue(readBad) ? 'bad' : isTrue(readGood) ? 'good' : undefined,
    },
  ];
}
