/**
 * An agent that is a function of a module. It runs in a process of its own, which is kept from run to run, so that the
 * SDK is set up once. If a run does not end, or ends the process, the next run starts a new one.
 *
 *   (none)  -- run ------------------------------------> loading
 *   loading -- the function is there ------------------> idle
 *   loading -- it is not, or the process ends ---------> (none): the run failed, unreachable
 *   idle    -- turn -----------------------------------> busy
 *   busy    -- answer ---------------------------------> idle
 *   busy    -- error ----------------------------------> idle: the run failed
 *   busy    -- the process ends -----------------------> (none): the run failed
 *   any     -- the signal -----------------------------> (none): the run was interrupted
 */
import { fileURLToPath } from 'node:url';
import type { Json } from '../model/json.ts';
import { type AgentEnd, type AgentPlace, errorIn, type GivenRun, requestJson, type SpansThen } from './agent.ts';
import { agentEnvironment, runEnvironment } from './agent-environment.ts';
import { OutputTail, withLastWords } from './kept-output.ts';
import type { FromModule, ToModule } from './module-protocol.ts';
import { ProcessGroup } from './process-group.ts';

interface ModuleOptions {
  readonly file: string;
  readonly exported: string;
  readonly cwd: string;
  readonly environment: { readonly [name: string]: string | undefined };
}

type Heard = FromModule | { readonly is: 'gone'; readonly because: string } | { readonly is: 'interrupted' };

const LAST_WORDS_WITHIN_MS = 500;
const SUFFIX = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const CHILD = fileURLToPath(new URL(`./module-child.${SUFFIX}`, import.meta.url));

export class ModuleAgent implements AgentPlace {
  readonly #options: ModuleOptions;
  #process: ModuleProcess | undefined;
  #calls = 0;

  constructor(options: ModuleOptions) {
    this.#options = options;
  }

  async run(given: GivenRun, signal: AbortSignal): Promise<AgentEnd> {
    const answers: Json[] = [];
    if (this.#process?.isAlive !== true) {
      const started = new ModuleProcess(this.#options, given);
      this.#process = started;
      const heard = await started.receive(signal);
      if (heard.is !== 'ready') return await this.#lost(started, heard, answers, { isUnreachable: true });
    }
    const running = this.#process;
    running.output.clear();
    let spans: SpansThen = 'awaited';
    for (let turn = 1; turn <= given.turns.length; turn++) {
      this.#calls += 1;
      running.tell({ call: this.#calls, request: requestJson(given, turn), environment: runEnvironment(given) });
      const heard = await running.receive(signal);
      if (heard.is === 'failed') {
        spans = heard.isFlushed ? 'sent' : 'awaited';
        return { ended: 'failed', answers, problem: `it threw ${heard.because}`, isUnreachable: false, spans };
      }
      if (heard.is !== 'answered') return await this.#lost(running, heard, answers, { isUnreachable: false });
      spans = heard.isFlushed ? 'sent' : 'awaited';
      answers.push(heard.answer);
      const error = errorIn(heard.answer);
      if (error !== undefined) {
        const problem = `it answered with an error: ${error}`;
        return { ended: 'failed', answers, problem, isUnreachable: false, spans };
      }
    }
    return { ended: 'answered', answers, spans, oddity: undefined };
  }

  /** Work that a module leaves running stays in its own process, and is its own affair. */
  async clear(): Promise<string | undefined> {
    return undefined;
  }

  async stop(): Promise<void> {
    const running = this.#process;
    this.#process = undefined;
    await running?.end();
  }

  async #lost(
    lost: ModuleProcess,
    heard: Heard,
    answers: readonly Json[],
    { isUnreachable }: { readonly isUnreachable: boolean },
  ): Promise<AgentEnd> {
    this.#process = undefined;
    await lost.end();
    if (heard.is === 'interrupted') {
      return { ended: 'interrupted', answers, lastSaid: lost.output.text(), spans: 'lost' };
    }
    const because = heard.is === 'gone' || heard.is === 'not-loaded' ? heard.because : `it sent "${heard.is}" unasked`;
    const problem = isUnreachable ? `${this.#options.file} could not be loaded: ${because}` : because;
    return { ended: 'failed', answers, problem: withLastWords(problem, lost.output), isUnreachable, spans: 'lost' };
  }
}

class ModuleProcess {
  readonly output = new OutputTail();
  readonly #group: ProcessGroup;
  #isGone = false;
  #waiting: ((heard: Heard) => void) | undefined;
  /** Messages that came while nobody asked. */
  readonly #unheard: Heard[] = [];

  constructor({ file, exported, cwd, environment }: ModuleOptions, given: GivenRun) {
    const env = agentEnvironment(given, environment);
    this.#group = new ProcessGroup(process.execPath, [CHILD, file, exported], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const { child } = this.#group;
    child.stdout?.on('data', (chunk: Buffer) => this.output.add(chunk));
    child.stderr?.on('data', (chunk: Buffer) => this.output.add(chunk));
    child.on('message', (message) => this.#heard(message as FromModule));
    child.on('error', (error) => this.#gone(`its process could not be started: ${error.message}`));
    // Not at `exit`: what it said last comes after that.
    const gone = (code: number | null, signal: string | null) =>
      this.#gone(`its process ended ${signal === null ? `with exit code ${code}` : `by ${signal}`}`);
    child.on('close', gone);
    // Work that it left running may hold its output open.
    child.on('exit', (code, signal) => setTimeout(gone, LAST_WORDS_WITHIN_MS, code, signal));
  }

  get isAlive(): boolean {
    return !this.#isGone;
  }

  tell(message: ToModule): void {
    // A child that has ended is reported by `close`.
    this.#group.child.send(message, () => undefined);
  }

  /** Resolves with its next message, or when it is gone. */
  async receive(signal: AbortSignal): Promise<Heard> {
    const known = this.#unheard.shift();
    if (known !== undefined) return known;
    if (signal.aborted) return { is: 'interrupted' };
    const { promise, resolve } = Promise.withResolvers<Heard>();
    this.#waiting = resolve;
    const interrupt = () => resolve({ is: 'interrupted' });
    signal.addEventListener('abort', interrupt, { once: true });
    const heard = await promise;
    this.#waiting = undefined;
    signal.removeEventListener('abort', interrupt);
    return heard;
  }

  end(): Promise<void> {
    return this.#group.end();
  }

  #gone(because: string): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#heard({ is: 'gone', because });
  }

  #heard(heard: Heard): void {
    if (this.#waiting === undefined) this.#unheard.push(heard);
    else this.#waiting(heard);
    this.#waiting = undefined;
  }
}
