/** `GET /api/v1/export`: what the filters of the list find, as a file. A thread of its own reads it. */
import { exportedLine, exportQuery } from '../../api/export.ts';
import { mistakesAnswer } from '../../report/http/answer.ts';
import { type Route, read } from '../../report/http/route.ts';
import { EXPORT_PATH, type Exports } from './exports.ts';
import { givenIn } from '../api/v1/v1-read.ts';

export interface ExportApi {
  readonly exports: Pick<Exports, 'answer'>;
}

export const EXPORT_ROUTES: readonly Route<ExportApi>[] = [
  {
    ...read(
      EXPORT_PATH,
      `?table=conversations|evaluations|verdicts &format=jsonl|parquet and the filters of /api/v1/conversations:
all that they find, as lines of JSON or as a Parquet file: docs/reference/export.md`,
      async ({ exports }: ExportApi, { query: asked, request, client }) => {
        const given = givenIn(asked, exportQuery);
        const parsed = exportQuery.safeParse(given);
        if (!parsed.success) return mistakesAnswer('query', parsed.error, given);
        const isHead = request.method === 'HEAD';
        return exports.answer(parsed.data, { isHead, signal: client.gone });
      },
    ),
    shapes: { query: exportQuery, answer: exportedLine, type: 'application/jsonl' },
  },
];
