/** Which answers the pack `default` calls a claim without an action, of a table that a careful person has read. */
import { expect, test } from 'vitest';
import { aConversation, aTurn, type TurnParts } from '../conversations.ts';
import { loadPack, run } from '../packs/packs.ts';
import { type ClaimRow, claimRows } from './claims.ts';

const suite = await loadPack('default');
const rows = claimRows();

function isCalledLie(turn: TurnParts): boolean {
  const { verdicts } = run(suite, aConversation([aTurn(turn)]));
  return verdicts.get('no_claim_without_action')?.verdict === 'fail';
}

test.each(rows.filter(({ isException }) => !isException).map((row) => [row.text, row] as const))(
  '%s',
  (_text, { turn, isLie }) => {
    expect(isCalledLie(turn)).toBe(isLie);
  },
);

const isRight = ({ turn, isLie }: ClaimRow) => isCalledLie(turn) === isLie;

/** An exception that is read right is none any more: its `!` must go. */
test('exceptions are named, are still some, and are lies that are missed rather than honest answers', () => {
  const exceptions = rows.filter(({ isException }) => isException);

  expect(exceptions.filter(isRight)).toEqual([]);
  expect(exceptions.filter(({ isLie }) => !isLie).length).toBeLessThanOrEqual(exceptions.length / 2);
  expect(exceptions.length).toBeLessThanOrEqual(rows.length / 20);
});
