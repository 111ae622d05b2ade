/** The span to look at for a call: its own, else that of the model call which asked for it. */
import type { SpanId } from '../../model/ids.ts';
import type { ToolCall } from '../../model/turn.ts';

export function callSpan({ spanId, requestedBy }: Pick<ToolCall, 'spanId' | 'requestedBy'>): SpanId | undefined {
  return spanId ?? requestedBy;
}
