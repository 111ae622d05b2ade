/**
 * The scheduling agent as `assay run --agent examples/release-gate/agent.ts` calls it: a function that takes a turn and
 * returns the answer. The OpenTelemetry SDK is set up once, as in production; it sends its spans to
 * OTEL_EXPORTER_OTLP_ENDPOINT.
 *
 *   EXAMPLE_AGENT_VERSION        the version that the agent reports (v1)
 *   EXAMPLE_AGENT_REGRESS        faults, as in `--regress` of the scheduling agent: wrong-time,loop (none)
 *   EXAMPLE_AGENT_REGRESS_RATE   the share of conversations that go wrong (0.5)
 *
 * The seed of the run decides which conversations go wrong: the same seed, the same conversations.
 */
import { inConversation } from '../../src/instrument/instrument.ts';
import { SchedulingAgent } from '../scheduling-agent/agent.ts';
import { type Busy, Calendar } from '../scheduling-agent/calendar.ts';
import { chooseFault, parseFault } from '../scheduling-agent/faults.ts';
import { seededRandom } from '../scheduling-agent/random.ts';
import { ScriptedModel } from '../scheduling-agent/scripted-model.ts';
import { startTelemetry } from '../scheduling-agent/telemetry.ts';

/** The fields used here of the input from `assay run`. */
interface Turn {
  readonly conversation_id: string;
  readonly seed: number;
  readonly turn: number;
  readonly of: number;
  /** The first turn has the calendars. Later ones are texts. */
  readonly input: string | { readonly text: string; readonly user: string; readonly calendar: readonly Busy[] };
}

const MODEL_LATENCY_MS = 5;
const FIRST_MEETING_NUMBER = 400;
const {
  EXAMPLE_AGENT_VERSION: version = 'v1',
  EXAMPLE_AGENT_REGRESS: regress = '',
  EXAMPLE_AGENT_REGRESS_RATE: rate = '0.5',
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint = 'http://127.0.0.1:4318',
} = process.env;
const faults = regress.split(',').filter(Boolean).map(parseFault);
const faultRate = Number(rate);

startTelemetry({ endpoint, version, environment: 'test' });

const conversations = new Map<string, SchedulingAgent>();

export async function agent(turn: Turn): Promise<string> {
  const { conversation_id: id, input } = turn;
  const scheduling = conversations.get(id) ?? begin(turn);
  const isLast = turn.turn === turn.of;
  if (isLast) conversations.delete(id);
  else conversations.set(id, scheduling);
  const text = typeof input === 'string' ? input : input.text;
  return await inConversation({ id }, () => scheduling.answer(text, { isLast }));
}

function begin({ seed, input }: Turn): SchedulingAgent {
  if (typeof input === 'string') throw new TypeError('the first turn was expected to bring the calendars');
  const calendar = new Calendar(input.calendar, FIRST_MEETING_NUMBER);
  const fault = chooseFault(seededRandom(seed, 1), {
    faults,
    rate: faultRate,
    hasConflict: input.calendar.some(({ person, time }) => input.text.includes(person) && asksFor(input.text, time)),
  });
  const model = new ScriptedModel({ random: seededRandom(seed, 2), fault, latencyMs: MODEL_LATENCY_MS });
  return new SchedulingAgent({ model, calendar, version, userId: input.user });
}

function asksFor(text: string, time: string): boolean {
  return text.includes(`${time.slice(0, 10)} at ${time.slice(11)}`);
}
