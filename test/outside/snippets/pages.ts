/**
 * Everything that a reader of each page has when the shell blocks are pasted: a folder, files, a service with conversations, and
 * the names that the reader replaces. A page that is not here is run in the root of a clean clone with nothing beside.
 */
export type FileOfReader =
  | { readonly from: string }
  | { readonly text: string }
  | { readonly block: string; readonly of: string };

export interface Page {
  /** Where the reader stands, as seen from the clone. */
  readonly folder?: string;
  /** The reader's files: from a file of the project, as given, or a block of another page by how it begins. */
  readonly files?: Readonly<Record<string, FileOfReader>>;
  /** A service runs from the start, with the page's configuration if there is one. */
  readonly isServed?: true;
  /** Placeholders and names of the reader's own. */
  readonly replace?: Readonly<Record<string, string>>;
  /** Commands that end with another code than 0, by how they begin. */
  readonly codes?: Readonly<Record<string, readonly number[]>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** A tool call as OpenAI's chat API has it. */
const call = (id: string, name: string, args: object) => ({
  id,
  function: { name, arguments: JSON.stringify(args) },
});

/** A refund as somebody records it. */
function refund(id: string, named: string, order: number): string {
  return JSON.stringify({
    conversation_id: id,
    case: named,
    agent: 'refund-bot',
    messages: [
      { role: 'user', content: `I want my money back for order ${order}.` },
      { role: 'assistant', tool_calls: [call('a', 'look_up_order', { order })] },
      { role: 'tool', tool_call_id: 'a', content: '{"paid":30}' },
      { role: 'assistant', tool_calls: [call('b', 'refund_order', { order })] },
      { role: 'tool', tool_call_id: 'b', content: '{"status":"done","amount":30}' },
      { role: 'assistant', content: 'Your 30 euros are on their way.' },
    ],
    truth: { amount: 30, actions: [{ name: 'refund_order', args: { order } }] },
  });
}

const RECORDED = { text: `${refund('c-101', '7', 17)}\n${refund('c-102', '8', 18)}\n` };
const RUNS = { from: 'examples/golden-traces/runs.jsonl' };
/** Scores of Langfuse, of the same conversations. */
const SCORES = ['resolved', 'polite'].map((name) => ({
  ...{ name, dataType: 'BOOLEAN', source: 'ANNOTATION', authorUserId: 'ana', sessionId: 'slow', value: 1 },
}));
/** The conversations that are sent to a service: those of RUNS. */
const CONVERSATION = { '<conversation>': 'good' };

const SPANS = JSON.stringify({
  resourceSpans: [
    {
      scopeSpans: [
        {
          spans: [
            {
              traceId: 'a1'.repeat(16),
              spanId: 'b2'.repeat(8),
              name: 'invoke_agent support',
              startTimeUnixNano: '1763720000000000000',
              endTimeUnixNano: '1763720003000000000',
              attributes: [
                ['gen_ai.operation.name', 'invoke_agent'],
                ['gen_ai.input.messages', said('user', 'I am EMP-123456, ana@example.com, call +49 30 901820')],
                ['gen_ai.output.messages', said('assistant', 'Noted, ana@example.com.')],
              ].map(([key, stringValue]) => ({ key, value: { stringValue } })),
            },
          ],
        },
      ],
    },
  ],
});

function said(role: string, content: string): string {
  return JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);
}

