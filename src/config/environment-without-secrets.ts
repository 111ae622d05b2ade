/**
 * The environment for programs of others, such as an agent under test: without what Assay alone should know. These are
 * Assay's own variables (`ASSAY_…`), those that a setting names (`api_key_env`, `url_env`, …), and those that hold a
 * secret of the configuration under another name.
 *
 * The usual key of a provider stays, although a judge may use it: agents need it, and a judge that must not share a key
 * has one of its own by `api_key_file` or `api_key_env`.
 */
import type { Variables } from './sources.ts';

const OWN = /^ASSAY_/i;
const USUAL_KEYS: ReadonlySet<string> = new Set(['OPENAI_API_KEY', 'ANTHROPIC_API_KEY']);
/** Names of settings and of Assay's own variables. Addresses are secret where they are webhooks, or hold a password. */
const SECRET_NAME = /apikey|password|secret|token|salt|headers|webhooks/i;
const HAS_PASSWORD = /:\/\/[^/@]*:[^/@]*@/;
/** Anything shorter is more likely to be a word. */
const SECRET_LENGTH_MIN = 8;

export function environmentWithoutSecrets(
  env: Variables,
  { settings, secretVariables }: { readonly settings: object; readonly secretVariables: readonly string[] },
): Variables {
  const own = Object.entries(env).flatMap(([name, value = '']) =>
    OWN.test(name) && SECRET_NAME.test(name) ? [value] : [],
  );
  const secrets = [...secretsIn(settings), ...own].filter((secret) => secret.length >= SECRET_LENGTH_MIN);
  const isSecret = (name: string, value: string) =>
    OWN.test(name) ||
    secretVariables.includes(name) ||
    (!USUAL_KEYS.has(name) && secrets.some((secret) => value.trim() === secret));
  return Object.fromEntries(
    Object.entries(env).filter(([name, value]) => value === undefined || !isSecret(name, value)),
  );
}

/** Names in the file's settings that end in `_env`: each names a variable with a secret. */
export function secretVariablesIn(written: unknown): readonly string[] {
  if (typeof written !== 'object' || written === null) return [];
  return Object.entries(written).flatMap(([key, value]: [string, unknown]) =>
    typeof value === 'string' ? (key.endsWith('_env') ? [value] : []) : secretVariablesIn(value),
  );
}

function* secretsIn(value: unknown, isSecret = false): Generator<string> {
  if (typeof value === 'string' && (isSecret || HAS_PASSWORD.test(value))) yield value;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) yield* secretsIn(member, isSecret || SECRET_NAME.test(key));
}
