/**
 * The thread that weighs stored verdicts again. It has the suites as the service runs them, a connection of its own,
 * and never writes. It answers one message after the other.
 */
import path from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { whatIf } from '../../backtest/what-if.ts';
import { judgeOf } from '../../engine/judging-start.ts';
import { outlineOf } from '../../engine/suite-outline.ts';
import { visibleJson } from '../../model/visible-text.ts';
import { loadSuites } from '../../score/load-suites.ts';
import { reweighed } from '../../score/reweigh.ts';
import { readerAt } from '../open-reader.ts';
import { yieldToOthers } from '../yield-to-others.ts';
import { suiteChange } from './suite-change.ts';
import { whatIfAnswer } from './what-if-answer.ts';
import type { FromAsked, ToAsked } from '../asked-thread.ts';
import type { SentQuestion, WhatIfReply, WhatIfStart } from './what-if-protocol.ts';

const BUILTIN_SUITES = path.resolve(import.meta.dirname, '../../../suites');
/** So many of the changed conversations are named. */
const SHOWN = 20;

const port = parentPort;
if (port !== null) {
  // The casts hold because `asked-thread.ts` is the only one that starts this thread and posts to it.
  const { store, suites: of, judging } = workerData as WhatIfStart;
  const post = (message: FromAsked<WhatIfReply>, transfer: readonly ArrayBuffer[] = []) =>
    port.postMessage(message, [...transfer]);
  const folder = { baseDir: of.baseDir, builtinDir: BUILTIN_SUITES, tools: of.tools };
  const { suites } = await loadSuites(of.references, { ...of, ...folder });
  const reader = await readerAt(store);
  const judge = judgeOf(judging);

  const answer = async (id: number, { question, suite }: SentQuestion): Promise<void> => {
    const live = suites.find(({ name }) => name === suite.name);
    if (live === undefined || JSON.stringify(outlineOf(live)) !== JSON.stringify(suite)) {
      // The file may be put back, and this thread would not notice.
      post({ type: 'replied', id, reply: { is: 'outdated' }, isLast: true });
      return;
    }
    const changed = reweighed(live, question);
    const { since, agent, agent_version: agentVersion, limit } = question;
    const report = await whatIf({ live, changed, reader, judge, since, agent, agentVersion, limit, shown: SHOWN });
    const { name, version, scope } = live;
    const change = await suiteChange(live, changed, folder);
    const value = whatIfAnswer(report, { suite: name, version, scope, ...change });
    const body = new TextEncoder().encode(`${visibleJson(value)}\n`);
    post({ type: 'replied', id, reply: { is: 'answered', body } }, [body.buffer]);
  };

  port.on('message', (message: ToAsked<SentQuestion>) => {
    if (message.type === 'ask') {
      const { id, sent } = message;
      void answer(id, sent).catch((error: unknown) =>
        post({ type: 'failed', id, error: error instanceof Error ? error.message : String(error) }),
      );
    } else {
      port.close();
      void (async () => reader.close())().catch(() => undefined);
    }
  });
  yieldToOthers('the thread that weighs verdicts again');
  post({ type: 'ready' });
}
