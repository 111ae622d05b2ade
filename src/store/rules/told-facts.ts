/** Facts of the conversations of a window, with what is known of how each went: what a discovery looks at. */
import { CALLED } from '../../model/called.ts';
import { POLARITIES } from '../../model/feedback.ts';
import { inStretch, isBefore, type Place, stretchOf } from '../conversation-search.ts';
import { cameOutAs } from '../frame-columns.ts';
import type { FactsOf, FactsRead, FrameQuery } from '../frame-reader.ts';
import { cells, type Dialect, type Rule } from '../sql.ts';
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
  /** 0 is bad, 1 is good. */
  readAs: number | null,
];

const PAGE = 5_000;
/** Facts hold names from spans: however long these are, a read takes some hundred megabytes at most. */
const CHARACTERS_MAX = 64_000_000;

/** The window is found by an index of times alone, and read from its end, a page at a time. */
export function* factsOf(dialect: Dialect, query: FrameQuery, lookedAtMax: number): Rule<FactsRead> {
  const window = windowOf(dialect, query, '+c.began_at');
  const sql = statementOf(dialect, window.sql);
  const conversations: FactsOf[] = [];
  let [lookedAt, characters] = [0, 0];
  let before: Place | undefined;
  for (;;) {
    const limit = Math.min(PAGE, lookedAtMax - lookedAt);
    const stretch = inStretch(stretchOf({ ...query, cursor: before && { before } }), '');
    const values = [...window.values, ...stretch.values, limit];
    const found: readonly Cells[] = yield* cells<Cells>({ name: 'facts-of-window', sql, varies: true }, values);
    for (const row of found) {
      const place = { at: row[2], row: row[0] };
      if (before === undefined || isBefore(place, before)) before = place;
      const facts = toFacts(dialect, row);
      if (facts === undefined) continue;
      conversations.push(facts);
      characters += facts.facts.length;
    }
    lookedAt += found.length;
    if (found.length < limit) return { conversations, isCut: false };
    if (lookedAt >= lookedAtMax || characters >= CHARACTERS_MAX) return { conversations, isCut: true };
  }
}

function statementOf({ key }: Dialect, window: string): string {
  return `SELECT c.id, c.conversation_id, c.began_at, CASE WHEN ${window} AND c.frame IS NOT NULL THEN c.facts END,
      c.called, c.feedback, c.came_out, c.foretold, (SELECT min(CASE WHEN r.good THEN 1 ELSE 0 END) FROM readings r
        WHERE r.${key} = c.${key} AND r.source = 'person' AND r.good IS NOT NULL)
    FROM (SELECT id FROM conversations WHERE first_closed_at IS NOT NULL AND ${inStretch(stretchOf({}), '').sql}
      ORDER BY began_at DESC, id DESC LIMIT ?) latest CROSS JOIN conversations c WHERE c.id = latest.id`;
}

function toFacts({ fromStored }: Dialect, row: Cells): FactsOf | undefined {
  const [id, conversationId, beganAt, facts, called, feedback, cameOut, foretold, readAs] = row;
  if (facts === null) return undefined;
  return {
    row: id,
    conversationId: fromStored(conversationId),
    beganAt,
    facts: fromStored(facts),
    called: CALLED[called ?? -1] ?? 'unscored',
    feedback: POLARITIES[feedback ?? -1],
    cameOut: cameOutAs(cameOut),
    isForetoldBad: foretold === 0,
    readAs: readAs === null ? undefined : readAs === 0 ? 'bad' : 'good',
  };
}
