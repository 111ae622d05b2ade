/** Where conversations and evaluations are kept beyond the store. */
import path from 'node:path';
import { section } from './section.ts';
import { duration, text } from './setting.ts';

const IS_BUCKET = /^s3:\/\/[a-z0-9][a-z0-9.-]+(\/[\w./-]*)?$/i;

/** Undefined where nothing is archived. */
export const ARCHIVE = section('start', 'Conversations and evaluations as files (archive.md).', {
  url: text(
    { key: 'archive.url', variable: 'ASSAY_ARCHIVE_URL', example: 'archive' },
    'A folder, or s3://bucket/prefix with the AWS_ variables of the environment; without one nothing is archived.',
  ),
  everyMs: duration(
    { key: 'archive.every', default: '5m', min: '1s', max: '24h', rare: true },
    'For how long conversations are gathered for a file; fewer than 2,000 wait for it.',
  ),
}).build(({ url, everyMs }, sources) => {
  if (url === undefined) return undefined;
  if (!url.startsWith('s3:')) {
    const { baseDir, cwd } = sources.places;
    return { url: path.resolve(sources.originOf('archive.url') === 'file' ? baseDir : cwd, url), everyMs };
  }
  const { env } = sources.places;
  if (!IS_BUCKET.test(url)) sources.mistake('archive.url', `${url} names no bucket`, 's3://bucket/prefix');
  else if (!env.AWS_ACCESS_KEY_ID || !env.AWS_SECRET_ACCESS_KEY)
    sources.mistake(
      'archive.url',
      'a bucket needs credentials',
      'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment',
    );
  return { url, everyMs };
});
