/** Judges for a command that scores recorded data, and what it says of them. */
import type { JudgingSettings } from '../config/judge-settings.ts';
import type { Evaluation } from '../model/evaluation.ts';
import { OfflineJudges } from '../offline/offline-judges.ts';
import { NOT_ASKED } from '../score/judge/judges.ts';
import { CommandFailure, EXIT } from './exit-codes.ts';
import { safe, type Terminal } from './terminal.ts';

export function startJudges(judging: JudgingSettings, terminal: Terminal): OfflineJudges {
  let answers = 0;
  const started = OfflineJudges.start({
    judging,
    onEvent: (event) => {
      if (event.type === 'question-ended') {
        answers += 1;
        terminal.progress(`${answers} questions answered by judges`);
      } else if (event.type === 'judge-stopped') {
        terminal.err(`judge ${event.judge} is stopped: ${safe(event.reason)}`);
      } else if (event.type === 'budget-exhausted') {
        terminal.err(`the judges' budget of the ${event.window} is spent: what it does not pay for is skipped`);
      } else if (event.type === 'judging-failed') terminal.err(safe(event.problem));
    },
  });
  if (started === undefined)
    throw new CommandFailure('--judges: no judge is configured; add one under `judges`', EXIT.usage);
  return started;
}

/** How many criteria had verdicts for which nobody was asked. */
export function criteriaNotAsked(evaluations: readonly Evaluation[]): number {
  const criteria = evaluations.flatMap(({ suite, verdicts }) =>
    [...verdicts].flatMap(([name, { reason }]) => (reason === NOT_ASKED ? [`${suite}/${name}`] : [])),
  );
  return new Set(criteria).size;
}
