import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

test('the comparison of Kafka clients runs', async () => {
  const script = path.resolve(import.meta.dirname, '../../../bench/kafka-client.ts');

  const { stdout } = await promisify(execFile)(process.execPath, [script, '--small'], { timeout: 170_000 });

  expect(stdout).toMatch(/ours +lz4 +1 KB +cpu [\d.]+ ms\/MB/);
  expect(stdout).toMatch(/kafkajs +it leaves again/);
});
