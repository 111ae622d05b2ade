/**
 * Answers of the API that were recorded once, so that a view has the same to show on every machine and at any time. The
 * clock of the browser stands at the time of the recording.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page, Route } from 'playwright-core';
import { boxFont } from './box-font.ts';

const FILE = path.join(import.meta.dirname, 'answers.golden.json');

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

export interface Recording {
  readonly at: string;
  /** A conversation that failed. */
  readonly failed: string;
  /** By path and query. */
  readonly answers: Record<string, Answer>;
}

export function readRecording(): Recording {
  if (!existsSync(FILE)) throw new Error(`${FILE} is missing: ASSAY_TEST_PICTURES=record makes it`);
  // The cast holds: `writeRecording` wrote it.
  return JSON.parse(readFileSync(FILE, 'utf8')) as Recording;
}

export function writeRecording(recording: Recording): void {
  const answers = Object.entries(recording.answers).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const lines = answers.map(([key, answer]) => `${JSON.stringify(key)}: ${JSON.stringify(answer)}`);
  const head = `"at": ${JSON.stringify(recording.at)},\n"failed": ${JSON.stringify(recording.failed)}`;
  writeFileSync(FILE, `{\n${head},\n"answers": {\n${lines.join(',\n')}\n}\n}\n`);
}

const isOfApi = ({ pathname }: URL): boolean => /^\/(?:api|v1)\//.test(pathname);

interface HowToAnswer {
  /** Answers that replace all others, by path. */
  readonly played: Readonly<Record<string, object>>;
  /** Undefined fails the request. */
  readonly answer: (route: Route, key: string) => Promise<Answer | undefined> | Answer | undefined;
}

/** Asks the service, and keeps its answer in the recording. */
export function asking({ answers }: Recording): HowToAnswer['answer'] {
  return async (route, key) => {
    const response = await route.fetch();
    answers[key] = { status: response.status(), body: await response.json() };
    return answers[key];
  };
}

/** Gives the recorded answer; questions that have none are added to `unanswered`. */
export function replaying({ answers }: Recording, unanswered: string[]): HowToAnswer['answer'] {
  return (_route, key) => {
    const found = answers[key] ?? answerOfPath(answers, key);
    if (found === undefined) unanswered.push(key);
    return found;
  };
}

/** Questions of the page are answered here; only its files come from the service. The clock stands still. */
export async function standStill(page: Page, { at }: Recording, { played, answer }: HowToAnswer): Promise<void> {
  await page.clock.setFixedTime(at);
  await page.addInitScript("localStorage.setItem('assay.labeller', 'ana')");
  await useBoxes(page);
  await page.route(isOfApi, async (route) => {
    const { pathname, search } = new URL(route.request().url());
    const body = played[pathname];
    const given = body === undefined ? await answer(route, pathname + search) : { status: 200, body };
    if (given === undefined) return route.abort();
    // The page compares the browser's clock with that of the service.
    const headers = { 'content-type': 'application/json', date: new Date(at).toUTCString() };
    return route.fulfill({ status: given.status, headers, body: JSON.stringify(given.body) });
  });
}

/** A page may learn to ask for more or less: without an answer to the very question, the first one of its path serves. */
function answerOfPath(answers: Recording['answers'], key: string): Answer | undefined {
  const [asked] = key.split('?');
  return Object.entries(answers).find(([path]) => path.split('?')[0] === asked)?.[1];
}

/** Texts are in boxes. */
async function useBoxes(page: Page): Promise<void> {
  await page.route('**/page/boxes.ttf', (route) => route.fulfill({ contentType: 'font/ttf', body: boxFont() }));
  await page.route('**/page/page.css*', async (route) => {
    const sheet = await (await route.fetch()).text();
    const face = '@font-face { font-family: boxes; src: url("/page/boxes.ttf"); font-weight: 100 900; }';
    await route.fulfill({ contentType: 'text/css', body: `${sheet}${face} :root { --sans: boxes; --mono: boxes; }` });
  });
}
