/** Totals of a combination that gave way: gone with the commit, and there again after a rollback. */
import { expect, test } from 'vitest';
import { QualityView } from '../../src/report/metrics/quality-view.ts';
import { Exposition } from '../../src/report/metrics/exposition.ts';
import { TotalsInMemory } from '../../src/store/running-totals.ts';

const of = (agent: string) => ({ suite: 's', agent, agent_version: '1', environment: 'e' });
const METRIC = 'assay_evaluations_total';
const HISTOGRAM = 'assay_evaluation_score';

function counted() {
  const totals = new TotalsInMemory();
  for (const agent of ['a', 'b']) {
    totals.series(METRIC, { ...of(agent), outcome: 'hard_failure' }).add(2);
    totals.series(`${HISTOGRAM}_bucket`, { ...of(agent), le: '0.5' }).add(2);
    totals.series(`${HISTOGRAM}_sum`, of(agent)).add(1_000_000);
    totals.series(`${HISTOGRAM}_count`, of(agent)).add(2);
  }
  return totals;
}

const isOfA = ({ agent }: { readonly [label: string]: string }) => agent === 'a';

test('a rollback keeps them, with what was committed', () => {
  const totals = counted();
  totals.committed();
  totals.series(METRIC, { ...of('a'), outcome: 'hard_failure' }).add(5);
  totals.drop(isOfA);
  expect(totals.all().filter(({ labels }) => isOfA(labels))).toEqual([]);
  totals.discard();

  expect(
    totals
      .all()
      .filter(({ metric }) => metric === METRIC)
      .map(({ value }) => value)
      .toSorted(),
  ).toEqual([2, 2]);
});

test('what begins again in the same transaction begins at zero', () => {
  const totals = counted();
  totals.committed();
  totals.drop(isOfA);
  totals.series(METRIC, { ...of('a'), outcome: 'hard_failure' }).add(1);

  expect([...totals.dropped]).toHaveLength(4);
  const told = totals.committed().filter(({ metric, labels }) => metric === METRIC && isOfA(labels));
  expect(told.map(({ value, isGone }) => [value, isGone])).toEqual([
    [2, true],
    [1, undefined],
  ]);
  expect([...totals.dropped]).toEqual([]);
});

test('they leave the metrics, also while a scrape is under way, and may begin again', async () => {
  const [totals, view] = [counted(), new QualityView()];
  const exposition = new Exposition(view.sources());
  const scraped = async () => ((await exposition.scrape({ accept: undefined }))?.texts ?? []).join('').split('\n');
  const ofAgent = (lines: readonly string[], agent: string) =>
    lines
      .filter((line) => line.includes(`agent="${agent}"`) && !line.includes('le='))
      .map((line) => line.split(' ').at(-1));
  view.update(totals.committed());
  const [whole, labelSets] = [view.seriesCount, view.labelSetCount];
  const open = view
    .sources()
    .flatMap((source) =>
      'lines' in source ? source.lines({ format: 'text', newSince: Number.POSITIVE_INFINITY }) : [],
    );
  totals.drop(isOfA);
  view.update(totals.committed());

  const underWay = open.flatMap(({ texts }) => [...texts].join('').split('\n'));
  for (const { release } of open) release();
  expect(ofAgent(underWay, 'a')).toEqual(['2', '1', '2']);
  expect(ofAgent(await scraped(), 'a')).toEqual([]);
  expect(ofAgent(await scraped(), 'b')).toEqual(['2', '1', '2']);
  expect([view.seriesCount, view.labelSetCount]).toEqual([whole / 2, labelSets / 2]);

  totals.series(`${HISTOGRAM}_bucket`, { ...of('a'), le: '1' }).add(1);
  totals.series(`${HISTOGRAM}_sum`, of('a')).add(1_000_000);
  totals.series(`${HISTOGRAM}_count`, of('a')).add(1);
  view.update(totals.committed());
  const again = await scraped();
  expect(ofAgent(again, 'a')).toEqual(['1', '1']);
  expect(again).toContain(`${HISTOGRAM}_bucket{suite="s",agent="a",agent_version="1",environment="e",le="0.5"} 0`);
});
