/** Two experiments of the same cases: the figures, the cases that flipped with both conversations, and the gate's decision. */
import { h, type JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { ComparedSuite, ComparisonJson } from '../../api/comparison.ts';
import type { ExperimentItem, ExperimentList } from '../../api/experiments.ts';
import { wordsOf } from '../../model/suite-words.ts';
import { useReply } from '../api/use-reply.ts';
import type { Place } from '../shell/place.ts';
import { Problem } from '../shell/problem.ts';
import { countText, counted, percent, timeText } from '../text/format.ts';
import { SpanText } from '../text/span-text.ts';
import { Choice, change, type Option } from './choice.ts';
import { FlippedCases } from './flipped-cases.ts';
import { GateDecision } from './gate-decision.ts';
import { rowsOf } from './measures.ts';
import { MeasureTable } from './measure-table.ts';
import { NoExperiments, OneExperiment } from './no-experiments.ts';

const LIST = new URLSearchParams({ limit: '200' });

export function Experiments({ place }: { readonly place: Place }): JSX.Element {
  const { reply, again } = useReply<ExperimentList>('/api/v1/experiments', LIST);
  if (reply === undefined) return h('p', { class: 'loading', role: 'status' }, 'Loading …');
  if (reply.is !== 'here') return h(Problem, { of: reply, again });
  const { experiments, unreadable, has_folder: hasFolder } = reply.value;
  const damaged = unreadable.map((why) =>
    h('p', { key: why, class: 'limits' }, 'One experiment is left out: ', h(SpanText, { text: why })),
  );
  const [only, second] = experiments;
  if (only === undefined) return h('div', null, ...damaged, h(NoExperiments, { hasFolder }));
  if (second === undefined) return h('div', null, ...damaged, h(OneExperiment, { experiment: only }));
  return h('div', null, ...damaged, h(Pair, { place, experiments }));
}

/** The latest, and the one before it of the same dataset. */
function usualPair(experiments: readonly ExperimentItem[]): { readonly a: string; readonly b: string } {
  const pairs = experiments.flatMap((b, index) => {
    const a = experiments.slice(index + 1).find(({ dataset }) => dataset.name === b.dataset.name);
    return a === undefined ? [] : [{ a: a.id, b: b.id }];
  });
  const [latest, before] = experiments;
  return pairs[0] ?? { a: before?.id ?? '', b: latest?.id ?? '' };
}

function Pair({
  place,
  experiments,
}: {
  readonly place: Place;
  readonly experiments: readonly ExperimentItem[];
}): JSX.Element {
  const usual = usualPair(experiments);
  const [a, b] = [place.query.get('a') ?? usual.a, place.query.get('b') ?? usual.b];
  const isWhole = place.query.has('a') && place.query.has('b');
  useEffect(() => {
    if (!isWhole) change(place, { a, b }, { replaces: true });
  }, [isWhole, a, b]);
  const options = experiments.map(optionOf);
  const { reply, isOld, again } = useReply<ComparisonJson>(
    '/api/v1/experiments/compare',
    new URLSearchParams({ a, b }),
  );
  return h(
    'div',
    null,
    h(
      'div',
      { class: 'choices', role: 'group', 'aria-label': 'Experiments' },
      h(Choice, { place, name: 'a', label: 'A, before', value: a, options }),
      h(Choice, { place, name: 'b', label: 'B, after', value: b, options }),
    ),
    reply === undefined && h('p', { class: 'loading', role: 'status' }, 'Comparing …'),
    reply !== undefined && reply.is !== 'here' && h(Problem, { of: reply, again }),
    reply?.is === 'here' && h(Compared, { place, comparison: reply.value, a, b, isOld }),
  );
}

function optionOf({ id, name, started_at: at, dataset, runs, state }: ExperimentItem): Option {
  const unfinished = state === 'ended' ? '' : `, ${state}`;
  const words = `${name} · ${timeText(at, new Date())} · ${dataset.name}, ${counted(runs, 'run')}${unfinished}`;
  return { value: id, words };
}

interface ComparedProps {
  readonly place: Place;
  readonly comparison: ComparisonJson;
  readonly a: string;
  readonly b: string;
  readonly isOld: boolean;
}

function Compared({ place, comparison, a, b, isOld }: ComparedProps): JSX.Element {
  const { suites, warnings, smallest_difference: smallest } = comparison;
  const chosen = suites.find(({ suite }) => suite === place.query.get('suite')) ?? suites[0];
  if (chosen === undefined) return h('p', { class: 'limits' }, 'No suite scored both, so there is nothing to compare.');
  return h(
    'div',
    { class: isOld ? 'sections old' : 'sections', 'aria-busy': isOld },
    h(
      'section',
      null,
      h(
        'h2',
        null,
        h(SpanText, { text: chosen.suite }),
        h('span', { class: 'aside' }, ` ${basisOf(chosen)}`),
        suites.length > 1 &&
          h(Choice, {
            place,
            name: 'suite',
            label: 'Suite',
            value: chosen.suite,
            options: suites.map(({ suite }) => ({ value: suite, words: suite })),
          }),
      ),
      ...limitsOf(chosen, warnings).map((one) =>
        h('p', { key: one, class: 'limits' }, h(SpanText, { text: one, charactersMax: 600 })),
      ),
      h(MeasureTable, { ...tableOf(chosen), smallest, unit: 'cases', label: `Figures of ${chosen.suite}` }),
    ),
    h(GateDecision, { baseline: a, candidate: b }),
    h(FlippedCases, { place, flipped: chosen.flipped, suite: chosen.suite, a, b }),
  );
}

function tableOf(suite: ComparedSuite): Pick<Parameters<typeof MeasureTable>[0], 'rows' | 'unchanged' | 'alike'> {
  const { shown, unchanged, alike } = rowsOf(suite);
  return { rows: shown, unchanged, alike };
}

function basisOf({ cases: { shared, changed, only_in_a: onlyA, only_in_b: onlyB } }: ComparedSuite): string {
  if (shared === 0) return `no case in common: ${counted(onlyA, 'case')} of A beside ${countText(onlyB)} of B`;
  const left = [
    ...(changed > 0 ? [`${countText(changed)} changed`] : []),
    ...(onlyA > 0 ? [`${countText(onlyA)} only in A`] : []),
    ...(onlyB > 0 ? [`${countText(onlyB)} only in B`] : []),
  ];
  return `${counted(shared, 'case')} compared case by case${left.length > 0 ? `; left out: ${left.join(', ')}` : ''}`;
}

const DECIDED_LITTLE = 0.9;

function limitsOf({ about, decided_share: decided, warnings }: ComparedSuite, all: readonly string[]): string[] {
  const { limit } = wordsOf(about);
  const shares = (['a', 'b'] as const).flatMap((side) => {
    const share = decided[side];
    if (share === null || share >= DECIDED_LITTLE) return [];
    return [`${percent(1 - share, 0)} of the weight could not be decided in ${side.toUpperCase()}`];
  });
  return [...new Set([...all, ...warnings, ...(limit === undefined ? [] : [limit]), ...shares])];
}
