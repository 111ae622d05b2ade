/**
 * A notice as Slack's incoming webhooks, and what takes the same, understand it. Names come from spans: what would be a link, a mention or
 * a channel-wide call in Slack is escaped, and every text is cut to what Slack takes.
 */
import { visibleText } from '../../model/visible-text.ts';
import { inPoints, type ShownPart, shownParts } from '../documents/shown-parts.ts';
import { type DetectionRecord, isBad } from './detection-record.ts';
import { outcomeText } from '../../model/outcome-text.ts';

const SECTION_MAX = 2900;
const ROWS_MAX = 5;
const SIGNS: { readonly [kind: string]: string } = {
  regressed: ':red_circle:',
  version_worse: ':red_circle:',
  recovered: ':large_green_circle:',
  version_better: ':large_green_circle:',
  partly_back: ':large_orange_circle:',
  suspected: ':large_yellow_circle:',
};

/** `page` is the address of the page, where it is known. */
export function slackMessage(record: DetectionRecord, page?: string) {
  const headline = `${SIGNS[record.kind] ?? ':white_circle:'} ${escaped(record.summary)}`;
  const lines = [
    `suite ${escaped(record.suite)}${record.since === null ? '' : `, since ${record.since}`}`,
    ...record.where
      .slice(0, ROWS_MAX)
      .map(
        ({ agent_version, segment, conversations, failed }) =>
          `version ${escaped(agent_version)}${segment === undefined ? '' : `, segment ${escaped(segment)}`}: ${failed} of the latest ${conversations} without a good outcome`,
      ),
    ...partLines(record),
    ...record.worst_conversations.slice(0, ROWS_MAX).map(({ conversation_id: id, ...one }) => {
      const conversation = linked(page, `/conversations/${encodeURIComponent(id)}`, id);
      return `conversation ${conversation}: ${escaped(outcomeText(one))}`;
    }),
    ...(page === undefined ? [] : [linked(page, overviewOf(record), 'Open the page')]),
  ];
  return {
    text: headline.slice(0, SECTION_MAX),
    blocks: [
      { type: 'section', text: { type: 'mrkdwn', text: headline.slice(0, SECTION_MAX) } },
      { type: 'section', text: { type: 'mrkdwn', text: lines.join('\n').slice(0, SECTION_MAX) } },
    ],
  };
}

function overviewOf({ agent, suite }: DetectionRecord): string {
  return `/?${new URLSearchParams({ agent, suite }).toString()}`;
}

/** Slack ends an address at `|` and `>`, which percent-encoding leaves in none. */
function linked(page: string | undefined, path: string, words: string): string {
  return page === undefined ? escaped(words) : `<${page}${path}|${escaped(words).replaceAll('|', '¦')}>`;
}

/** Parts of a fall that is there: nothing of a level that is back. */
function partLines({ parts, to }: DetectionRecord): readonly string[] {
  if (parts.length === 0 || !isBad(to)) return [];
  const { tenths, parts: rows } = shownParts(parts, ROWS_MAX);
  return [
    `Mean score as counted, whatever was asked: ${inPoints(tenths)}, of which`,
    ...rows.map((row) => `• ${NAMES[row.part] ?? escaped(row.criterion)}: ${inPoints(row.tenths)}`),
  ];
}

const NAMES: Readonly<Record<ShownPart['part'], string | undefined>> = {
  mix: 'another mix of what is asked',
  others: 'all others together',
  criterion: undefined,
};

/** Text escaped as Slack asks, on one line. */
function escaped(text: string): string {
  return visibleText(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/[\n\t`]/g, ' ');
}
