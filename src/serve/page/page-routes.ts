/**
 * The routes of the page in the browser. Its files are the same for everybody and say nothing about conversations, so
 * they take no role; what the page shows comes from `/api/v1`, which asks who it is.
 */
import type { OutgoingHttpHeaders } from 'node:http';
import { PAGE_PATHS, PAGE_VIEWS, type PageView } from '../../model/page-views.ts';
import { type Answer, jsonAnswer } from '../../report/http/answer.ts';
import { type Asked, answeredFrom, type Route, read } from '../../report/http/route.ts';
import { fileAnswer } from './page-file.ts';
import { type Runbooks, readRunbooks, runbookAnswer } from './runbooks.ts';
import { type ServedPage, servePage } from './served-page.ts';

interface PageSide {
  readonly page: () => Promise<ServedPage>;
  readonly runbooks: () => Runbooks;
}

const FOREVER = 'public, max-age=31536000, immutable';
const ALWAYS_ASK = 'no-cache';

interface PageHttp {
  readonly routes: readonly Route<undefined>[];
  /** Answers a browser at `/`, where programs get the list of routes. */
  readonly home: (asked: Pick<Asked, 'request'>) => Promise<Answer>;
}

/** Reads and compresses the files when somebody first asks for one: most processes serve nobody. */
export function pageHttp(): PageHttp {
  let served: Promise<ServedPage> | undefined;
  let runbooks: Runbooks | undefined;
  const side: PageSide = {
    page: () => (served ??= servePage()),
    runbooks: () => (runbooks ??= readRunbooks()),
  };
  return { routes: answeredFrom(PAGE_ROUTES, () => side), home: (asked) => viewAnswer(side, 'overview', asked) };
}

export const PAGE_ROUTES: readonly Route<PageSide>[] = [
  ...PAGE_VIEWS.flatMap((view) => PAGE_PATHS[view].map((path) => ({ path, view })))
    .filter(({ path }) => path !== '/')
    .map(({ path, view }) =>
      read<PageSide>(path, `the page in the browser: ${view}`, (side, asked) => viewAnswer(side, view, asked), {
        takes: 'nothing',
      }),
    ),
  read('/page/{file...}', 'files of the page', (side, asked) => sentFile(side, '/page/', asked), { takes: 'nothing' }),
  read('/model/{file...}', 'files of the page', (side, asked) => sentFile(side, '/model/', asked), {
    takes: 'nothing',
  }),
  read(
    '/runbooks/{runbook}',
    'what to do about an alert, by its name and .md',
    ({ runbooks }, { parameters }) => runbookAnswer(runbooks(), parameters.get('runbook') ?? ''),
    { takes: 'nothing' },
  ),
];

async function viewAnswer(
  { page }: Pick<PageSide, 'page'>,
  view: PageView,
  { request }: Pick<Asked, 'request'>,
): Promise<Answer> {
  const { documents, policy } = await page();
  const document = documents.get(view);
  if (document === undefined) throw new Error(`the page has no document for ${view}`);
  return fileAnswer(document, request, { ...safely(ALWAYS_ASK), 'content-security-policy': policy });
}

/** Found by its name in the list of what there is: no path of the request reaches the file system. */
async function sentFile({ page }: PageSide, folder: string, { parameters, query, request }: Asked): Promise<Answer> {
  const address = `${folder}${parameters.get('file') ?? ''}`;
  const file = (await page()).files.get(address);
  if (file === undefined) return jsonAnswer(404, { error: `the page has no file ${address.slice(0, 200)}` });
  return fileAnswer(file, request, safely(query.get('v') === file.version ? FOREVER : ALWAYS_ASK));
}

function safely(caching: string): OutgoingHttpHeaders {
  return {
    'cache-control': caching,
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
  };
}
