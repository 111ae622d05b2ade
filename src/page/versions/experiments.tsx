/** Two experiments of the same cases: the figures, the cases that flipped with both conversations, and the gate's decision. */
import { useEffect } from 'preact/hooks';
import type { ComparedSuite, ComparisonJson } from '../../api/comparison.ts';
import type { ExperimentItem, ExperimentList } from '../../api/experiments.ts';
import { wordsOf } from '../../model/suite-words.ts';
import { useReply } from '../api/use-reply.ts';
import type { Place } from '../shell/place.ts';
import { Here } from '../shell/here.tsx';
import { countText, counted, percent, timeText } from '../text/format.ts';
import { SpanText } from '../text/span-text.tsx';
import type { Option } from '../shell/select.tsx';
import { Choice, change } from './choice.tsx';
import { FlippedCases } from './flipped-cases.tsx';
import { GateDecision } from './gate-decision.tsx';
import { rowsOf } from './measures.ts';
import { MeasureTable } from './measure-table.tsx';
import { NoExperiments, OneExperiment } from './no-experiments.tsx';

const LIST = new URLSearchParams({ limit: '200' });

export function Experiments({ place }: { readonly place: Place }) {
  const asked = useReply<ExperimentList>('/api/v1/experiments', { query: LIST });
  return (
    <Here of={asked}>
      {({ experiments, unreadable, has_folder: hasFolder }) => (
        <div>
          {unreadable.map((why) => (
            <p key={why} class="limits">
              {'One experiment is left out: '}
              <SpanText text={why} />
            </p>
          ))}
          {experiments[0] === undefined && <NoExperiments hasFolder={hasFolder} />}
          {experiments[0] !== undefined && experiments.length === 1 && <OneExperiment experiment={experiments[0]} />}
          {experiments.length > 1 && <Pair place={place} experiments={experiments} />}
        </div>
      )}
    </Here>
  );
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

function Pair({ place, experiments }: { readonly place: Place; readonly experiments: readonly ExperimentItem[] }) {
  const usual = usualPair(experiments);
  const [a, b] = [place.query.get('a') ?? usual.a, place.query.get('b') ?? usual.b];
  const isWhole = place.query.has('a') && place.query.has('b');
  useEffect(() => {
    if (!isWhole) change(place, { a, b }, { replaces: true });
  }, [isWhole, a, b]);
  const options = experiments.map(optionOf);
  const asked = useReply<ComparisonJson>('/api/v1/experiments/compare', {
    query: new URLSearchParams({ a, b }),
  });
  return (
    <div>
      <fieldset class="choices" aria-label="Experiments">
        <Choice place={place} name="a" label="A, before" value={a} options={options} />
        <Choice place={place} name="b" label="B, after" value={b} options={options} />
      </fieldset>
      <Here of={asked} wait="Comparing …">
        {(comparison) => <Compared place={place} comparison={comparison} a={a} b={b} isOld={asked.isOld} />}
      </Here>
    </div>
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

function Compared({ place, comparison, a, b, isOld }: ComparedProps) {
  const { suites, warnings, smallest_difference: smallest } = comparison;
  const chosen = suites.find(({ suite }) => suite === place.query.get('suite')) ?? suites[0];
  if (chosen === undefined) return <p class="limits">No suite scored both, so there is nothing to compare.</p>;
  return (
    <div class={isOld ? 'sections old' : 'sections'} aria-busy={isOld}>
      <section>
        <h2>
          <SpanText text={chosen.suite} />
          <span class="aside">{` ${basisOf(chosen)}`}</span>
          {suites.length > 1 && (
            <Choice
              place={place}
              name="suite"
              label="Suite"
              value={chosen.suite}
              options={suites.map(({ suite }) => ({ value: suite, words: suite }))}
            />
          )}
        </h2>
        {limitsOf(chosen, warnings).map((one) => (
          <SpanText key={one} in="p" class="limits" text={one} charactersMax={600} />
        ))}
        <MeasureTable {...tableOf(chosen)} smallest={smallest} unit="cases" label={`Figures of ${chosen.suite}`} />
      </section>
      <GateDecision baseline={a} candidate={b} />
      <FlippedCases place={place} flipped={chosen.flipped} suite={chosen.suite} a={a} b={b} />
    </div>
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
