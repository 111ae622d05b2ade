/** A process that asks judges, to be killed: `node killed-asker.ts <store> <provider>`. Says which votes are durable, and when there is nothing more to ask, or no money. */
import { Asking } from '../../src/ask/judge-scheduler.ts';
import { Store } from '../../src/store/sqlite/store.ts';
import { KILLED_JUDGE, KILLED_RULES, KILLED_TIMES } from './killed-judge.ts';

const [, , file = '', url = ''] = process.argv;
const store = Store.open(file);
const questions = {
  waitingQuestions: (judge: string, limit: number) => store.waitingQuestions(judge, limit),
  overdueQuestions: (overdue: Parameters<Store['overdueQuestions']>[0]) => store.overdueQuestions(overdue),
  countWaiting: () => store.countWaiting(),
  reserve: (call: Parameters<Store['reserve']>[0]) => store.reserve(call),
  settle: (call: Parameters<Store['settle']>[0]) => {
    store.settle(call);
    if (call.vote !== undefined) process.stdout.write(`${call.key}\n`);
  },
  endQuestions: (...ends: Parameters<Store['endQuestions']>) => store.endQuestions(...ends),
  spent: (at: number) => store.spent(at),
  forgetQuestions: (before: Parameters<Store['forgetQuestions']>[0]) => store.forgetQuestions(before),
};
const asking = new Asking({
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
