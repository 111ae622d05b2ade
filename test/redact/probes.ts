/**
 * Secrets as agents' spans carry them: eighty probes of the places and forms that a review found, and what is left of
 * them by default with the reason. Values are AnyValues of OTLP in JSON; a plain string stands for a text.
 */
export interface Probe {
  readonly what: string;
  /** Attributes of a span, unless `span` says more. */
  readonly attributes?: { readonly [key: string]: unknown };
  readonly span?: object;
  readonly resource?: object;
  /** Must be nowhere in what comes out, as bytes and as the values that are read from them. */
  readonly secret: string;
  /** Why it is left. */
  readonly left?: string;
}

const CARD = '4111111111111111';
const IBAN = 'DE89370400440532013000';
const OPENAI = 'sk-proj-Ab12Cd34Ef56Gh78Ij90Kl12';
const GITHUB = 'ghp_0123456789abcdefghijABCDEFGHIJ456789';
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P';
const ASSAY = 'assay_read_0a1b2c3d4e_Ab12Cd34Ef56Gh78Ij90Kl12Mn34Op56Qr78St90Uv1';
const text = (what: string, value: string, secret: string, left?: string): Probe => ({
  what,
  attributes: { 'input.value': value },
  secret,
  ...(left === undefined ? {} : { left }),
});
/** An attribute that is no text, as OTLP's JSON writes it. */
export const otlpValue = (value: unknown) => ({ any: value });
export const kv = (key: string, stringValue: string) => ({ key, value: { stringValue } });
const base64 = (plain: string | Buffer) => Buffer.from(plain).toString('base64');

