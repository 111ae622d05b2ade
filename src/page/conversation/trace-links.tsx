/** Links to the same turn or step in the team's own backend of traces. The page loads nothing from there. */
import { type LinkedPlace, linksSpans, traceLink } from '../../model/trace-link.ts';

interface OpenTraceProps {
  readonly template: string | undefined;
  readonly of: 'turn' | 'step';
  readonly place: LinkedPlace;
}

export function OpenTrace({ template, of, place }: OpenTraceProps) {
  const link = template === undefined ? undefined : traceLink(template, place);
  if (template === undefined || link === undefined) return null;
  const what = of === 'step' && linksSpans(template) ? 'span' : 'trace';
  return (
    <a
      class="open-trace"
      href={link}
      target="_blank"
      rel="noreferrer"
      title={`Open this ${what} in your tracing backend`}
    >{`open ${what}\u00a0↗`}</a>
  );
}
