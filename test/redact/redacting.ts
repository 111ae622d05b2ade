/** Redaction of one text or one request, and examples of each kind of secret. */
import { BUILT_IN_PATTERNS, DEFAULT_PATTERNS, type RedactionRules } from '../../src/model/redaction.ts';
import { CustomPatterns } from '../../src/redact/custom-patterns.ts';
import { RequestRedactor } from '../../src/redact/request-redactor.ts';
import { SecretNames } from '../../src/redact/secret-names.ts';
import { TextRedactor } from '../../src/redact/text-redactor.ts';
import { TextScanner } from '../../src/redact/text-scanner.ts';

export const ALL_RULES: RedactionRules = {
  patterns: BUILT_IN_PATTERNS,
  custom: [{ name: 'employee', pattern: 'EMP-[0-9]{6}' }],
  keys: ['http.request.header.*', 'db.statement'],
  userIds: { keys: ['user.id'], members: [{ key: 'metadata', names: ['user_id'] }] },
  identifiers: ['gen_ai.conversation.id'],
  salt: 'a salt for tests only',
};

/** Without any configuration. */
export const BY_DEFAULT: RedactionRules = {
  patterns: DEFAULT_PATTERNS,
  custom: [],
  keys: [],
  userIds: undefined,
  identifiers: ['gen_ai.conversation.id'],
  salt: 'a salt for tests only',
};

/** None of them belongs to a real person. */
export const SECRETS = {
  email: ['ada.lovelace+work@example.co.uk', 'bob@exämple.de', 'a%40example.com'],
  phone: ['+49 (0)170 123 4567', '+14155550132', '(415) 555-0132', '1-800-555-0199', '030 1234567', '06 12 34 56 78'],
  card: ['4111111111111111', '4111 1111 1111 1111', '5555-5555-5555-4444', '378282246310005', '3782 822463 10005'],
  iban: ['DE89370400440532013000', 'DE89 3704 0044 0532 0130 00', 'GB29NWBK60161331926819', 'nl91abna0417164300'],
  bearer: ['Bearer 0a1b2c3d4e5f6a7b8c9d', 'bearer AbCdEfGhIjKlMnOpQrStUv+/=', 'Basic dXNlcjpwYXNzd29yZA=='],
  api_key: [
    'sk-proj-Ab12Cd34Ef56Gh78Ij90',
    'ghp_0123456789abcdefghijABCDEFGHIJ456789',
    'AKIAIOSFODNN7EXAMPLE',
    'xoxb-123456789012-abcdefABCDEF',
    'SG.abcdefghijklmnopqrstuv.ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789',
    '-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\n-----END RSA PRIVATE KEY-----',
  ],
  jwt: [
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P',
    'eyJhbGciOiJub25lIn0.eyJzdWIiOiIxMjM0In0',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMj',
  ],
  employee: ['EMP-123456'],
} as const satisfies Record<string, readonly string[]>;

export function textRedactor(rules: RedactionRules = ALL_RULES, onFound: (name: string) => void = () => {}) {
  const names = new SecretNames({ builtIn: rules.patterns.includes('secret'), globs: rules.keys });
  const redactor = new TextRedactor(
    new TextScanner(rules.patterns, names),
    names,
    new CustomPatterns(rules.custom),
    onFound,
  );
  return (text: string): string => {
    // The text is in the middle of other bytes, as in a request.
    const around = Buffer.from(`bob@example.com${text}4111111111111111`);
    return redactor.redact(around, 15, around.length - 16)?.toString() ?? text;
  };
}

export function redactRequest(
  bytes: Uint8Array,
  rules: RedactionRules = ALL_RULES,
  signal: 'traces' | 'logs' = 'traces',
): ReturnType<RequestRedactor['redact']> {
  return new RequestRedactor(rules).redact(signal, bytes);
}
