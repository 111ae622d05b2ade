/**
 * Reads the fields of any OpenTelemetry span: its service, where it ran, how it ended. Asked last, since a dialect
 * knows better.
 */
import type { Evidence, EventView } from '../evidence.ts';
import { attributeFinder } from '../attribute-finder.ts';
import type { Dialect, Finder } from '../dialect.ts';
import type { AttributeValue } from '../../model/attribute-value.ts';
import type { StepError } from '../../model/step.ts';
import { asText, rows } from '../rows.ts';

/** Type of an error that has none (OTel semantic conventions, `error.type`). */
export const UNTYPED_ERROR = '_OTHER';

const EXCEPTION_EVENTS: ReadonlySet<string> = new Set([
  'exception',
  'gen_ai.client.operation.exception',
  'gen_ai.execute_tool.exception',
]);

export const otel: Dialect = {
  name: 'otel',
  rows: [
    ...rows('conversationId', asText, ['session.id']),
    ...rows('userId', asText, ['user.id', 'enduser.id', 'enduser.pseudo.id']),
    ...rows('errorType', asText, ['error.type']),
    ...rows('errorMessage', asText, ['error.message']),
    ...rows('environment', asText, ['deployment.environment.name', 'deployment.environment']),
  ],
  resourceRows: [
    ...rows('serviceName', asServiceName, ['service.name']),
    ...rows('agentVersion', asText, ['gen_ai.agent.version', 'service.version']),
    ...rows('environment', asText, ['deployment.environment.name', 'deployment.environment']),
  ],
  error: [
    { rule: 'status', find: statusError },
    attributeFinder('error.type', attributeError),
    { rule: 'exception', find: exceptionError },
  ],
};

/** `unknown_service:node` is what SDKs say where nobody named the service. */
function asServiceName(value: AttributeValue): string | undefined {
  const name = asText(value);
  return name?.startsWith('unknown_service') === true ? undefined : name;
}

function statusError(evidence: Evidence): StepError | undefined {
  if (evidence.status !== 'error') return undefined;
  const { span } = evidence;
  const exception = lastException(evidence);
  return {
    type: span.attributes.text('error.type') ?? exception?.type ?? UNTYPED_ERROR,
    message: span.statusMessage || exception?.message || span.attributes.text('error.message') || '',
    source: 'status',
  };
}

function attributeError(evidence: Evidence): StepError | undefined {
  const type = evidence.span.attributes.text('error.type');
  if (type === undefined || type === '') return undefined;
  const message = evidence.span.attributes.text('error.message') ?? lastException(evidence)?.message ?? '';
  return { type, message, source: 'error.type' };
}

/** An exception recorded on a span that says OK was handled; on any other it is how the span ended. */
function exceptionError(evidence: Evidence): StepError | undefined {
  if (evidence.status === 'ok') return undefined;
  const exception = lastException(evidence);
  return exception === undefined ? undefined : { ...exception, source: 'exception' };
}

export const exceptionFinder = { rule: 'exception', find: lastException } satisfies Finder<unknown>;

interface RecordedException {
  readonly type: string;
  readonly message: string;
}

function lastException(evidence: Evidence): RecordedException | undefined {
  let last: RecordedException | undefined;
  evidence.someEvent((event) => {
    if (EXCEPTION_EVENTS.has(event.name)) last = exceptionOf(event) ?? last;
    return false;
  });
  return last;
}

function exceptionOf(event: EventView): RecordedException | undefined {
  const type = text(event.get('exception.type'));
  const message = text(event.get('exception.message'));
  return type === '' && message === '' ? undefined : { type: type || UNTYPED_ERROR, message };
}

function text(value: AttributeValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
