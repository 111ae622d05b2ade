/** Judges for a command that scores recorded data: where their answers are kept, and what the command reports of them. */
import path from 'node:path';
import type { Settings } from '../config/settings.ts';
import type { JudgeEvent } from '../model/events/judge-events.ts';
import type { Evaluation } from '../model/evaluation.ts';
import { errorMessage } from '../model/error-message.ts';
import { KeptAnswers } from '../offline/kept-answers.ts';
import { OfflineJudges, type QuestionCounts } from '../offline/offline-judges.ts';
import { NOT_ASKED } from '../score/suite/judges.ts';
import { openReader } from '../serve/store-place/open-reader.ts';
import { ANSWER_FILE, AnswerFile } from '../store/sqlite/answer-file.ts';
import { CommandFailure, EXIT } from './exit-codes.ts';
import { Heartbeat, timeLeft } from './heartbeat.ts';
import { safe, type Terminal } from './terminal.ts';

export async function startJudges(settings: Settings, terminal: Terminal): Promise<OfflineJudges> {
  if (settings.judging.judges.length === 0)
    throw new CommandFailure('--judges: no judge is configured; add one under `judges`', EXIT.usage);
  const started = OfflineJudges.start({
    settings,
    answers: await keptAnswers(settings, terminal),
    onEvent: reportTo(terminal),
  });
  if (started === undefined) throw new Error('judges: one is configured, and none was started');
  return started;
}

/**
 * Says how far the questions are until it is ended, and then what became of them. Prints nothing if no question was
 * asked.
 */
export function judgeProgress(judges: OfflineJudges, terminal: Terminal) {
  const startedAt = performance.now();
  const heartbeat = new Heartbeat(terminal, () => {
    const { asked, answered, failed } = judges.counts;
    if (asked === 0) return undefined;
    const done = answered + failed;
    const left = timeLeft({ done, of: asked, tookMs: performance.now() - startedAt });
    return [`judges: ${done} of ${asked} questions done`, ...(left === undefined ? [] : [left])].join(', ');
  });
  heartbeat.begin();
  return {
    end: () => {
      heartbeat.end();
      const { wanted } = judges.counts;
      if (wanted > 0) terminal.err(summaryOf(judges.counts));
    },
  };
}

function summaryOf({ asked, failed, reused }: QuestionCounts): string {
  const without = failed === 0 ? '' : ` (${failed} without an answer)`;
  return `judges: ${asked} questions asked${without}, ${reused} answered before`;
}

async function keptAnswers(settings: Settings, terminal: Terminal): Promise<KeptAnswers> {
  const file = path.join(settings.dataDir, ANSWER_FILE);
  const onProblem = (of: 'file' | 'store', error: unknown) => {
    const where = of === 'file' ? `answers of judges in ${file}` : 'answers of judges in the store';
    terminal.err(`${where} cannot be used, asking without them: ${safe(errorMessage(error))}`);
  };
  const attempt = async <T>(of: 'file' | 'store', open: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await open();
    } catch (error) {
      onProblem(of, error);
      return undefined;
    }
  };
  const endedAfter = Date.now() - settings.store.keepMs;
  return new KeptAnswers({
    file: await attempt('file', () => AnswerFile.open(file, { endedAfter })),
    store: await attempt('store', () => openReader(settings)),
    onProblem,
  });
}

function reportTo(terminal: Terminal): (event: JudgeEvent) => void {
  const said = new Set<string>();
  const once = (episode: string, text: string) => {
    if (said.has(episode)) return;
    said.add(episode);
    terminal.err(text);
  };
  return (event) => {
    if (event.type === 'judge-called' && event.result !== 'said')
      once(
        `${event.judge} ${event.result}`,
        `judge ${event.judge}: calls fail (${event.result}), retrying: ${safe(event.reason)}`,
      );
    else if (event.type === 'judge-stopped')
      once(`${event.judge} stopped ${event.failure}`, `judge ${event.judge} is stopped: ${safe(event.reason)}`);
    else if (event.type === 'budget-exhausted')
      once(
        `budget ${event.window}`,
        `the judges' budget of the ${event.window} is spent: what it does not pay for is skipped`,
      );
    else if (event.type === 'judging-failed') once(event.problem, safe(event.problem));
  };
}

/** How many criteria had verdicts for which nobody was asked. */
export function criteriaNotAsked(evaluations: readonly Evaluation[]): number {
  const criteria = evaluations.flatMap(({ suite, verdicts }) =>
    [...verdicts].flatMap(([name, { reason }]) => (reason === NOT_ASKED ? [`${suite}/${name}`] : [])),
  );
  return new Set(criteria).size;
}
