/**
 * A process that asks judges, to be killed: `node killed-asker.ts <store> <provider>`. Prints which votes are durable,
 * and reports when there is nothing more to ask, or no budget left.
 */
import { JudgeScheduler } from '../../src/ask/judge-scheduler.ts';
import { Store } from '../../src/store/sqlite/store.ts';
import { KILLED_JUDGE, KILLED_RULES, KILLED_TIMES } from './killed-judge.ts';

const [, , file = '', url = ''] = process.argv;
const store = Store.open(file);
const questions = {
  waiting: (judge: string, limit: number) => store.questions.waiting(judge, limit),
  overdue: (overdue: Parameters<Store['questions']['overdue']>[0]) => store.questions.overdue(overdue),
  countWaiting: () => store.questions.countWaiting(),
  reserve: (call: Parameters<Store['questions']['reserve']>[0]) => store.questions.reserve(call),
  record: (call: Parameters<Store['questions']['record']>[0]) => {
    store.questions.record(call);
    if (call.vote !== undefined) process.stdout.write(`${call.key}\n`);
  },
  end: (...ends: Parameters<Store['questions']['end']>) => store.questions.end(...ends),
  spent: (at: number) => store.questions.spent(at),
  forget: (before: Parameters<Store['questions']['forget']>[0]) => store.questions.forget(before),
};
const asking = new JudgeScheduler({
  judges: [{ ...KILLED_JUDGE, baseUrl: url }],
  rules: KILLED_RULES,
  questions,
  onEvent: (event) => {
    const isIdle = event.type === 'judging-observed' && event.judges.every(({ questions: waiting }) => waiting === 0);
    if (isIdle || event.type === 'budget-exhausted') process.stdout.write('nothing more\n');
  },
  times: KILLED_TIMES,
});
asking.start();
