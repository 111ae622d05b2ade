/** The version is the same wherever it is written. */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';
import { RELEASES } from '../../scripts/release/releases.ts';
import { VERSION_PLACES, versionsIn } from '../../scripts/release/version-places.ts';
import { version as reported } from '../../src/cli/version.ts';
import { compareVersions } from '../../src/store/migration.ts';
import { ROOT, text } from '../deploy/shipped-files.ts';

const { version }: { readonly version: string } = JSON.parse(text('package.json'));

test.each(VERSION_PLACES.map((place) => ({ ...place, name: `${place.file} (${place.pattern.source})` })))(
  '$name has the version of package.json: npm run release writes it',
  (place) => {
    expect(versionsIn(ROOT, place)).toEqual(Array.from({ length: place.times }, () => version));
  },
);

test('`assay --version` and the service report it', () => {
  const said = execFileSync(process.execPath, [path.join(ROOT, 'bin/assay.mjs'), '--version'], { encoding: 'utf8' });

  expect(said.trim()).toBe(version);
  expect(reported).toBe(version);
});

test('the chart runs the image of its version', () => {
  expect(text('deploy/helm/assay/templates/_assay.tpl')).toContain(
    '.Values.image.tag | default $root.Chart.AppVersion',
  );
  expect(text('deploy/helm/assay/values.yaml')).toMatch(/^ {2}tag: ''$/m);
});

test('the version is that of the last release, or newer', () => {
  const last = RELEASES.at(-1);

  expect(compareVersions(version, last?.version ?? '')).toBeGreaterThanOrEqual(0);
});
