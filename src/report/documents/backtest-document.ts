/** A backtest for a person: figures before and after, and the conversations that changed. */
import type { BacktestReport, BacktestTotals, Mover, RegressionEpisode, SideOfChange } from '../../model/backtest.ts';
import { OUTCOMES_IN_ORDER } from '../../model/severity.ts';
import { type Block, type Document, list, name, type Phrase, type Row, say, section } from './document.ts';

const ONE = 1_000_000;

export function backtestDocument(reports: readonly BacktestReport[]): Document {
  return { title: 'Verdicts of a changed suite', blocks: reports.map(reportSection) };
}

function reportSection(report: BacktestReport): Block {
  return section(headlineOf(report), [
    list(remarksOf(report)),
    ...(report.counted.compared === 0 ? [] : [totalsSection(report)]),
    ...tableSection(
      'Criteria',
      ['criterion', 'how', 'weight', 'passed before', 'passed after', 'moves the score by'],
      report.criteria.map(criterionRow),
    ),
    ...tableSection(
      'Agents',
      ['agent', 'version', 'environment', 'evaluations', 'score before', 'score after', 'change'],
      report.agents.map(agentRow),
    ),
    ...tableSection('Alerts that would have been', ['regression of', 'before', 'after'], alertRows(report)),
    ...(report.counted.compared === 0 ? [] : [changedSection(report)]),
  ]);
}

function tableSection(title: string, head: readonly string[], rows: readonly Row[]): readonly Block[] {
  return rows.length === 0 ? [] : [section(title, [{ is: 'table', rows: [{ head }, ...rows] }])];
}

function headlineOf({ suite, version, against }: BacktestReport): string {
  const versions = against.versions.map(({ version: one, evaluations }) => `${one} (${evaluations})`).join(', ');
  return `${suite}@${version} beside what ${against.suite} said: ${versions === '' ? 'nothing is stored of it' : `version ${versions}`}`;
}

/** How it came to its figures, and what is not in them. */
function remarksOf({ counted, joined, alerts, judges, criteria, neverCalled }: BacktestReport): readonly Phrase[] {
  const { compared, weighedAgain, askedAgain, spansNotKept, notUnderstood, left, notOver, withoutJudges } = counted;
  const some = (count: number, words: string) => (count === 0 ? [] : [`${count} ${words}`]);
  const isNew = compared === 0;
  return [
    ...(isNew && joined.evaluations > 0
      ? []
      : [
          `${compared} evaluations compared${weighedAgain + askedAgain === 0 ? '' : `: ${weighedAgain} weighed again from stored verdicts, ${askedAgain} asked again from their spans`}`,
        ]),
    ...(isNew && joined.evaluations === 0 && left + spansNotKept + notUnderstood === 0
      ? ['No conversation is stored that the suite is for: see its `match`, --agent and --since']
      : []),
    ...neverCalled.map(
      ({ tool, didYouMean: meant }) =>
        say`None of these conversations called the tool ${name(tool)}, which the suite names${meant === undefined ? '' : say`: did you mean ${name(meant)}?`}`,
    ),
    ...some(spansNotKept, 'could not be asked again, because their spans are not kept any more; they are in no figure'),
    ...some(notUnderstood, 'could not be asked again, because they could not be understood; they are in no figure'),
    ...some(
      left,
      'evaluations that were made: the changed suite is not for these conversations; they are in no figure',
    ),
    ...some(
      joined.evaluations,
      isNew
        ? `evaluations would be made, ${joined.scored} of them with a score: its mean is ${scoreText(joined.tcr)}`
        : `that were not made and would be: the changed suite is for these as well, with a mean score of ${scoreText(joined.tcr)}; they are in no other figure`,
    ),
    ...some(notOver, 'of these are of conversations that are not over: they are scored when they are'),
    ...some(withoutJudges, 'compared without verdicts of judges, who would have to be asked and were not'),
    ...judges.map(
      ({ judge, questions, calls, inputTokens, costLeast, costMost }) =>
        `judge ${judge}: ${questions} questions, ${calls} calls, about ${inputTokens} input tokens, ${money(costLeast)} to ${money(costMost)}`,
    ),
    ...(!isNew && criteria.some(({ points }) => points === undefined)
      ? ['How far a criterion moves the score is not known, because the weights of what was stored are not at hand']
      : []),
    ...(alerts?.withoutEffort === true
      ? ['What conversations took was not stored with all of them: alerts on cost and steps are not looked for']
      : []),
  ];
}

function scoreText(score: number | undefined): string {
  return score === undefined ? '–' : (score / ONE).toFixed(3);
}

function sideText({ score, outcome }: SideOfChange): string {
  return `${scoreText(score)} ${outcome}`;
}

