/**
 * A comment on the pull request (GitHub) or merge request (GitLab) that a CI job is for. There is one for each gate: the
 * next run replaces its words, so that a long discussion is not full of them.
 */
import { readFileSync } from 'node:fs';
import { z } from 'zod';

type Environment = Readonly<Record<string, string | undefined>>;

interface Commented {
  /** A sentence for the log of the job. */
  readonly said: string;
}

/** API of a forge for comments, and the change that they are for. */
interface Forge {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly list: string;
  /** Address of a comment that is there. */
  readonly of: (id: number) => string;
  readonly replaces: 'PATCH' | 'PUT';
}

const TIMEOUT_MS = 15_000;
/** GitHub takes 65,536 characters, and says no more than that a longer one is wrong. */
const CHARACTERS_MAX = 60_000;
const PER_PAGE = 100;
const PAGES_MAX = 10;

const comments = z.array(z.object({ id: z.number().int(), body: z.string().nullish() }));
const written = z.object({ html_url: z.string().optional() });
const event = z.object({ pull_request: z.object({ number: z.number().int() }).optional() });

/** Throws with a reason for people where the comment cannot be written. */
export async function commentOnChange(markdown: string, gate: string, environment: Environment): Promise<Commented> {
  const forge = forgeOf(environment);
  if (forge === undefined) return { said: 'no comment: this job is not for a pull request or a merge request' };
  // The gate's name is a path; nothing in it may end the comment of HTML.
  const marker = `<!-- assay gate: ${gate.replaceAll(/[^\w./-]/g, '_').replaceAll('--', '__')} -->`;
  const body = `${marker}\n${shortened(markdown)}`;
  const known = await findComment(forge, marker);
  const answer =
    known === undefined
      ? await ask(forge, forge.list, { method: 'POST', body })
      : await ask(forge, forge.of(known), { method: forge.replaces, body });
  const { html_url: address } = written.parse(answer);
  return {
    said: `${known === undefined ? 'commented' : 'replaced the comment'} on the ${forge.name}${address === undefined ? '' : `: ${address}`}`,
  };
}

function forgeOf(environment: Environment): Forge | undefined {
  const { GITHUB_EVENT_PATH: eventFile, CI_MERGE_REQUEST_IID: merge } = environment;
  if (eventFile !== undefined) return gitHub(environment, eventFile);
  return merge === undefined ? undefined : gitLab(environment, merge);
}

function gitHub(environment: Environment, eventFile: string): Forge | undefined {
  const { pull_request: pull } = event.parse(JSON.parse(readFileSync(eventFile, 'utf8')));
  if (pull === undefined) return undefined;
  const token = needed(environment, 'GITHUB_TOKEN', 'with `permissions: pull-requests: write`');
  const issues = `${needed(environment, 'GITHUB_API_URL')}/repos/${needed(environment, 'GITHUB_REPOSITORY')}/issues`;
  return {
    name: 'pull request',
    headers: { authorization: `Bearer ${token}`, accept: 'application/vnd.github+json' },
    list: `${issues}/${pull.number}/comments`,
    of: (id) => `${issues}/comments/${id}`,
    replaces: 'PATCH',
  };
}

function gitLab(environment: Environment, merge: string): Forge {
  const token = needed(
    environment,
    'GITLAB_TOKEN',
    'a project access token with the scope api: CI_JOB_TOKEN may not write notes',
  );
  const project = `${needed(environment, 'CI_API_V4_URL')}/projects/${needed(environment, 'CI_PROJECT_ID')}`;
  const list = `${project}/merge_requests/${encodeURIComponent(merge)}/notes`;
  return {
    name: 'merge request',
    headers: { 'private-token': token },
    list,
    of: (id) => `${list}/${id}`,
    replaces: 'PUT',
  };
}

function needed(environment: Environment, name: string, how?: string): string {
  const value = environment[name];
  if (value === undefined || value === '')
    throw new Error(`no comment: ${name} is not set${how === undefined ? '' : ` (${how})`}`);
  return value;
}

async function findComment(forge: Forge, marker: string): Promise<number | undefined> {
  for (let page = 1; page <= PAGES_MAX; page += 1) {
    const listed = comments.parse(
      await ask(forge, `${forge.list}?per_page=${PER_PAGE}&page=${page}`, { method: 'GET' }),
    );
    const found = listed.find(({ body }) => body?.startsWith(marker) === true);
    if (found !== undefined) return found.id;
    if (listed.length < PER_PAGE) return undefined;
  }
  return undefined;
}

interface Asked {
  readonly method: string;
  readonly body?: string;
}

async function ask({ name, headers }: Forge, address: string, { method, body }: Asked): Promise<unknown> {
  const response = await fetch(address, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify({ body }) }),
    // Nobody else gets the token.
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error: unknown) => {
    throw new Error(`no comment on the ${name}: ${new URL(address).host} cannot be reached`, { cause: error });
  });
  if (response.ok) return response.json();
  await response.body?.cancel();
  throw new Error(`no comment on the ${name}: ${method} ${new URL(address).pathname} answered ${response.status}`);
}

function shortened(markdown: string): string {
  if (markdown.length <= CHARACTERS_MAX) return markdown;
  const end = markdown.lastIndexOf('\n', CHARACTERS_MAX);
  return `${markdown.slice(0, end).toWellFormed()}\n\nThe rest does not fit into a comment: the job's log has all of it.\n`;
}
