/** Tools that try a change of a suite, and those that keep something: labels and test cases. */
import { z } from 'zod';
import { failuresAnswer } from '../../api/failures.ts';
import { learnedCriteria } from '../../api/learned.ts';
import { whatIf } from '../../api/what-if.ts';
import { mayAct, ROLES } from '../../model/caller.ts';
import { LABELS } from '../../model/labels.ts';
import { READING_ANSWERS } from '../../model/readings.ts';
import { visibleJsonText } from '../../model/visible-text.ts';
import { type AskedApi, asked, askedText, ToolProblem } from '../asked-api.ts';
import { agent, agent_version, conversation_id, since } from './arguments.ts';
import { encoded, type Tool, tool } from '../tool.ts';
import { cutText } from '../tool-result.ts';

const MOVED_MAX = 20;
/** A longer text is not for a model to copy. */
const CASE_TEXT_MAX = 50_000;
const ADDED_TEXT_MAX = 2_000;

const trySuiteChange = tool({
  name: 'try_suite_change',
  title: 'Try a change of a suite',
  description: `Scores and outcomes that stored conversations would have had with other weights of a suite, or without some criteria, from
stored verdicts. Changes nothing; yaml in the result is the diff of the suite's file to apply. For new criteria, change
the file and run: assay backtest <file>.`,
  input: z.object({
    suite: z.string(),
    weights: z.record(z.string(), z.number()).optional().describe('criterion to weight, as the file writes them'),
    off: z.array(z.string()).optional().describe('criteria to leave out of the score'),
    agent,
    agent_version,
    since,
  }),
  run: async ({ api }, body) => {
    const answer = await asked(api, { method: 'POST', path: '/api/v1/what-if', body }, whatIf);
    return { ...answer, moved: answer.moved.slice(0, MOVED_MAX) };
  },
});

const failures = tool({
  name: 'failures',
  title: 'Kinds of failure',
  description: `Kinds of failure that people named, and how often each comes. With learn, criteria that tell them, measured by
other readings: propose certified ones only.`,
  input: z.object({ agent: z.string(), since, learn: z.boolean().default(false) }),
  run: async ({ api }, { learn, ...query }) => {
    const board = await asked(api, { method: 'GET', path: '/api/v1/failures', query }, failuresAnswer);
    if (!learn) return board;
    return {
      ...board,
      learned: await asked(api, { method: 'GET', path: '/api/v1/criteria/learned', query }, learnedCriteria),
    };
  },
});

const proposeReading = tool({
  name: 'propose_reading',
  title: 'Propose a reading',
  writes: true,
  description: "Stores how you think a conversation went. It is shown as a program's, and counts in no figure.",
  input: z.object({
    conversation_id,
    answer: z.enum(READING_ANSWERS),
    by: z.string(),
    note: z.string().optional().describe('the first thing that went wrong'),
  }),
  run: ({ api }, reading) =>
    asked(api, { method: 'PUT', path: '/v1/readings', body: { ...reading, source: 'agent' } }, z.looseObject({})),
});

const addLabel = tool({
  name: 'add_label',
  title: 'Add a label',
  writes: true,
  description: `Stores what a person says about a criterion of a conversation: pass, fail or not_applicable; null takes it back. Labels show how
far judges can be trusted, so only pass on what a person has decided, under the name of that person. Takes the role
review; with the role read it is refused.`,
  input: z.object({
    conversation_id,
    suite: z.string(),
    criterion: z.string(),
    label: z.enum(LABELS).nullable(),
    by: z.string().describe('the person who decided'),
    turn_id: z.string().optional().describe('for a suite that scores turns'),
    note: z.string().optional(),
  }),
  run: async ({ api }, { conversation_id: id, ...label }) =>
    asked(
      api,
      { method: 'PUT', path: `/v1/labels/${encoded(id)}`, body: label },
      z.object({ conversation_id: z.string(), labels: z.number(), added: z.number() }),
    ),
});

const caseSchema = z.looseObject({ id: z.string() });

const addTestCase = tool({
  name: 'add_test_case',
  title: 'Add a test case',
  writes: true,
  description: `Turns a conversation into a test. as=dataset_case: what its user said, as a line of a dataset, so that "assay run <file> --agent
<command>" runs the agent on it again, and fails as the conversation did until the agent is mended. as=suite_test: the
recorded conversation with its verdicts in YAML, for "assay suite test", to change a suite without changing what it says
of this. A server that was started with --dataset adds the case to that file; otherwise write the text to a file of the
project yourself. Takes the role review; with the role read it is refused.`,
  input: z.object({
    conversation_id,
    as: z.enum(['dataset_case', 'suite_test']).default('dataset_case'),
    suite: z.string().optional().describe('for suite_test: that of the worst outcome unless given'),
  }),
  whole: 'text',
  run: async ({ api, keepCase }, { conversation_id: id, as, suite }) => {
    await refuseReaders(api);
    if (as === 'suite_test') {
      const path = `/api/v1/test/${encoded(id)}`;
      const text = copied(await askedText(api, { method: 'GET', path, query: { suite } }), path);
      const reason = 'a test of a suite belongs beside the file of the suite, as <suite>.test.yaml: add the text there';
      return { not_added_because: reason, then_run: 'assay suite test <suite file>', text };
    }
    const path = `/api/v1/case/${encoded(id)}`;
    const text = visibleJsonText(await askedText(api, { method: 'GET', path }));
    const kept = await keepCase?.(text.trim(), caseSchema.parse(JSON.parse(text)).id);
    switch (kept?.is) {
      case undefined: {
        const reason = 'this server has no dataset: append the text to a .jsonl file of the project';
        return { not_added_because: reason, then_run: 'assay run <file> --agent <command>', text: copied(text, path) };
      }
      case 'refused': {
        const because = kept.because;
        return { not_added_because: because, then_run: 'assay run <file> --agent <command>', text: copied(text, path) };
      }
      case 'added':
      case 'there':
        return {
          added_to: kept.file,
          was_there: kept.is === 'there',
          then_run: `assay run ${kept.file} --agent <command>`,
          text: cutText(text, ADDED_TEXT_MAX),
        };
    }
  },
});

/** A text that the caller is to write to a file. */
function copied(text: string, path: string): string {
  if (text.length <= CASE_TEXT_MAX) return text;
  throw new ToolProblem(`it has ${text.length} characters, too many to copy: fetch it from the service, GET ${path}`);
}

const meSchema = z.object({ roles: z.array(z.enum(ROLES)).default([]) });

/** Words of a user go into a repository: that takes the role of those who say what is right. */
async function refuseReaders(api: AskedApi): Promise<void> {
  const { roles } = await asked(api, { method: 'GET', path: '/api/me' }, meSchema);
  if (mayAct(roles, 'review')) return;
  throw new ToolProblem(
    `refused (403): you have the role ${roles.join(', ')}, and review is needed. A test case has what a user said: ask the person who runs Assay for a token with the role review`,
  );
}

export const CHANGE_TOOLS: readonly Tool[] = [trySuiteChange, failures, proposeReading, addTestCase, addLabel];
