/**
 * Blocks of TypeScript and YAML that are a file, or a part of one: the file's name in the reader's folder, what stands
 * around a part, and the command that runs it. `starts` is how the block begins; an entry that fits no block fails.
 */
import type { Block } from './blocks.ts';

export interface Written {
  readonly page: string;
  readonly starts: string;
  readonly file: string;
  readonly before?: string;
  readonly after?: string;
  /** The folder of the project that its imports are relative to. */
  readonly within?: string;
  /** Run in the reader's folder once the file is there. */
  readonly run?: string;
}

const SUITE_HEAD = `suite: around\nscope: conversation\nnormalize: true\n`;
const CRITERION = `criteria:\n  - { name: holds, question: Does it hold?, weight: 1, uses: follows_golden_path }\n`;

export const WRITTEN: readonly Written[] = [
  { page: 'docs/start/quickstart.md', starts: 'suite: refunds', file: 'refunds.yaml' },
  { page: 'docs/start/quickstart.md', starts: 'agent: refund-bot', file: 'refunds.test.yaml' },
  { page: 'docs/start/quickstart.md', starts: 'dataset: refunds', file: 'refunds.cases.yaml' },
  { page: 'docs/operate/projects.md', starts: '# payments.yaml', file: 'payments.yaml' },
  { page: 'docs/score/suites.md', starts: 'suite: refunds', file: 'refunds.yaml' },
  { page: 'docs/score/suites.md', starts: 'agent: refund-bot', file: 'refunds.test.yaml' },
  {
    page: 'docs/reference/suite-language.md',
    starts: 'check: >-',
    file: 'calls.yaml',
    before: `${SUITE_HEAD}criteria:\n`,
  },
  {
    page: 'docs/reference/suite-language.md',
    starts: 'check: refund.args.amount',
    file: 'absent.yaml',
    before: `${SUITE_HEAD}extract: { refund: last(tools('refund_order')) }\ncriteria:\n`,
  },
  { page: 'docs/score/feedback.md', starts: '- { name: liked', file: 'liked.yaml', before: `${SUITE_HEAD}criteria:\n` },
  {
    page: 'docs/reference/suite-language.md',
    starts: 'import { defineSuite, hasFailed',
    file: 'refunded-once.ts',
    run: 'npx assay validate refunded-once.ts',
  },
  {
    page: 'docs/reference/suite-language.md',
    starts: 'check: scored(',
    file: 'concise.ts',
    before: `import { defineSuite, scored } from 'assay/suite';

export default defineSuite({
  name: 'concise',
  scope: 'conversation',
  criteria: [{ name: 'concise', question: 'Is it short?', weight: 1,
`,
    after: `}],\n});\n`,
    run: 'npx assay validate concise.ts',
  },
  {
    page: 'docs/score/golden-traces.md',
    starts: 'golden:',
    file: 'choose.yaml',
    before: SUITE_HEAD,
    after: CRITERION,
  },
  { page: 'docs/score/golden-traces.md', starts: 'tool_policy:', file: 'policy.yaml', before: SUITE_HEAD },
  {
    page: 'docs/score/golden-traces.md',
    starts: 'import { defineSuite, followsGoldenPath',
    file: 'tickets.ts',
    run: 'npx assay validate tickets.ts',
  },
  { page: 'docs/score/system-prompt-as-a-suite.md', starts: 'extract:', file: 'code.yaml', before: SUITE_HEAD },
  {
    page: 'docs/score/system-prompt-as-a-suite.md',
    starts: '- name: no_advice',
    file: 'judged.yaml',
    before: `${SUITE_HEAD}criteria:\n`,
  },
  {
    page: 'docs/start/instrument.md',
    starts: 'import { NodeSDK }',
    file: 'agent.ts',
    before: `import { trace } from '@opentelemetry/api';\n`,
    after: `
async function answerTheUser(): Promise<void> {
  trace.getTracer('agent').startActiveSpan('invoke_agent tickets', (span) => {
    recordState({ booked: true });
    attachTruth({ participants: ['ana'] });
    endConversation();
    span.end();
  });
}
await sdk.shutdown();
`,
    run: `npx node agent.ts && until curl -sf 'localhost:4319/api/conversations?limit=100' | grep -q '"ticket-4711"'; do sleep 0.2; done`,
  },
  {
    page: 'docs/add-a-dialect.md',
    starts: 'import { contentOf }',
    file: 'example.ts',
    within: 'src/normalize/dialects',
  },
  {
    page: 'docs/operate/detection.md',
    starts: 'import { createHmac',
    file: 'signature.mjs',
    after: `
const time = Math.floor(Date.now() / 1000);
const signed = createHmac('sha256', 'secret').update(\`\${time}.{}\`).digest('hex');
if (!isFromAssay(\`t=\${time},v1=\${signed}\`, '{}', 'secret')) throw new Error('a right signature is refused');
if (isFromAssay(\`t=\${time},v1=\${signed}\`, '{"a":1}', 'secret')) throw new Error('a changed body is accepted');
`,
    run: 'node signature.mjs',
  },
  { page: 'docs/score/judges.md', starts: 'suite: refund-talk', file: 'refund-talk.yaml' },
  { page: 'docs/score/judges.md', starts: 'conversation,criterion', file: 'labels.csv' },
  { page: 'docs/score/validity.md', starts: '{"conversation_id": "c-1"', file: 'recorded.jsonl' },
  { page: 'docs/score/validity.md', starts: 'conversation_id,csat', file: 'csat.csv' },
  { page: 'docs/score/datasets.md', starts: '# scheduling.cases.yaml', file: 'scheduling.cases.yaml' },
  { page: 'docs/score/release-gate.md', starts: 'dataset: refunds', file: 'refunds.cases.yaml' },
  { page: 'docs/score/release-gate.md', starts: '// agent.js', file: 'agent.js' },
  { page: 'docs/score/release-gate.md', starts: 'rules:\n  tcr: { max_drop: 10 points }', file: 'limits.yaml' },
  { page: 'docs/operate/redaction.md', starts: 'redaction:', file: 'assay.yaml' },
];

/** Undefined for a block that stands by itself. */
export function writtenAs({ page, text }: Pick<Block, 'page' | 'text'>): Written | undefined {
  return WRITTEN.find((one) => one.page === page && text.trimStart().startsWith(one.starts));
}
