import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { commentOnChange } from '../../src/cli/comment-on-change.ts';
import { tempDirectory } from '../temp-directory.ts';
import { startForge } from './forge.ts';

function gitHub(url: string, event: unknown = { pull_request: { number: 7 } }) {
  const file = path.join(tempDirectory(), 'event.json');
  writeFileSync(file, JSON.stringify(event));
  return { GITHUB_EVENT_PATH: file, GITHUB_API_URL: url, GITHUB_REPOSITORY: 'o/r', GITHUB_TOKEN: 'secret' };
}
const gitLab = (url: string) => ({
  ...{ CI_MERGE_REQUEST_IID: '7', CI_API_V4_URL: url, CI_PROJECT_ID: '3', GITLAB_TOKEN: 'secret' },
});

test.each([
  ['GitHub', gitHub, 'POST /repos/o/r/issues/7/comments', 'PATCH /repos/o/r/issues/comments/1', 'Bearer secret'],
  ['GitLab', gitLab, 'POST /projects/3/merge_requests/7/notes', 'PUT /projects/3/merge_requests/7/notes/1', 'secret'],
] as const)('%s: one comment for each gate, whose words the next run replaces', async (_, of, post, replace, token) => {
  const forge = await startForge();

  expect((await commentOnChange('**Worse.**', 'gate.yaml', of(forge.url))).said).toMatch(/^commented on the/);
  expect((await commentOnChange('Fine.', 'other/gate.yaml', of(forge.url))).said).toMatch(/^commented on the/);
  expect((await commentOnChange('Better.', 'gate.yaml', of(forge.url))).said).toMatch(/^replaced the comment on the/);

  expect([...forge.comments.values()]).toEqual([
    '<!-- assay gate: gate.yaml -->\nBetter.',
    '<!-- assay gate: other/gate.yaml -->\nFine.',
  ]);
  expect(forge.asked.filter((one) => !one.startsWith('GET'))).toEqual([
    `${post} ${token}`,
    `${post} ${token}`,
    `${replace} ${token}`,
  ]);
});

test('its comment is found behind those of others, however many there are', async () => {
  const forge = await startForge();
  for (let id = 1; id <= 250; id += 1) forge.comments.set(id, 'Looks good. <!-- assay gate: gate.yaml -->');
  forge.comments.set(251, '<!-- assay gate: gate.yaml -->\nWorse.');

  await commentOnChange('Fine.', 'gate.yaml', gitHub(forge.url));

  expect(forge.comments.size).toBe(251);
  expect(forge.comments.get(251)).toBe('<!-- assay gate: gate.yaml -->\nFine.');
});

test('a name cannot end the mark, and a long text is cut at a line and says so', async () => {
  const forge = await startForge();
  await commentOnChange(`${'row\n'.repeat(40_000)}END`, 'a--> <b>', gitHub(forge.url));
  const [body = ''] = forge.comments.values();

  expect(body.split('\n')[0]).toBe('<!-- assay gate: a_____b_ -->');
  expect(body.length).toBeLessThan(65_000);
  expect(body).toMatch(/row\n\nThe rest does not fit into a comment/);
});

test('a job that is for no change writes none, and one without a token says which', async () => {
  const forge = await startForge();

  expect((await commentOnChange('x', 'gate.yaml', {})).said).toMatch(/^no comment: this job is not for/);
  expect((await commentOnChange('x', 'gate.yaml', gitHub(forge.url, { ref: 'main' }))).said).toMatch(/^no comment/);
  await expect(commentOnChange('x', 'gate.yaml', { ...gitLab(forge.url), GITLAB_TOKEN: '' })).rejects.toThrow(
    'GITLAB_TOKEN is not set (a project access token',
  );
  expect(forge.asked).toEqual([]);
});

test('a refusal and a redirect are reasons, and no other host gets the token', async () => {
  const [refused, other] = [await startForge({ status: 403 }), await startForge()];
  const moved = await startForge({ status: 307, location: other.url });

  await expect(commentOnChange('x', 'gate.yaml', gitHub(refused.url))).rejects.toThrow(
    'no comment on the pull request: GET /repos/o/r/issues/7/comments answered 403',
  );
  await expect(commentOnChange('x', 'gate.yaml', gitHub(moved.url))).rejects.toThrow();
  expect(other.asked).toEqual([]);
});