export const PAGES: Readonly<Record<string, Page>> = {
  'docs/add-a-dialect.md': {
    replace: {
      '<framework>@<version>/<scenario>': 'strands@1.19.0/meeting_success',
      '<framework>': 'strands',
    },
  },
  'docs/reference/api.md': {
    isServed: true,
    replace: {
      ...CONVERSATION,
      '<step_id>': `${'a1'.repeat(16)}:${'a1'.repeat(7)}a0`,
      // No suite of the reader's own runs here.
      '?suite=<suite>': '',
    },
    // The stream goes on until curl ends it.
    codes: { 'curl -sN --max-time': [28] },
  },
  'docs/reference/export.md': { isServed: true },
  'docs/score/feedback.md': { isServed: true },
  'docs/reference/mcp.md': {
    files: {
      'cases.jsonl': { text: `${JSON.stringify({ id: 'moved', turns: ['Please move my call.'] })}\n` },
      'agent.ts': {
        text: `export function agent({ input }: { input: string }) {
  return { messages: [{ role: 'user', content: input }, { role: 'assistant', content: 'It is moved.' }] };
}
`,
      },
    },
  },
  'docs/score/comparing.md': {
    // The reader's own cases and agent are those of the example.
    replace: {
      'run scheduling.cases.yaml --agent agent.ts':
        'run examples/release-gate/scheduling.cases.yaml --agent examples/release-gate/agent.ts --suite scheduling',
    },
  },
  'docs/reference/configuration.md': { isServed: true, replace: { '<pid>': '$ASSAY_PID' } },
  'docs/score/datasets.md': {
    isServed: true,
    files: {
      'trajectories.json': { text: '[]' },
      'recordings.jsonl': RECORDED,
      'newer.jsonl': RECORDED,
    },
    replace: {
      'latest free-slot-1': 'latest 7',
      '> recordings.jsonl': '> from-tau-bench.jsonl',
      // None of the three conversations in the store has failed.
      '--failed ': '',
      'agent scheduler': 'agent support',
    },
  },
  'docs/operate/detection.md': {
    isServed: true,
    replace: { helper: 'support', '--environment production ': '' },
    // Nothing has got worse among three conversations, so there is nothing to accept.
    codes: { 'npx assay detect accept': [3] },
    files: {
      'incidents.yaml': {
        text: '- { name: provider outage, from: 2026-11-12T08:00:00Z, to: 2026-11-12T11:30:00Z }\n',
      },
    },
  },
  'docs/start/frameworks.md': { isServed: true, files: { 'traces.jsonl': RUNS }, replace: CONVERSATION },
  'docs/score/golden-traces.md': { folder: 'examples/golden-traces' },
  'docs/start/instrument.md': { isServed: true },
  'docs/score/judges.md': {
    isServed: true,
    files: { 'assay.yaml': { text: 'suites: [default, ./refund-talk.yaml]\n' } },
  },
  'docs/operate/operating.md': { isServed: true },
  'docs/start/quickstart.md': {
    folder: '../their-agent',
    files: {
      'agent.js': { block: '// agent.js', of: 'docs/score/release-gate.md' },
      'requirements.txt': { text: 'openai\n' },
    },
    replace: CONVERSATION,
    // The second version has a fault, and the gate finds it.
    codes: { 'npx assay gate v2': [1] },
  },
  'docs/start/operators.md': {
    replace: CONVERSATION,
    // Five minutes for each version are a second here.
    env: { CONVERSATIONS: '20', RATE: '50' },
  },
  'docs/operate/redaction.md': { files: { 'spans.json': { text: SPANS } } },
  'docs/score/release-gate.md': {
    files: { 'refunds.yaml': { block: 'suite: refunds', of: 'docs/score/suites.md' } },
    // The second version has a fault, and the gate finds it. Two cases are too few for limits, which stops nothing.
    codes: { 'npx assay gate v2': [1] },
  },
  'docs/score/running-agents.md': { folder: 'examples/release-gate' },
  'docs/runbooks/AssayCheckErrors.md': {
    isServed: true,
    files: { 'recorded.jsonl': RECORDED },
    replace: CONVERSATION,
  },
  'docs/score/suites.md': {
    isServed: true,
    files: {
      'recorded.jsonl': RECORDED,
      'assay.yaml': { text: 'suites: [default, ./refunds.yaml]\n' },
    },
    // A changed copy of the suite above.
    replace: { 'suites/refunds-2.yaml': 'refunds.yaml' },
  },
  'docs/reference/packs.md': { files: { 'recorded.jsonl': RECORDED } },
  'docs/score/system-prompt-as-a-suite.md': {
    folder: 'examples/system-prompt-as-a-suite',
    files: { 'recorded.jsonl': RECORDED },
  },
  'docs/score/estimate.md': {
    isServed: true,
    files: {
      'readings.csv': { text: 'conversation_id,answer\ngood,good\nlucky,bad\nslow,good\n' },
      'refunds.csv': { text: 'conversation_id,refund\nlucky,0\n' },
      'recorded.jsonl': RUNS,
      'scores.json': { text: JSON.stringify(SCORES) },
    },
    replace: { 'agent shop': 'agent support', 'agent=shop': 'agent=support' },
  },
  'docs/score/failures.md': {
    isServed: true,
    files: { 'readings.csv': { text: 'conversation_id,answer,kind\ngood,good,\nlucky,bad,luck\n' } },
    replace: { 'agent=shop': 'agent=support' },
  },
  'docs/score/validity.md': {
    isServed: true,
    // Outcomes of the conversations that the service has, by an agent of another name.
    files: { 'served.csv': { text: 'conversation_id,csat\ngood,5\nlucky,1\nslow,4\n' } },
    replace: { 'labels import csat.csv': 'labels import served.csv', 'agent shop': 'agent support' },
  },
};
