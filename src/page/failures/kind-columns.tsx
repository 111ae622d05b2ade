/** The kinds of failure in columns by how far they are, the most important of each first; of many, those with some words. */
import { useState } from 'preact/hooks';
import type { FailureKind } from '../../api/failures.ts';
import { SomeFirst } from '../shell/some-first.tsx';
import { KindCard } from './kind-card.tsx';
import type { Board } from './use-board.ts';

const COLUMNS = [
  { state: 'back', title: 'Back', means: 'called mended, and begun again since' },
  { state: 'open', title: 'Open', means: 'nobody has done anything yet' },
  { state: 'watched', title: 'Watched', means: 'a criterion or a person watches it' },
  { state: 'mended', title: 'Mended', means: 'not seen in conversations that began since' },
] as const;

/** With more kinds there is a field to find some. */
const FEW_KINDS = 20;
/** In each column, until somebody asks for all. */
const KINDS_SHOWN = 10;

interface KindColumnsProps {
  readonly kinds: readonly FailureKind[];
  readonly board: Board;
}

export function KindColumns({ kinds: all, board }: KindColumnsProps) {
  const [words, setWords] = useState('');
  const asked = words.toLowerCase().split(/\s+/);
  const found = all.filter(({ name }) => asked.every((word) => name.toLowerCase().includes(word)));
  return (
    <section aria-label="Kinds of failure">
      {all.length > FEW_KINDS && (
        <search class="find-kinds">
          <input
            type="search"
            aria-label="Find kinds by words"
            placeholder="Find kinds by words"
            value={words}
            onInput={({ currentTarget }) => setWords(currentTarget.value)}
          />
          {found.length === 0 && <p role="status">No kind has these words in its name.</p>}
        </search>
      )}
      <div class="kind-columns">
        {COLUMNS.map((column) => (
          <KindColumn key={column.state} {...column} kinds={found} board={board} />
        ))}
      </div>
    </section>
  );
}

function KindColumn({ state, title, means, kinds: all, board }: KindColumnsProps & (typeof COLUMNS)[number]) {
  const kinds = all.filter((kind) => kind.state === state);
  return (
    <section class={kinds.length > 0 ? `kind-column ${state}` : 'kind-column'} aria-label={title}>
      <h2>
        {title} <span class="aside">{kinds.length}</span>
      </h2>
      {kinds.length === 0 && <p class="aside">{means}</p>}
      <SomeFirst of={kinds} atATime={KINDS_SHOWN} next="all">
        {(shown) => (
          <ul>
            {shown.map((kind) => (
              <KindCard key={kind.name} kind={kind} board={board} />
            ))}
          </ul>
        )}
      </SomeFirst>
    </section>
  );
}
