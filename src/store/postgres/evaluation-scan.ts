/** Scans of evaluations on the shared store: with a cursor, on a connection of their own, so that others can be asked for meanwhile. */
import type { Verdict } from '../../model/evaluation.ts';
import { isShadowKey } from '../../model/suite-key.ts';
import {
  BEGAN_AT,
  madeSince,
  SCANNED_COLUMNS,
  type ScannedCells,
  type ScannedEvaluation,
  type ScanQuery,
  SCORED_AT,
  scannedFrom,
} from '../evaluation-scan.ts';
import { decodeVerdicts } from '../verdict-codec.ts';
import type { Session } from './session.ts';
import { fromStorable, toStorable } from './storable-text.ts';

const IS_LAST = `NOT EXISTS (SELECT 1 FROM evaluations n WHERE n.conversation = e.conversation AND n.suite = e.suite
  AND n.turn_id = e.turn_id AND n.revision > e.revision)`;
const DAY_MS = 86_400_000;

/** A cursor takes no parameters, so they are written into the text. */
export function scanSql({ suiteKey, since, scoredSince, agent, agentVersion, limit, lookedAtMax }: ScanQuery): string {
  const conditions = [`e.suite = ${literal(suiteKey)}`, IS_LAST];
  // Condition that the index of shadows serves.
  if (isShadowKey(suiteKey)) conditions.push(`left(e.suite, 7) = 'shadow:'`);
  if (since !== undefined) conditions.push(`${BEGAN_AT} >= ${Math.trunc(since)}`);
  if (scoredSince !== undefined) conditions.push(`${SCORED_AT} >= ${Math.trunc(scoredSince)}`);
  const made = scoredSince ?? since;
  // Kept rows have a negative day, so other partitions are not searched in vain.
  if (made !== undefined) conditions.push(`(e.day >= ${Math.floor(madeSince(made) / DAY_MS) - 1} OR e.day < 0)`);
  if (lookedAtMax !== undefined) {
    // The newest of the suite; conditions that few of them meet are looked for in those only.
    const shadow = isShadowKey(suiteKey) ? `AND left(n.suite, 7) = 'shadow:'` : '';
    conditions.push(
      `e.id > coalesce((SELECT n.id FROM evaluations n WHERE n.suite = ${literal(suiteKey)} ${shadow}
        ORDER BY n.id DESC LIMIT 1 OFFSET ${Math.trunc(lookedAtMax)}), 0)`,
    );
  }
  if (agent !== undefined) conditions.push(`c.agent = ${literal(agent)}`);
  if (agentVersion !== undefined) conditions.push(`c.agent_version = ${literal(agentVersion)}`);
  const isJoined = agent !== undefined || agentVersion !== undefined;
  const from = `FROM evaluations e ${isJoined ? 'JOIN conversations c ON c.id = e.conversation' : ''} WHERE ${conditions.join(' AND ')}`;
  if (limit === undefined) return `SELECT ${SCANNED_COLUMNS} ${from} ORDER BY e.id`;
  return `SELECT * FROM (SELECT ${SCANNED_COLUMNS} ${from} ORDER BY e.id DESC LIMIT ${Math.trunc(limit)}) latest ORDER BY id`;
}

export async function evaluationBeside(
  session: Session,
  { conversation, turnId }: ScannedEvaluation,
  suiteKey: string,
): Promise<ScannedEvaluation | undefined> {
  const [row] = await session.once(
    `SELECT ${SCANNED_COLUMNS} FROM evaluations e WHERE e.conversation = $1 AND e.turn_id = $2 AND e.suite = $3
     ORDER BY e.revision DESC, e.id DESC LIMIT 1`,
    [conversation, turnId, toStorable(suiteKey)],
  );
  return row === undefined ? undefined : toScanned(row);
}

/** The last ones by a suite of each conversation; evaluations are no older than their conversation. */
export async function lastScanned(
  session: Session,
  conversations: readonly number[],
  suiteKey: string,
): Promise<readonly ScannedEvaluation[]> {
  if (conversations.length === 0) return [];
  const rows = await session.once(
    `SELECT ${SCANNED_COLUMNS} FROM unnest($1::bigint[]) AS wanted (id) JOIN conversations c ON c.id = wanted.id
     JOIN evaluations e ON e.conversation = c.id AND (e.day >= c.first_day OR e.day < 0)
     WHERE e.suite = $2 AND ${IS_LAST} ORDER BY e.id`,
    [conversations, toStorable(suiteKey)],
  );
  return rows.map(toScanned);
}

export async function verdictsOf(
  session: Session,
  { conversation, row }: ScannedEvaluation,
): Promise<ReadonlyMap<string, Verdict>> {
  const [found] = await session.once<{ verdicts: string }>(
    'SELECT verdicts FROM evaluations WHERE conversation = $1 AND id = $2',
    [conversation, row],
  );
  return found === undefined ? new Map() : decodeVerdicts(found.verdicts).verdicts;
}

/** The cast holds for rows of `SCANNED_COLUMNS`: their fields are in the order of the columns. */
export function toScanned(row: object): ScannedEvaluation {
  const scanned = scannedFrom(Object.values(row) as unknown as ScannedCells);
  return { ...scanned, suiteVersion: fromStorable(scanned.suiteVersion) };
}

function literal(text: string): string {
  return `E'${toStorable(text).replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}