export const PROBES: readonly Probe[] = [
  // Found before.
  text('a card in one piece', `my card is ${CARD}`, CARD),
  text('a card with blanks', 'card 4111 1111 1111 1111.', '4111 1111 1111 1111'),
  text('a card with hyphens', 'card 4111-1111-1111-1111.', '4111-1111-1111-1111'),
  text('a card with escapes of JSON', '{"card":"\\u0034111111111111111"}', '111111111111111'),
  text(
    'a card in JSON, nested three times',
    JSON.stringify({ a: JSON.stringify({ b: JSON.stringify({ c: CARD }) }) }),
    CARD,
  ),
  text('an IBAN in one piece', `pay to ${IBAN} today`, IBAN),
  text('an IBAN in groups', 'pay to DE89 3704 0044 0532 0130 00', 'DE89 3704 0044 0532 0130 00'),
  { what: 'the name of a span', span: { name: `chat ${OPENAI}` }, secret: OPENAI },
  { what: 'the name of an event', span: { events: [{ name: OPENAI }] }, secret: OPENAI },
  {
    what: 'the message of an exception',
    span: { events: [{ name: 'exception', attributes: [kv('exception.message', `401 for ${OPENAI}`)] }] },
    secret: OPENAI,
  },
  {
    what: 'a stack trace',
    span: { events: [{ name: 'exception', attributes: [kv('exception.stacktrace', `at x (${OPENAI})\n at y`)] }] },
    secret: OPENAI,
  },
  { what: 'the message of a status', span: { status: { code: 2, message: `bad key ${OPENAI}` } }, secret: OPENAI },
  { what: 'a resource', resource: { attributes: [kv('process.command_line', `run --key=${OPENAI}`)] }, secret: OPENAI },
  { what: 'the trace state', span: { traceState: `v=${OPENAI}` }, secret: OPENAI },
  {
    what: 'bytes that are text',
    attributes: { body: otlpValue({ bytesValue: base64(`key ${GITHUB}`) }) },
    secret: GITHUB,
  },
  {
    what: 'the name of a member',
    attributes: { map: otlpValue({ kvlistValue: { values: [kv(OPENAI, 'x')] } }) },
    secret: OPENAI,
  },
  text('a JWT', `token ${JWT}`, JWT),
  text('a private key', '-----BEGIN PRIVATE KEY-----\nMIIEowIBAAKCAQEA\n-----END PRIVATE KEY-----', 'MIIEowIBAAKCAQEA'),
  text('a key of OpenAI', `use ${OPENAI} please`, OPENAI),
  text('a token of GitHub', GITHUB, GITHUB),
  text(
    'a fine-grained token of GitHub',
    'github_pat_11ABCDEFG0abcdefghijkl_mnopqrstuvwxyz012345',
    'github_pat_11ABCDEFG0',
  ),
  text('a key of AWS', 'id AKIAIOSFODNN7EXAMPLE', 'AKIAIOSFODNN7EXAMPLE'),
  text('a token of Slack', 'xoxb-123456789012-abcdefABCDEF', 'xoxb-123456789012'),
  text('a token of Google', 'ya29.a0AfH6SMBx1234567890abcdefghij', 'a0AfH6SMBx1234567890'),
  text('a key of Stripe', ['sk', 'live', '51H8abcDEFghiJKL'].join('_'), '51H8abcDEFghiJKL'),
  text('a bearer token', 'Authorization: Bearer 0a1b2c3d4e5f6a7b8c9d', '0a1b2c3d4e5f6a7b8c9d'),
  text('basic credentials', 'Authorization: Basic dXNlcjpwYXNzd29yZA==', 'dXNlcjpwYXNzd29yZA'),
  {
    what: 'a header with a bearer token',
    attributes: { 'http.request.header.authorization': 'Bearer 0a1b2c3d4e5f6a7b' },
    secret: '0a1b2c3d4e5f6a7b',
  },
  {
    what: 'an attribute of a link',
    span: {
      links: [
        { traceId: '0102030405060708090a0b0c0d0e0f10', spanId: '0102030405060708', attributes: [kv('a', OPENAI)] },
      ],
    },
    secret: OPENAI,
  },
  // Left before.
  text('a card as a number of JSON', `{"card": ${CARD}}`, CARD),
  text(
    'a card as a number, in arguments nested in JSON',
    JSON.stringify({ arguments: JSON.stringify({ card_number: 4111111111111111 }) }),
    CARD,
  ),
  text('a card as a number with a fraction', `{"card": ${CARD}.0}`, CARD),
  { what: 'a card as intValue', attributes: { card: otlpValue({ intValue: CARD }) }, secret: CARD },
  { what: 'a card as doubleValue', attributes: { card: otlpValue({ doubleValue: 4111111111111111 }) }, secret: CARD },
  {
    what: 'a card as intValue in a kvlist',
    attributes: { args: otlpValue({ kvlistValue: { values: [{ key: 'card', value: { intValue: CARD } }] } }) },
    secret: CARD,
  },
  {
    what: 'a card as intValue in a list',
    attributes: { cards: otlpValue({ arrayValue: { values: [{ intValue: CARD }] } }) },
    secret: CARD,
  },
  text('a card with NBSP', '4111\u00a01111\u00a01111\u00a01111', '1111\u00a01111'),
  text('a card with dots', '4111.1111.1111.1111', '1111.1111'),
  text('a card with tabs', '4111\t1111\t1111\t1111', '1111\t1111'),
  text('a card with two blanks', '4111  1111  1111  1111', '1111  1111'),
  text('a card with en dashes', '4111\u20131111\u20131111\u20131111', '1111\u20131111'),
  text('a card with thin spaces', '4111\u20091111\u20091111\u20091111', '1111\u20091111'),
  text('a card with a zero-width space', '4111\u200b1111\u200b1111\u200b1111', '1111\u200b1111'),
  text('a card in full width', '４１１１１１１１１１１１１１１１', '１１１１１１'),
  text('a card with %20', 'card=4111%201111%201111%201111', '1111%201111'),
  text('a card with + of a form', 'card=4111+1111+1111+1111&x=y', '1111+1111'),
  text('a card with escaped NBSP', '{"card":"4111\\u00a01111\\u00a01111\\u00a01111"}', '1111\\u00a01111'),
  text('a DSN of PostgreSQL', 'postgres://app:S3cr3t@db/x', 'S3cr3t'),
  text('a DSN of Redis without a user', 'redis://:S3cr3t@cache:6379/0', 'S3cr3t'),
  text('a URL with a password', 'GET https://alice:pw@host/ HTTP/1.1', ':pw@'),
  text('password= in a form', 'user=alice&password=hunter&x=1', 'hunter'),
  text('password= in text', 'connect with password=hunter2 now', 'hunter2'),
  text('password in JSON', '{"user":"alice","password":"hunter"}', 'hunter'),
  text('password in JSON within JSON', JSON.stringify({ a: JSON.stringify({ password: 'hunter' }) }), 'hunter'),
  text('password in JSON that was cut', '{"user":"alice","password":"hunter","text":"and mo', 'hunter'),
  text('password as a number of JSON', '{"password":4711}', '4711'),
  {
    what: 'password in a kvlist',
    attributes: { args: otlpValue({ kvlistValue: { values: [kv('password', 'hunter')] } }) },
    secret: 'hunter',
  },
  { what: 'password as an attribute', attributes: { 'db.password': 'hunter' }, secret: 'hunter' },
  text('an API key in hexadecimal in JSON', '{"api_key":"0123456789abcdef0123456789abcdef"}', '0123456789abcdef'),
  text('client_secret in JSON', '{"client_secret":"abc-def"}', 'abc-def'),
  text('access_token and refresh_token', '{"access_token":"opaque","refresh_token":"opaque"}', ':"opaque"'),
  { what: 'the header x-api-key', attributes: { 'http.request.header.x-api-key': 'plainvalue' }, secret: 'plainvalue' },
  {
    what: 'the header cookie, as a list',
    attributes: {
      'http.request.header.cookie': otlpValue({ arrayValue: { values: [{ stringValue: 'sid=s3ssion' }] } }),
    },
    secret: 's3ssion',
  },
  {
    what: 'the header set-cookie',
    attributes: { 'http.response.header.set-cookie': 'sid=s3ssion; Path=/' },
    secret: 's3ssion',
  },
  {
    what: 'the header proxy-authorization',
    attributes: { 'http.request.header.proxy-authorization': 'Negotiate abc' },
    secret: 'abc',
  },
  text(
    'aws_secret_access_key = …',
    'aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    'wJalrXUtnFEMI',
  ),
  text(
    'AccountKey= of Azure',
    `DefaultEndpointsProtocol=https;AccountName=a;AccountKey=${base64('0123456789abcdef0123456789abcdef')};EndpointSuffix=core.windows.net`,
    base64('0123456789abcdef0123456789ab').slice(0, 30),
  ),
  text(
    'a webhook of Slack',
    'https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX'.replaceAll('X', 'x1'),
    'x1x1x1',
  ),
  text(
    'a bot token of Telegram',
    'https://api.telegram.org/bot123456789:AAabcdefghijklmnopqrstuvwxyz0123456/getMe',
    'AAabcdefghijkl',
  ),
  text('a key behind %22', `q=%22${OPENAI}%22`, OPENAI),
  text('a key with a zero-width space', `${OPENAI.slice(0, 12)}\u200b${OPENAI.slice(12)}`, OPENAI.slice(12)),
  text('a JWT that was wrapped', `${JWT.slice(0, 60)}\n${JWT.slice(60)}`, JWT.slice(60)),
  text('base64 of a key', `data ${base64(`key ${OPENAI}`)}`, base64(`key ${OPENAI}`).slice(0, 20)),
  {
    what: 'bytes with a stray byte',
    attributes: {
      body: otlpValue({ bytesValue: base64(Buffer.concat([Buffer.from([0xff]), Buffer.from(` ${GITHUB}`)])) }),
    },
    secret: GITHUB,
  },
  text('an IBAN in small letters with blanks', 'de89 3704 0044 0532 0130 00', '3704 0044'),
  text('a card split over the elements of a list', '["4111","1111","1111","1111"]', '"1111","1111"'),
  // Left.
  {
    what: 'a secret in the key of an attribute',
    attributes: { [OPENAI]: 'x' },
    secret: OPENAI,
    left: 'Keys are names by convention, and everything else is found by them.',
  },
  {
    what: 'a secret split over two parts of a message',
    attributes: { 'input.value': '[{"type":"text","content":"4111 1111"},{"type":"text","content":" 1111 1111"}]' },
    secret: '1111 1111',
    left: 'Two texts are two texts: what they come to together is seen by nobody who reads one of them.',
  },
  text(
    'a US social security number',
    'SSN 078-05-1120',
    '078-05-1120',
    'It has no check digit, and is personal: a pattern of the user.',
  ),
  text(
    'an address as an entity of HTML',
    'ada&#64;example.org',
    'ada&#64;example.org',
    'Addresses are what agents are judged by: `patterns: all`.',
  ),
];

/** Tokens of Assay itself, in the places where its clients keep them. */
export const OWN_TOKENS: readonly Probe[] = [
  text('a token of Assay', `use ${ASSAY} please`, ASSAY),
  text('a token of Assay in JSON', JSON.stringify({ a: JSON.stringify({ b: ASSAY }) }), ASSAY),
  text('a variable of the SDK', `OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20${ASSAY}`, ASSAY),
  text('a command with --token', `npx assay explain c1 --token ${ASSAY}`, ASSAY),
  text('base64 of a token of Assay', `data ${base64(ASSAY)}`, base64(ASSAY).slice(0, 20)),
  text('a token of Assay that was wrapped', `${ASSAY.slice(0, 50)}\n${ASSAY.slice(50)}`, ASSAY.slice(50)),
  text('a token of Assay that was cut', ASSAY.slice(0, -12), ASSAY.slice(0, -12)),
  {
    what: 'the command line of a process',
    resource: { attributes: [kv('process.command_line', ASSAY)] },
    secret: ASSAY,
  },
  { what: 'the name of a span', span: { name: `curl ${ASSAY}` }, secret: ASSAY },
];
