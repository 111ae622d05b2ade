/** Settings of the page in the browser. */
import { z } from 'zod';
import { TEMPLATE_EXPECTED, templateMistake } from '../model/trace-link.ts';
import { section } from './section.ts';
import { setting } from './setting.ts';

/** Empty is none. */
const template = z
  .string(TEMPLATE_EXPECTED)
  .superRefine((given, context) => {
    const mistake = given === '' ? undefined : templateMistake(given);
    if (mistake !== undefined) context.addIssue({ code: 'custom', message: mistake });
  })
  .transform((given) => (given === '' ? undefined : given));

export const PAGE = section('reload', 'The page in the browser (page.md).', {
  traceUrl: setting(
    {
      key: 'page.trace_url',
      variable: 'ASSAY_PAGE_TRACE_URL',
      example: 'https://tempo.example/trace/{trace_id}?span={span_id}',
    },
    'Address of a trace in your own backend; the page links turns and steps to it.',
    template,
  ),
});
