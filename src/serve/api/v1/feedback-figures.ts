/**
 * `GET /api/v1/feedback`: what users said, and how often a suite says the same. A conversation agrees where its users are
 * positive and it succeeded, or they are negative and it failed. Users who give feedback are not a sample of all users:
 * the figure is about conversations with feedback, and says nothing of the others.
 */
import { type FeedbackFigures, feedbackFigures, feedbackQuery } from '../../../api/feedback-figures.ts';
import { POLARITIES } from '../../../model/feedback.ts';
import { isGood, isInSuccessRate } from '../../../model/severity.ts';
import type { ConversationRow } from '../../../store/conversation-row.ts';
import { placeOf, type SearchCursor } from '../../../store/conversation-search.ts';
import { chosenSuite } from './chosen-suite.ts';
import { type Came, designEffectOf } from '../../../statistics/compare/online/related.ts';
import { shareEstimate } from './estimates.ts';
import { Refusal, v1Read } from './v1-read.ts';
import type { V1Side } from './v1-side.ts';

const CONVERSATIONS_MAX = 5000;
const PAGE = 500;

export const getFeedback = v1Read({
  path: '/api/v1/feedback',
  summary: `?suite= &agent= &since=
what users said of conversations, and how often the suite's success says the same, with its interval`,
  query: feedbackQuery,
  answer: feedbackFigures,
  read: async ({ reader, suites }: Pick<V1Side, 'reader' | 'suites'>, asked): Promise<FeedbackFigures | Refusal> => {
    const suite = chosenSuite(suites(), asked.suite);
    if (suite instanceof Refusal) return suite;
    const said = { positive: 0, neutral: 0, negative: 0 };
    const counts = { positive_of_success: 0, negative_of_success: 0, positive_of_failure: 0, negative_of_failure: 0 };
    let undecided = 0;
    let isCut = false;
    const compared: (Came & { readonly value: number })[] = [];
    for await (const { row, user, success, isLast } of conversationsWithFeedback(reader, {
      ...asked,
      suite: suite.name,
    })) {
      isCut = isLast;
      if (row.feedback === undefined) continue;
      said[row.feedback] += 1;
      if (row.feedback === 'neutral') continue;
      if (success === undefined) undecided += 1;
      else {
        counts[`${row.feedback}_of_${success ? 'success' : 'failure'}`] += 1;
        const agrees = (row.feedback === 'positive') === success;
        compared.push({ user, conversation: row.row, at: placeOf(row).at, value: agrees ? 1 : 0 });
      }
    }
    const agreed = counts.positive_of_success + counts.negative_of_failure;
    const agreement = shareEstimate(agreed, compared.length, designEffectOf(compared));
    return {
      suite: suite.name,
      conversations: said,
      counts,
      undecided,
      ...(agreement === undefined ? {} : { agreement }),
      cut: isCut,
    };
  },
});

interface WithFeedback {
  readonly row: ConversationRow;
  readonly user: Came['user'];
  /** Success of the whole conversation, or of all its turns; undefined where the suite does not decide it. */
  readonly success: boolean | undefined;
  /** The limit is reached, and there are more. */
  readonly isLast: boolean;
}

/** Latest first, each with what the last evaluations by the suite say. */
async function* conversationsWithFeedback(
  reader: Pick<V1Side['reader'], 'pages'>,
  asked: { readonly suite: string; readonly agent?: string | undefined; readonly since?: number | undefined },
): AsyncGenerator<WithFeedback> {
  const { suite, agent, since } = asked;
  const filters = { feedback: POLARITIES, agents: agent === undefined ? undefined : [agent], since };
  let cursor: SearchCursor | undefined;
  for (let conversations = 0; ; ) {
    const { rows, next } = await reader.pages.search({ ...filters, order: 'latest', limit: PAGE, cursor });
    const scanned = await reader.pages.lastScanned(rows, suite);
    const outcomes = Map.groupBy(scanned, ({ conversation }) => conversation);
    conversations += rows.length;
    const isLast = conversations >= CONVERSATIONS_MAX && next !== undefined;
    for (const row of rows) {
      const own = outcomes.get(row.row) ?? [];
      yield { row, user: own.at(-1)?.seen.userKey, success: successOf(own), isLast };
    }
    cursor = next;
    if (cursor === undefined || isLast) return;
  }
}

type Scanned = Awaited<ReturnType<V1Side['reader']['pages']['lastScanned']>>[number];

function successOf(evaluations: readonly Pick<Scanned, 'outcome'>[]): boolean | undefined {
  const decided = evaluations.filter(({ outcome }) => isInSuccessRate(outcome));
  return decided.length === 0 ? undefined : decided.every(({ outcome }) => isGood(outcome));
}