function moverText({ criterion, before, after, points }: Mover): string {
  const verdicts = before === after ? (after ?? '–') : `${before ?? 'not asked'} → ${after ?? 'not asked'}`;
  return `${criterion} ${verdicts}${points === undefined ? '' : ` (${signed(points)})`}`;
}

function signed(points: number): string {
  return `${points >= 0 ? '+' : '−'}${(Math.abs(points) / ONE).toFixed(3)}`;
}

function totalsSection({ before, after }: BacktestReport): Block {
  const row = (called: string, one: number, other: number): Row => [
    called,
    String(one),
    String(other),
    one === other ? '' : `${other > one ? '+' : '−'}${Math.abs(other - one)}`,
  ];
  const rows: readonly Row[] = [
    { head: ['', 'before', 'after', 'change'] },
    ['mean score', scoreText(before.tcr), scoreText(after.tcr), changeOf(before, after)],
    row('scored', before.scored, after.scored),
    ...OUTCOMES_IN_ORDER.map((outcome) => row(outcome, before.outcomes[outcome], after.outcomes[outcome])),
  ];
  return section('Scores and outcomes', [{ is: 'table', rows }]);
}

function criterionRow(changed: BacktestReport['criteria'][number]): Row {
  const { criterion, how, weightBefore, weightAfter, before, after, points } = changed;
  return [
    name(criterion),
    how,
    weightBefore === weightAfter ? share(weightAfter) : `${share(weightBefore)} → ${share(weightAfter)}`,
    rate(before),
    rate(after),
    points === undefined ? 'not known' : signed(points),
  ];
}

function agentRow({ agent, agentVersion, environment, before, after }: BacktestReport['agents'][number]): Row {
  return [
    ...[name(agent), name(agentVersion), name(environment)],
    String(before.evaluations),
    ...[scoreText(before.tcr), scoreText(after.tcr)],
    changeOf(before, after),
  ];
}

/** Side by side: those of one level that overlap are one row. */
function alertRows({ alerts }: BacktestReport): readonly Row[] {
  const rows: Row[] = [];
  const others = [...(alerts?.after ?? [])];
  for (const episode of alerts?.before ?? []) {
    const at = others.findIndex((other) => isSameLevel(episode, other) && overlap(episode, other));
    const [beside] = at < 0 ? [] : others.splice(at, 1);
    rows.push([levelOf(episode), spell(episode), beside === undefined ? 'none' : spell(beside)]);
  }
  return [...rows, ...others.map((episode): Row => [levelOf(episode), 'none', spell(episode)])];
}

function changedSection({ changed, counted, conversations }: BacktestReport): Block {
  const few = changed > conversations.length ? `, the ${conversations.length} most changed` : '';
  return section(`Changed: ${changed} of ${counted.compared}${few}`, [
    {
      is: 'table',
      rows: conversations.flatMap(({ conversationId, turnId, before, after, movedBy }): readonly Row[] => [
        [say`${name(conversationId)}${turnId === undefined ? '' : say`, turn ${name(turnId)}`}`],
        {
          below: [
            `${sideText(before)} → ${sideText(after)}`,
            movedBy.length === 0 ? 'Moved by outcome rules' : `Moved by ${movedBy.map(moverText).join(', ')}`,
          ],
        },
      ]),
    },
  ]);
}

function isSameLevel(one: RegressionEpisode, other: RegressionEpisode): boolean {
  return levelOf(one) === levelOf(other);
}

function overlap(one: RegressionEpisode, other: RegressionEpisode): boolean {
  const { endedAt: oneEnd = Number.POSITIVE_INFINITY } = one;
  const { endedAt: otherEnd = Number.POSITIVE_INFINITY } = other;
  return one.beganAt <= otherEnd && other.beganAt <= oneEnd;
}

/** In words: what regressed, of whom. */
export function levelOf({ agent, environment, metric, criterion, part }: RegressionEpisode): string {
  return `${criterion ?? part ?? metric}, ${agent} in ${environment}`;
}

export function spell({ beganAt, endedAt }: RegressionEpisode): string {
  const time = (at: number) => new Date(at).toISOString().slice(0, 16).replace('T', ' ');
  return `${time(beganAt)} to ${endedAt === undefined ? 'the end' : time(endedAt)}`;
}

function changeOf(before: BacktestTotals, after: BacktestTotals): string {
  if (before.tcr === undefined || after.tcr === undefined) return '';
  return before.tcr === after.tcr ? '' : signed(after.tcr - before.tcr);
}

function share(weight: number | undefined): string {
  return weight === undefined ? '–' : String(Number(weight.toFixed(4)));
}

function rate({ passed, decided }: { readonly passed: number; readonly decided: number }): string {
  return decided === 0 ? '–' : `${((100 * passed) / decided).toFixed(1)} % of ${decided}`;
}

function money(amount: number): string {
  return Number(amount.toPrecision(3)).toString();
}
