import { expect, test } from 'vitest';
import { loadSettings } from '../../src/config/settings.ts';
import { tempDirectory } from '../temp-directory.ts';

const unknownIn = (env: Readonly<Record<string, string>>) =>
  loadSettings({ flags: {}, env, cwd: tempDirectory() }).strangers;

test('a misspelled variable is found, with the one that was probably meant', () => {
  expect(unknownIn({ ASSAY_HTPP_PORT: '5', ASSAY_TURN_SETLE: '2s', PATH: '/bin' })).toEqual([
    { name: 'ASSAY_HTPP_PORT', hint: 'did you mean ASSAY_HTTP_PORT?' },
    { name: 'ASSAY_TURN_SETLE', hint: 'did you mean ASSAY_TURN_SETTLE?' },
  ]);
});

test('known ones, those of runs, of Kubernetes and of others are none', () => {
  const env = {
    ASSAY_HTTP_PORT: '4319',
    ASSAY_CONFIG: '',
    ASSAY_TOKEN: 't',
    ASSAY_CASE: 'c',
    ASSAY_CONVERSATION_ID: 'i',
    ASSAY_STORE_PASSWORD: 'p',
    ASSAY_PORT: 'tcp://10.0.0.1:4319',
    ASSAY_SERVICE_HOST: '10.0.0.1',
    ASSAY_SERVICE_PORT_HTTP: '4319',
    ASSAY_PORT_4319_TCP_PORT: '4319',
    ASSAY_FRONTEND_COLOUR: 'red',
  };

  expect(unknownIn(env)).toEqual([]);
});
