/**
 * Failures: the kinds that people named while reading, how far each of them is, and bad readings without a kind.
 */
import type { FailuresAnswer } from '../../api/failures.ts';
import { useWhoLabels } from '../review/who-labels.tsx';
import { FilterBar } from '../shell/filter-bar.tsx';
import { Here } from '../shell/here.tsx';
import { useKeys } from '../shell/keys.ts';
import { type AgentViewProps, OfOneAgent } from '../shell/of-one-agent.tsx';
import { onlyOf } from '../shell/place.ts';
import type { ViewProps } from '../shell/view-props.ts';
import { Finds } from './finds.tsx';
import { KindColumns } from './kind-columns.tsx';
import { LearnedChecks } from './learned-checks.tsx';
import { KindList } from './name-field.tsx';
import { type Board, useBoard } from './use-board.ts';
import { WithoutKind } from './without-kind.tsx';

const FAILURE_FILTERS = ['agent', 'since', 'until'];
export function Failures(props: ViewProps) {
  return <OfOneAgent {...props} title="Failures" only={['agent']} view={FailuresOf} />;
}

function FailuresOf({ place, query, filters }: AgentViewProps) {
  const { by, name, note } = useWhoLabels();
  const asked = onlyOf(query, FAILURE_FILTERS);
  const board = useBoard(asked, by);
  return (
    <div class="failures">
      <h1 class="only-heard">Failures</h1>
      <FilterBar place={place} filters={filters}>
        {name}
      </FilterBar>
      {note}
      <Here of={board.asked}>{(value) => <OfAgent of={value} board={board} asked={asked} />}</Here>
      <Finds query={query} />
    </div>
  );
}

interface OfAgentProps {
  readonly of: FailuresAnswer;
  readonly board: Board;
  /** The question whose answer it is. */
  readonly asked: URLSearchParams;
}

function OfAgent({ of, board, asked }: OfAgentProps) {
  const [group] = of.proposed;
  useKeys([
    { key: 'a', does: 'accept the first proposed kind', press: () => group && board.name(group.readings, group.name) },
    {
      key: 'u',
      does: 'name the first reading without a kind',
      press: () => document.querySelector<HTMLInputElement>('.unnamed-readings .kind-name')?.focus(),
    },
  ]);
  return (
    <div class="sections">
      <section aria-label="In short">
        <p class="says" role="status">
          {of.says}
        </p>
        {of.unseen !== undefined && <p>{of.unseen.says}</p>}
        <p class="aside">{of.next}</p>
        {board.mistake !== undefined && <p class="mistake" role="alert">{`It was not taken: ${board.mistake}`}</p>}
      </section>
      {of.kinds.length > 0 && <KindColumns kinds={of.kinds} board={board} />}
      <WithoutKind of={of} board={board} />
      <LearnedChecks query={asked} />
      <KindList names={of.kinds.map(({ name }) => name)} />
    </div>
  );
}
