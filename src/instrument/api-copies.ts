/**
 * Notices a second copy of `@opentelemetry/api`. The SDK registers itself with its own copy, under a name in `globalThis`. A copy of a
 * later minor version refuses that registration, and then every call to it does nothing, without a word: its own log
 * goes the same way. An older copy accepts it, so that nothing is lost.
 *
 * Asked at each call, because the SDK may be started after this module is loaded.
 */
import { type TracerProvider, trace } from '@opentelemetry/api';

/** Name of the registration; its number is the major version of the API. */
const REGISTRATION = Symbol.for('opentelemetry.js.api.1');

interface Registration {
  readonly version?: string;
  readonly trace?: TracerProvider;
}

let hasWarned = false;

/** Warns once if what is recorded here does not reach the SDK. */
export function warnOfSecondApi(): void {
  if (hasWarned) return;
  // The cast holds for every copy of the API of this major version.
  const registered = (globalThis as { readonly [REGISTRATION]?: Registration })[REGISTRATION];
  if (registered?.trace === undefined || trace.getTracerProvider() === registered.trace) return;
  hasWarned = true;
  warn(
    `assay/instrument records nothing: it loads another copy of @opentelemetry/api than the OpenTelemetry SDK, which registered version ${registered.version}; find the copies with \`npm ls @opentelemetry/api\` and keep one, for example with \`npm install @opentelemetry/api@${registered.version} && npm dedupe\``,
  );
}

/**
 * Warns through Node's warnings, which go to standard error unless the application listens; elsewhere on the console.
 */
function warn(message: string): void {
  const { process } = globalThis as { readonly process?: { emitWarning?(text: string, type: string): void } };
  if (typeof process?.emitWarning === 'function') process.emitWarning(message, 'AssayWarning');
  else console.warn(message);
}
