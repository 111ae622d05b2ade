import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { loadSettings } from '../../src/config/settings.ts';
import { tempDirectory } from '../temp-directory.ts';

function load(yaml: string, env: { readonly [name: string]: string } = {}) {
  const cwd = tempDirectory();
  writeFileSync(path.join(cwd, 'assay.yaml'), yaml);
  writeFileSync(path.join(cwd, 'token'), '0123456789abcdef0123456789abcdef\n');
  const { settings, mistakes } = loadSettings({ flags: {}, env, cwd });
  return { token: settings.http.writeToken, mistakes };
}

test('there is no token unless one is given, in a file, or in Assay’s variable', () => {
  expect(load('').token).toBeUndefined();
  expect(load('http: { write_token_file: token }').token).toBe('0123456789abcdef0123456789abcdef');
  expect(load('', { ASSAY_HTTP_WRITE_TOKEN: 'abcdefghabcdefgh' }).token).toBe('abcdefghabcdefgh');
});

test('a token that is short, or that no header can carry, is a mistake that does not repeat it', () => {
  for (const secret of ['geheim', 'two words of a secret', 'zwölf-und-vier-ü']) {
    const { token, mistakes } = load('', { ASSAY_HTTP_WRITE_TOKEN: secret });

    expect(token).toBeUndefined();
    expect(mistakes).toHaveLength(1);
    expect(JSON.stringify(mistakes)).not.toContain(secret);
  }
});
