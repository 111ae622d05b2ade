/** Settings of the page in the browser. */
import { z } from 'zod';
import { DASHBOARD_TEMPLATE_EXPECTED, dashboardTemplateMistake } from '../model/dashboard-link.ts';
import { TRACE_TEMPLATE_EXPECTED, traceTemplateMistake } from '../model/trace-link.ts';
import { section } from './section.ts';
import { setting } from './setting.ts';

/** Empty is none. */
function template(expected: string, mistakeIn: (given: string) => string | undefined) {
  return z
    .string(expected)
    .superRefine((given, context) => {
      const mistake = given === '' ? undefined : mistakeIn(given);
      if (mistake !== undefined) context.addIssue({ code: 'custom', message: mistake });
    })
    .transform((given) => (given === '' ? undefined : given));
}

export const PAGE = section('reload', 'The page in the browser (page.md).', {
  traceUrl: setting(
    {
      key: 'page.trace_url',
      variable: 'ASSAY_PAGE_TRACE_URL',
      example: 'https://tempo.example/trace/{trace_id}?span={span_id}',
    },
    'Address of a trace in your own backend; the page links turns and steps to it.',
    template(TRACE_TEMPLATE_EXPECTED, traceTemplateMistake),
  ),
  dashboardUrl: setting(
    {
      key: 'page.dashboard_url',
      variable: 'ASSAY_PAGE_DASHBOARD_URL',
      example: 'https://grafana.example/d/assay-quality?var-suite={suite}&var-agent={agent}&from={from_ms}&to={to_ms}',
    },
    'Address of your dashboard; the overview links to it.',
    template(DASHBOARD_TEMPLATE_EXPECTED, dashboardTemplateMistake),
  ),
});
