/** What is written to the log about judges. A single call that failed is in the metrics; what keeps a judge from answering is said. */
import type { JudgeEvent } from '../../model/events/judge-events.ts';
import type { Described } from './describe-event.ts';

export function describeJudgeEvent(event: JudgeEvent): Described | undefined {
  switch (event.type) {
    case 'judge-stopped': {
      const { judge, failure, reason, tryAgainMs } = event;
      return {
        level: 'error',
        message: 'a judge is stopped; it is tried again by itself',
        fields: { judge, failure, reason, try_again_ms: Math.round(tryAgainMs) },
        episode: `judge stopped ${judge} ${failure}`,
      };
    }
    case 'judge-resumed':
      return { level: 'info', message: 'a judge answers again', fields: { judge: event.judge } };
    case 'judge-called': {
      const { judge, result, reason } = event;
      if (result === 'said') return undefined;
      const fields = { judge, failure: result, reason };
      return { level: 'warn', message: 'a call of a judge failed', fields, episode: `judge ${judge} ${result}` };
    }
    case 'budget-exhausted':
      return {
        level: 'warn',
        message: 'the budget for judges is spent; questions wait',
        fields: { window: event.window },
        episode: `judge budget ${event.window}`,
      };
    case 'judging-failed':
      return {
        level: 'error',
        message: 'asking judges can not use the store and tries again',
        fields: { problem: event.problem },
        episode: 'judging failed',
      };
    default:
      return undefined;
  }
}
