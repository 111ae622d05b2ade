/** The certificate of a criterion, and whether readings since then say otherwise. */
import type { SuiteList } from '../../../api/suite-list.ts';
import { sampleOf, answerOf } from '../../../engine/estimate/sample.ts';
import type { SuiteOutline } from '../../../engine/suite-outline.ts';
import { certificateWords, isCertified } from '../../../model/certificate.ts';
import { precisionOf } from '../../../statistics/certify/precision.ts';
import { type FrameReader, rateOf } from '../../../store/frame-reader.ts';
import { failureOf } from '../../../store/facts.ts';

type CertificateJson = NonNullable<SuiteList['suites'][number]['criteria'][number]['certificate']>;
type Certified = Pick<SuiteOutline['criteria'][number], 'name' | 'certificate'> & { readonly suite: string };

const READ_MAX = 500;
const ERRS = 0.05;

export async function certificateJson(
  frame: FrameReader,
  { suite, name, certificate }: Certified,
  now: number,
): Promise<{ readonly certificate?: CertificateJson }> {
  if (certificate === undefined) return {};
  const { at, precision, bad } = certificate;
  const since = await precisionSince(frame, { since: Date.parse(at), until: now }, failureOf(suite, name));
  const contradicted = since !== undefined && since.upper < precision.lower;
  const says = contradicted
    ? `No longer: of the conversations since then that fail it, at most ${Math.round(since.upper * 100)} % went badly.`
    : certificateWords(certificate);
  return {
    certificate: { says, certified: !contradicted && isCertified(certificate), at, precision, bad, contradicted },
  };
}

/** Precision by conversations that lots chose to be read. */
async function precisionSince(
  frame: FrameReader,
  window: { readonly since: number; readonly until: number },
  failure: string,
) {
  const { drawn } = sampleOf(await frame.firstToRead(window, READ_MAX));
  const fired = drawn.filter(({ row }) => row.facts?.includes(failure) === true);
  return precisionOf(
    fired.map((one) => ({
      isBad: answerOf(one) !== 'good',
      weight: 1 / rateOf(one.known.called),
      cluster: one.row.conversationId,
    })),
    ERRS,
  );
}
