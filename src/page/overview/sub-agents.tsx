/** The sub-agents that took part: what failed, what they cost, and the criterion that fails most where they did. */
import type { SubAgentFigures, SubAgents as Figures } from '../../api/sub-agents.ts';
import type { Trend } from '../../api/trend.ts';
import { OTHER } from '../../model/agent-labels.ts';
import { useReply } from '../api/use-reply.ts';
import { addressOf, onlyOf, type Place, sharedFilters, withChanges } from '../shell/place.ts';
import { SomeFirst } from '../shell/some-first.tsx';
import { ShareEstimate } from '../text/estimate.tsx';
import { counted, countText, dollars, percent } from '../text/format.ts';
import { SpanText } from '../text/span-text.tsx';
import { Table } from '../text/table.tsx';

const EVERY_MS = 60_000;
const SHOWN = 10;

export function SubAgents({ trend, place }: { readonly trend: Trend; readonly place: Place }) {
  const { suite, since } = trend;
  const filters = onlyOf(place.query, ['agent', 'agent_version', 'environment', 'segment', 'until']);
  const query = withChanges(filters, { suite, since: place.query.get('since') ?? since });
  const { reply } = useReply<Figures>('/api/v1/sub-agents', { query, everyMs: EVERY_MS });
  if (reply?.is !== 'here') return null;
  const behind = withChanges(sharedFilters(place.query), { suite, since: query.get('since') ?? undefined });
  return <SubAgentTable figures={reply.value} behind={behind} scope={trend.scope} />;
}

interface TableProps {
  readonly figures: Figures;
  /** The filters that find the conversations behind the figures. */
  readonly behind: URLSearchParams;
  readonly scope: Trend['scope'];
}

/** Nothing where no sub-agent took part: most agents have none. */
export function SubAgentTable({ figures, behind, scope }: TableProps) {
  const { sub_agents: rows, sub_agents_left_out: leftOut, cut, looked_at: lookedAt } = figures;
  if (rows.length === 0) return null;
  const isOfMany = new Set(rows.map(({ agent }) => agent)).size > 1;
  return (
    <section class="sub-agents">
      <h2>Sub-agents</h2>
      <SomeFirst of={rows} atATime={SHOWN}>
        {(shown) => (
          <Table class="of-sub-agents" label="Sub-agents" heads={HEADS}>
            {shown.map((row) => (
              <Row key={`${row.agent} ${row.sub_agent}`} row={row} isOfMany={isOfMany} behind={behind} scope={scope} />
            ))}
          </Table>
        )}
      </SomeFirst>
      {leftOut > 0 && <p class="aside">{`${counted(leftOut, 'more sub-agent')} with fewer conversations.`}</p>}
      {cut && <p class="aside">{`Of the latest ${countText(lookedAt)} evaluations.`}</p>}
    </section>
  );
}

const HEADS = {
  'Sub-agent': '',
  'Took part in': 'number',
  'With errors': 'number',
  'Cost of one': 'number',
  'Lowest pass rate where it took part': '',
};

interface RowProps extends Pick<TableProps, 'behind' | 'scope'> {
  readonly row: SubAgentFigures;
  /** Several agents have sub-agents. */
  readonly isOfMany: boolean;
}

function Row({ row, isOfMany, behind, scope }: RowProps) {
  const { agent, sub_agent: name, conversations, conversations_with_errors: failed, error_share: share } = row;
  const filters = withChanges(behind, { agent, sub_agent: name });
  const [lowest] = row.criteria;
  return (
    <tr>
      <th scope="row">
        <SpanText text={name} charactersMax={100} />
        {isOfMany && (
          <span class="aside">
            {' of '}
            <SpanText text={agent} charactersMax={100} />
          </span>
        )}
      </th>
      <td class="number">
        {/* The list knows agents by their own names only. */}
        <a {...(agent === OTHER ? {} : { href: addressOf('conversations', filters) })}>
          {counted(conversations, scope)}
        </a>
      </td>
      <td class={failed > 0 ? 'number failure' : 'number'}>
        {failed > 0 ? `${countText(failed)} (${percent(share, 0)})` : 'none'}
      </td>
      <td class="number">{row.cost_usd === undefined ? 'not known' : dollars(row.cost_usd.mean)}</td>
      <td>
        {lowest === undefined && 'nothing decided'}
        {lowest?.with.failed === 0 && 'nothing failed'}
        {lowest !== undefined && lowest.with.failed > 0 && <Lowest lowest={lowest} agent={agent} filters={filters} />}
      </td>
    </tr>
  );
}

interface LowestProps {
  readonly lowest: SubAgentFigures['criteria'][number];
  readonly agent: string;
  readonly filters: URLSearchParams;
}

function Lowest({ lowest, agent, filters }: LowestProps) {
  const { criterion, with: took, without } = lowest;
  const href = addressOf('conversations', withChanges(filters, { criterion }));
  return (
    <>
      <a {...(agent === OTHER ? {} : { href })}>{criterion}</a> <ShareEstimate estimate={took.pass_rate} />
      {without.pass_rate !== undefined && (
        <span class="aside">
          {'; without it '}
          <ShareEstimate estimate={without.pass_rate} />
        </span>
      )}
    </>
  );
}
