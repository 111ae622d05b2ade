/**
 * The thread that answers questions which need the suites themselves: other weights, a conversation beside its golden
 * trace, a conversation as a test. It has the suites as the service runs them and a connection of its own, and never
 * writes. It answers one message after the other.
 */
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parentPort, workerData } from 'node:worker_threads';
import { AnotherSuite } from '../../backtest/another-suite.ts';
import { HistoryRun } from '../../backtest/history-run.ts';
import { whatIf } from '../../backtest/backtest.ts';
import { judgeOf } from '../../engine/judging-start.ts';
import { outlineOf, type SuiteOutline } from '../../engine/suite-outline.ts';
import type { WhatIfQuestion } from '../../api/what-if.ts';
import type { HistoryPart, HistoryWanted } from '../../model/history-learning.ts';
import { unreachable } from '../../model/unreachable.ts';
import { checkedTruth } from '../../engine/truth-files.ts';
import { idKeysOf } from '../../normalize/id-keys.ts';
import { type Answer, jsonAnswer } from '../../report/http/answer.ts';
import { loadSuites } from '../../score/load-suites.ts';
import { reweighed } from '../../score/suite/reweigh.ts';
import type { CompiledSuite } from '../../score/suite/suite.ts';
import { readerAt } from '../store-place/open-reader.ts';
import { compareWithGolden } from './golden-comparison.ts';
import { learnedCriteria } from './learned-criteria.ts';
import { writeAsTest } from './recorded-test.ts';
import { suiteChange } from './suite-change.ts';
import { whatIfAnswer } from './what-if-answer.ts';
import { answerAsked } from '../threads/answer-asked.ts';
import type { FromAsked } from '../threads/asked-thread.ts';
import type { ClientQuestion, SentQuestion, SuiteQuestion, WhatIfReply, WhatIfStart } from './what-if-protocol.ts';

const BUILTIN_SUITES = path.resolve(import.meta.dirname, '../../../suites');
/** Others that ask wait no longer than this for a part of the past. */
const PART_MS = 400;
/** Most changed conversations that are named. */
const SHOWN = 20;

const port = parentPort;
if (port !== null) {
  // The casts hold because `asked-thread.ts` is the only one that starts this thread and posts to it.
  const { store, suites: of, judging, ...engine } = workerData as WhatIfStart;
  const post = (message: FromAsked<WhatIfReply>, transfer: readonly ArrayBuffer[] = []) =>
    port.postMessage(message, [...transfer]);
  const folder = { baseDir: of.baseDir, builtinDir: BUILTIN_SUITES, tools: of.tools };
  const { suites } = await loadSuites(of.references, { ...of, ...folder });
  const reader = await readerAt(store);
  const judge = judgeOf(judging);

  const weighAgain = async (question: WhatIfQuestion, live: CompiledSuite): Promise<Answer> => {
    const changed = reweighed(live, question);
    const { since, agent, agent_version: agentVersion, limit } = question;
    const report = await whatIf({ live, changed, reader, judge, since, agent, agentVersion, limit, shown: SHOWN });
    const { name, version, scope } = live;
    const change = await suiteChange(live, changed, folder);
    return jsonAnswer(200, whatIfAnswer(report, { suite: name, version, scope, ...change }));
  };

  /** Runs by suite, each as far as it has read. */
  const runs = new Map<string, { readonly of: string; readonly run: HistoryRun }>();
  const learn = async (wanted: HistoryWanted): Promise<HistoryPart> => {
    const { suite: name, key, since, until, after, isSampled } = wanted;
    const changed = suites.find((suite) => suite.name === name);
    if (changed === undefined) throw new Error(`no live suite is called ${JSON.stringify(name)}`);
    const ofRun = `${key} ${until}`;
    let known = runs.get(name);
    if (known?.of !== ofRun) {
      await known?.run.stop();
      const idKeys = idKeysOf(engine.idKeys);
      const truth = checkedTruth(engine.truth);
      const another = new AnotherSuite({ changed, live: changed, reader, judge, idKeys, truth });
      const others = suites.filter((one) => one !== changed && one.scope === changed.scope);
      const run = new HistoryRun({
        running: wanted,
        since,
        until,
        ripeBefore: until - engine.gapMs,
        isSampled,
        another,
        reader,
        sources: [name, ...others.map((one) => one.name)],
        segment: engine.segment,
      });
      known = { of: ofRun, run };
      runs.set(name, known);
    }
    return known.run.next(after, PART_MS);
  };

  const answerTo = (question: ClientQuestion): Promise<Answer> | Answer => {
    switch (question.is) {
      case 'what-if': {
        const live = suites.find(({ name }) => name === question.question.suite);
        return live === undefined ? unknownSuite(question.question.suite) : weighAgain(question.question, live);
      }
      case 'golden':
        return compareWithGolden(question.conversation, { reader, suites });
      case 'test':
        return writeAsTest(question, { reader, suites });
      case 'criteria':
        return learnedCriteria(question.asked, { reader, idKeys: idKeysOf(engine.idKeys) }).then((found) =>
          jsonAnswer(200, found),
        );
      default:
        return unreachable(question);
    }
  };

  const answer = async (id: number, { question, suites: outlines }: SentQuestion): Promise<void> => {
    const changed = outlines.find((outline) => {
      const loaded = suites.find(({ name }) => name === outline.name);
      return concerns(question, outline) && (loaded === undefined || !isDeepStrictEqual(outlineOf(loaded), outline));
    });
    if (changed !== undefined) {
      // The file may be put back, and this thread would not notice.
      post({ type: 'replied', id, reply: { is: 'outdated', suite: changed.name }, isLast: true });
      return;
    }
    if (question.is === 'history') {
      const part = await learn(question.wanted);
      if (part.end !== undefined) runs.delete(part.suite);
      post({ type: 'replied', id, reply: { is: 'learned', part } });
      return;
    }
    const { status, type, body: text } = await answerTo(question);
    const body = typeof text === 'string' ? new TextEncoder().encode(text) : Uint8Array.from(text);
    post({ type: 'replied', id, reply: { is: 'answered', status, type, body } }, [body.buffer]);
  };

  answerAsked<SentQuestion>(port, {
    name: 'the thread that weighs verdicts again',
    answer,
    close: () => reader.close(),
  });
}

/** A changed file of another suite is no reason to refuse. */
function concerns(question: SuiteQuestion, { name, goldenTraces }: SuiteOutline): boolean {
  switch (question.is) {
    case 'what-if':
      return question.question.suite === name;
    case 'history':
      return question.wanted.suite === name;
    case 'golden':
      return goldenTraces > 0;
    case 'test':
      return question.suite === undefined || question.suite === name;
    case 'criteria':
      return false;
    default:
      return unreachable(question);
  }
}

function unknownSuite(name: string): Answer {
  return jsonAnswer(404, { error: `no live suite is called ${JSON.stringify(name)}` });
}
