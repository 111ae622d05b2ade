/** The figures at the end of a row, which somebody may choose; the choice is in the address. */
import type { JSX } from 'preact';
import type { ConversationItem, ListedEvaluation } from '../../api/conversation-list.ts';
import type { Facets } from '../../api/facets.ts';
import { changeFilter } from '../shell/filter-bar.tsx';
import { Menu } from '../shell/menu.tsx';
import { type Place, withChanges } from '../shell/place.ts';
import type { ViewProps } from '../shell/view-props.ts';
import { CameOut } from '../text/came-out.tsx';
import { counted, dollars, durationText, percent, scoreText } from '../text/format.ts';
import { SpanText } from '../text/span-text.tsx';

interface Column {
  readonly label: string;
  readonly of: (row: ConversationItem, worst: ListedEvaluation | undefined) => JSX.Element | string;
}

const COLUMNS = {
  came_out: {
    label: 'Came out',
    of: ({ came_out: cameOut }) => (cameOut === undefined ? '' : <CameOut isGood={cameOut === 'good'} />),
  },
  score: { label: 'Score', of: (_row, worst) => (worst?.score == null ? '' : scoreText(worst.score)) },
  decided: {
    label: 'Decided share',
    of: (_row, worst) => (worst?.decided_share === undefined ? '' : percent(worst.decided_share, 0)),
  },
  suite: { label: 'Suite', of: (_row, worst) => (worst === undefined ? '' : <SpanText text={worst.suite} />) },
  agent: { label: 'Agent', of: ({ agent }) => <SpanText text={agent} /> },
  version: { label: 'Version', of: ({ agent_version: version }) => <SpanText text={version} /> },
  environment: { label: 'Environment', of: ({ environment }) => <SpanText text={environment} /> },
  segment: { label: 'Segment', of: ({ segment }) => (segment === undefined ? '' : <SpanText text={segment} />) },
  turns: { label: 'Turns', of: ({ turns }) => counted(turns, 'turn') },
  duration: { label: 'Duration', of: ({ duration_ms: ms }) => (ms === undefined ? '' : durationText(ms)) },
  tokens: { label: 'Tokens', of: ({ tokens }) => (tokens === undefined ? '' : counted(tokens, 'token')) },
  feedback: { label: 'Feedback of users', of: ({ feedback }) => feedback ?? '' },
  cost: { label: 'Cost', of: ({ cost_usd: cost }) => (cost === undefined ? '' : dollars(cost)) },
} satisfies Record<string, Column>;
export type ColumnName = keyof typeof COLUMNS;

// The cast holds because these are the table's own keys.
const NAMES = Object.keys(COLUMNS) as readonly ColumnName[];
const USUAL: readonly ColumnName[] = ['came_out', 'score', 'version', 'turns', 'cost'];
/** An address without the parameter has the usual ones. */
const NONE = 'none';

/** The agent stands in each row where the list may have several. */
export function columnsOf({ query }: Place, { agents }: Pick<Facets, 'agents'>): readonly ColumnName[] {
  const asked = query.get('columns')?.split(',');
  if (asked !== undefined) return NAMES.filter((name) => asked.includes(name));
  const isMixed = query.getAll('agent').length !== 1 && agents.length > 1;
  const isByLength = query.get('order') === 'longest';
  return NAMES.filter(
    (name) => USUAL.includes(name) || (isMixed && name === 'agent') || (isByLength && name === 'duration'),
  );
}

/** The same columns in an address, whatever would be usual there. */
export function columnsText(columns: readonly ColumnName[]): string {
  return columns.join(',') || NONE;
}

interface FiguresProps {
  readonly columns: readonly ColumnName[];
  readonly row: ConversationItem;
  readonly worst: ListedEvaluation | undefined;
}

export function Figures({ columns, row, worst }: FiguresProps) {
  return (
    <span class="row-figures">
      {columns.map((name) => {
        const { label, of }: Column = COLUMNS[name];
        return (
          <span key={name} class={`row-${name}`} title={label}>
            {of(row, worst)}
          </span>
        );
      })}
    </span>
  );
}

export function ColumnMenu({ place, facets }: ViewProps) {
  const chosen = columnsOf(place, facets);
  const usual = columnsOf({ ...place, query: withChanges(place.query, { columns: undefined }) }, facets);
  const change = (name: ColumnName) => {
    const next = NAMES.filter((one) => chosen.includes(one) !== (one === name));
    const text = columnsText(next);
    changeFilter(place, 'columns', text === columnsText(usual) ? undefined : text);
  };
  return (
    <Menu label="Columns">
      <fieldset>
        <legend>At the end of a row</legend>
        {NAMES.map((name) => (
          <label key={name} class="column-choice">
            <input type="checkbox" checked={chosen.includes(name)} onChange={() => change(name)} />
            {COLUMNS[name].label}
          </label>
        ))}
      </fieldset>
    </Menu>
  );
}
