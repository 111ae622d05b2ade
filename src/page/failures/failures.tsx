/**
 * Failures: the kinds that people named while reading, how far each of them is, and bad readings without a kind. All of
 * it works from the keyboard.
 */
import type { FailuresAnswer } from '../../api/failures.ts';
import { KIND_STATES } from '../../model/named-kinds.ts';
import { useWhoLabels } from '../review/who-labels.tsx';
import { FilterBar, sinceFilter } from '../shell/filter-bar.tsx';
import { Here } from '../shell/here.tsx';
import { useKeys } from '../shell/keys.ts';
import { goTo } from '../shell/navigation.ts';
import { oneAgent } from '../shell/one-agent.ts';
import { addressOf, onlyOf } from '../shell/place.ts';
import { useActiveRow } from '../shell/use-active-row.ts';
import type { ViewProps } from '../shell/view-props.ts';
import { Finds } from './finds.tsx';
import { KindCard, STATE_KEYS } from './kind-card.tsx';
import { KINDS } from './kinds.ts';
import { LearnedChecks } from './learned-checks.tsx';
import { KindList } from './name-field.tsx';
import { type Board, useBoard } from './use-board.ts';
import { WithoutKind } from './without-kind.tsx';

const FAILURE_FILTERS = ['agent', 'since', 'until'];
const COLUMNS = [
  { state: 'back', title: 'Back', means: 'called mended, and begun again since' },
  { state: 'open', title: 'Open', means: 'nobody has done anything yet' },
  { state: 'watched', title: 'Watched', means: 'a criterion or a person watches it' },
  { state: 'mended', title: 'Mended', means: 'not seen in conversations that began since' },
] as const;

export function Failures({ place, facets }: ViewProps) {
  const { by, name, note } = useWhoLabels();
  const { query, filters } = oneAgent(place, facets);
  const asked = onlyOf(query, FAILURE_FILTERS);
  const board = useBoard(asked, by);
  return (
    <div class="failures">
      <h1 class="only-heard">Failures</h1>
      <FilterBar
        place={place}
        filters={[...filters.filter((one) => one.name === 'agent'), sinceFilter(place, 'last 7 days', '7d')]}
      >
        {name}
      </FilterBar>
      {note}
      <Here of={board.asked}>
        {(value) => <OfAgent of={value} board={board} asked={asked} isDisabled={by === '' || board.isSending} />}
      </Here>
      <Finds place={{ ...place, query }} />
    </div>
  );
}

interface OfAgentProps {
  readonly of: FailuresAnswer;
  readonly board: Board;
  /** The question whose answer it is. */
  readonly asked: URLSearchParams;
  readonly isDisabled: boolean;
}

function OfAgent({ of, board, asked, isDisabled }: OfAgentProps) {
  const columns = COLUMNS.map((column) => ({
    ...column,
    kinds: of.kinds.filter(({ state }) => state === column.state),
  }));
  const cards = columns.flatMap(({ kinds }) => kinds);
  const row = useActiveRow(-1);
  const active = cards[row.active ?? 0];
  useBoardKeys({ of, board, cards, row });
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
      {cards.length > 0 && (
        <section aria-label="Kinds of failure">
          <div class="kind-columns">
            {columns.map(({ state, title, means, kinds }) => (
              <section key={state} class={kinds.length > 0 ? `kind-column ${state}` : 'kind-column'} aria-label={title}>
                <h2>
                  {title} <span class="aside">{kinds.length}</span>
                </h2>
                {kinds.length === 0 && <p class="aside">{means}</p>}
                <ul>
                  {kinds.map((kind) => (
                    <KindCard
                      key={kind.name}
                      kind={kind}
                      isActive={kind === active}
                      isDisabled={isDisabled}
                      onActive={() => row.setActive(cards.indexOf(kind))}
                      onState={(to) => board.setState(kind.name, to)}
                      onName={(into) => board.rename(kind.name, into)}
                    />
                  ))}
                </ul>
              </section>
            ))}
          </div>
        </section>
      )}
      <WithoutKind of={of} board={board} isDisabled={isDisabled} />
      <LearnedChecks query={asked} />
      <KindList id={KINDS} names={of.kinds.map(({ name }) => name)} />
    </div>
  );
}

type BoardKeys = Pick<OfAgentProps, 'of' | 'board'> & {
  readonly cards: FailuresAnswer['kinds'];
  readonly row: ReturnType<typeof useActiveRow>;
};

function useBoardKeys({ of, board, cards, row }: BoardKeys): void {
  const [group] = of.proposed;
  const reached = () => cards[row.reached()];
  const focus = (selector: string) => {
    const field = document.querySelector<HTMLInputElement>(selector);
    field?.focus();
    field?.select();
  };
  const move = (by: number) => {
    row.move(by, cards.length);
    requestAnimationFrame(() => document.querySelector('.kind-card.active')?.scrollIntoView({ block: 'nearest' }));
  };
  useKeys([
    { key: 'j', does: 'to the next kind', press: () => move(1) },
    { key: 'k', does: 'to the kind before', press: () => move(-1) },
    ...KIND_STATES.map((state) => ({
      key: STATE_KEYS[state],
      does: `the kind is ${state}`,
      press: () => {
        const kind = reached();
        if (kind !== undefined && kind.state !== state) board.setState(kind.name, state);
      },
    })),
    { key: 'n', does: 'rename the kind, or merge it into another', press: () => focus('.kind-card.active .kind-name') },
    {
      key: 'enter',
      does: 'open the newest conversation of the kind',
      press: () => {
        const id = reached()?.examples[0]?.conversation_id;
        if (id !== undefined) goTo(addressOf('conversations', new URLSearchParams(), id));
      },
    },
    { key: 'a', does: 'accept the first proposed kind', press: () => group && board.name(group.readings, group.name) },
    { key: 'b', does: 'give it another name', press: () => focus('.proposed-kinds .kind-name') },
    { key: 'u', does: 'name the first reading without a kind', press: () => focus('.unnamed-readings .kind-name') },
  ]);
}
