import { expect, test } from 'vitest';
import { environmentWithoutSecrets } from '../../src/config/environment-without-secrets.ts';
import { loadSettings } from '../../src/config/settings.ts';
import { tempDirectory } from '../temp-directory.ts';
import { writeFileSync } from 'node:fs';
import path from 'node:path';

test('an agent is given neither variables of Assay, nor those that settings name, nor those that hold a secret', () => {
  const cwd = tempDirectory();
  writeFileSync(path.join(cwd, 'key'), 'sk-from-a-file\n');
  writeFileSync(
    path.join(cwd, 'assay.yaml'),
    `suites: [default]
judges:
  default: { provider: openai, model: m, api_key_env: JUDGE_KEY }
  filed: { provider: anthropic, model: m, api_key_file: key }
  usual: { provider: anthropic, model: m }
alerts:
  webhooks:
    - { name: slack, url_env: SLACK_URL, secret_env: HOOK_KEY, format: json }
`,
  );
  const env = {
    PATH: '/bin',
    HOME: '/home/agent',
    ANTHROPIC_API_KEY: 'sk-ant-usual-key',
    JUDGE_KEY: 'sk-judge-only',
    SLACK_URL: 'https://hooks.slack.com/services/T/B/x',
    HOOK_KEY: 'a-signing-key-of-some-length',
    COPY_OF_FILE: 'sk-from-a-file',
    ASSAY_HTTP_WRITE_TOKEN: 'write-token-of-more-than-enough-characters',
    ASSAY_STORE_PASSWORD: 'store-password',
    STORE_PASSWORD_AGAIN: 'store-password',
    LOG_LEVEL: 'info',
  };
  const { settings, secretVariables, mistakes } = loadSettings({ flags: {}, env, cwd });

  expect(mistakes.map(({ path: at, problem }) => `${at}: ${problem}`)).toEqual([]);
  expect(Object.keys(environmentWithoutSecrets(env, { settings, secretVariables }))).toEqual([
    'PATH',
    'HOME',
    'ANTHROPIC_API_KEY',
    'LOG_LEVEL',
  ]);
});
