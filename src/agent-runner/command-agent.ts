/**
 * An agent that is a command: started once for each run, with the run as JSON on its standard input. Its standard
 * output is the answer, as JSON or as text; its standard error is kept in case it fails.
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Json, tryParseJson } from '../model/json.ts';
import { type AgentEnd, type AgentPlace, errorIn, type GivenRun, requestJson } from './agent.ts';
import { agentEnvironment } from './agent-environment.ts';
import { OutputStart, OutputTail, withLastWords } from './kept-output.ts';
import { ProcessGroup } from './process-group.ts';

const ANSWER_BYTES_MAX = 8 << 20;
/** A process that it left behind may hold its output open; what it said itself is there by then. */
const OUTPUT_WITHIN_MS = 500;
/** Exit code of shells for a command that does not exist. */
const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;

interface CommandOptions {
  readonly command: string;
  readonly cwd: string;
  readonly environment: { readonly [name: string]: string | undefined };
}

export class CommandAgent implements AgentPlace {
  readonly #options: CommandOptions;
  #group: ProcessGroup | undefined;

  constructor(options: CommandOptions) {
    this.#options = options;
  }

  async run(given: GivenRun, signal: AbortSignal): Promise<AgentEnd> {
    if (signal.aborted) return { ended: 'interrupted', answers: [], lastSaid: '', spans: 'lost' };
    const { command, cwd, environment } = this.#options;
    const env = agentEnvironment(given, environment);
    const group = new ProcessGroup(command, [], { shell: true, cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
    this.#group = group;
    const { child } = group;
    const answer = new OutputStart(ANSWER_BYTES_MAX);
    const complaints = new OutputTail();
    child.stdout?.on('data', (chunk: Buffer) => answer.add(chunk));
    child.stderr?.on('data', (chunk: Buffer) => complaints.add(chunk));
    // A command that does not read its input may close it: that is no error.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(`${JSON.stringify(requestJson(given, 1))}\n`);
    const closed = once(child, 'close').catch(() => undefined);
    const ended = await Promise.race([exitOf(group), abortOf(signal)]);
    switch (ended.is) {
      case 'interrupted':
        await group.end();
        return { ended: 'interrupted', answers: [], lastSaid: complaints.text(), spans: 'lost' };
      case 'not-started': {
        const problem = `it could not be started: ${ended.because}`;
        return { ended: 'failed', answers: [], problem, isUnreachable: true, spans: 'lost' };
      }
      case 'exit': {
        await Promise.race([closed, sleep(OUTPUT_WITHIN_MS, undefined, { ref: false })]);
        const answers = answersIn(answer);
        const problem = problemOf(ended, answers);
        if (problem === undefined) {
          const oddity = answer.isCut
            ? `its answer was cut: it had more than ${ANSWER_BYTES_MAX >> 20} MiB`
            : undefined;
          return { ended: 'answered', answers, spans: 'awaited', oddity };
        }
        const isUnreachable = ended.code === NOT_FOUND || ended.code === NOT_EXECUTABLE;
        return { ended: 'failed', answers, problem: withLastWords(problem, complaints), isUnreachable, spans: 'lost' };
      }
    }
  }

  async clear(): Promise<string | undefined> {
    const group = this.#group;
    this.#group = undefined;
    if (group?.isAlive !== true) return undefined;
    await group.end();
    return 'it left a process running, which was ended';
  }

  async stop(): Promise<void> {
    await this.clear();
  }
}

type Exit =
  | { readonly is: 'exit'; readonly code: number | null; readonly signal: string | null }
  | { readonly is: 'not-started'; readonly because: string }
  | { readonly is: 'interrupted' };

function exitOf({ child }: ProcessGroup): Promise<Exit> {
  const { promise, resolve } = Promise.withResolvers<Exit>();
  child.once('exit', (code, signal) => resolve({ is: 'exit', code, signal }));
  child.once('error', (error) => resolve({ is: 'not-started', because: error.message }));
  return promise;
}

function abortOf(signal: AbortSignal): Promise<Exit> {
  const { promise, resolve } = Promise.withResolvers<Exit>();
  signal.addEventListener('abort', () => resolve({ is: 'interrupted' }), { once: true });
  return promise;
}

function problemOf(
  { code, signal }: { readonly code: number | null; readonly signal: string | null },
  [answer]: readonly Json[],
): string | undefined {
  if (signal !== null) return `it was ended by ${signal}`;
  if (code !== 0) return `it ended with exit code ${code}`;
  const error = answer === undefined ? undefined : errorIn(answer);
  return error === undefined ? undefined : `it answered with an error: ${error}`;
}

/** JSON, or else JSON on the last line behind what was logged, or else the text. */
function answersIn(output: OutputStart): readonly Json[] {
  const text = output.text().trim();
  if (text === '') return [];
  const lastLine = text.slice(text.lastIndexOf('\n') + 1).trim();
  // Output that is not JSON is a text.
  return [tryParseJson(text) ?? (lastLine.startsWith('{') ? tryParseJson(lastLine) : undefined) ?? text];
}
