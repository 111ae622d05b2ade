/**
 * The process in which a module runs: loads it, calls its function for each turn, and lets its exporter send what there is before it
 * says that the turn is over. Started as `module-child.ts <file> <export>`; ends when the one who started it is gone.
 */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { Json } from '../model/json.ts';
import type { FromModule, ToModule } from './module-protocol.ts';

const FLUSH_WITHIN_MS = 5_000;

const [, , file = '', exported = ''] = process.argv;

// Work of the module must not outlive the process that waits for it.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

const agent = await load();
if (agent !== undefined) {
  process.on('message', (message: ToModule) => void answer(agent, message));
  tell({ is: 'ready' });
}

type Agent = (request: unknown) => unknown;

async function load(): Promise<Agent | undefined> {
  try {
    // The content of a module is unknown.
    const module = (await import(pathToFileURL(file).href)) as { readonly [name: string]: unknown };
    const found = module[exported];
    if (typeof found === 'function') return found as Agent;
    const functions = Object.keys(module).filter((name) => typeof module[name] === 'function');
    const there = functions.length === 0 ? 'no function' : `the function ${functions.join(', ')}`;
    tell({ is: 'not-loaded', because: `it exports ${there}, and not "${exported}": name one as file#name` });
  } catch (error) {
    tell({ is: 'not-loaded', because: describe(error) });
  }
  return undefined;
}

async function answer(call: Agent, { call: number, request, environment }: ToModule): Promise<void> {
  Object.assign(process.env, environment);
  try {
    const given: unknown = await call(request);
    const isFlushed = await flush();
    tell({ is: 'answered', call: number, answer: asJson(given), isFlushed });
  } catch (error) {
    const isFlushed = await flush();
    tell({ is: 'failed', call: number, because: describe(error), isFlushed });
  }
}

/** A value that is not JSON (a cycle, a function) is an error of the agent, and thrown as one. */
function asJson(value: unknown): Json {
  const text = JSON.stringify(value);
  // The cast is what JSON.parse gives.
  return text === undefined ? null : (JSON.parse(text) as Json);
}

/** Whether the providers that the module registered have sent everything. */
async function flush(): Promise<boolean> {
  const traces = await flushed('@opentelemetry/api', (api) => api.trace?.getTracerProvider?.());
  await flushed('@opentelemetry/api-logs', (api) => api.logs?.getLoggerProvider?.());
  return traces;
}

interface Provider {
  readonly getDelegate?: () => Provider;
  readonly forceFlush?: () => Promise<void>;
}

interface Api {
  readonly trace?: { readonly getTracerProvider?: () => Provider };
  readonly logs?: { readonly getLoggerProvider?: () => Provider };
}

/**
 * Flushes the provider that the module's own copy of the API has: another version may not see what was registered here.
 */
async function flushed(api: string, providerOf: (api: Api) => Provider | undefined): Promise<boolean> {
  try {
    const provider = providerOf(createRequire(file)(api) as Api);
    const delegate = provider?.getDelegate?.() ?? provider;
    if (delegate?.forceFlush === undefined) return false;
    const { promise: tooLong, resolve } = Promise.withResolvers<false>();
    const timer = setTimeout(() => resolve(false), FLUSH_WITHIN_MS);
    const isDone = await Promise.race([delegate.forceFlush().then(() => true), tooLong]);
    clearTimeout(timer);
    return isDone;
  } catch {
    // The module has no such API, or its exporter failed: the parent waits for what still arrives.
    return false;
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

function tell(message: FromModule): void {
  process.send?.(message);
}
