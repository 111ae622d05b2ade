/**
 * Examples of a second review: an outsider tried three hundred probes. As in examples.ts, each secret stands as
 * ⟦secret|pattern⟧: what goes in, and what comes out in its place.
 */
import { kv, otlpValue, type Probe } from './probes.ts';

const ENCODED = (plain: string) => Buffer.from(plain).toString('base64');
const list = (...texts: readonly string[]) => ({
  arrayValue: { values: texts.map((stringValue) => ({ stringValue })) },
});
const HEX = '0123456789abcdef0123456789abcdef';

/** Where a text alone does not say it: in values of OTLP. */
export const PROBES_SECOND: readonly Probe[] = [
  {
    what: 'a password in bytes',
    attributes: { password: otlpValue({ bytesValue: ENCODED('Zebra9Qx1') }) },
    secret: 'Zebra9Qx1',
  },
  {
    what: 'a header in bytes',
    attributes: { 'http.request.header.authorization': otlpValue({ bytesValue: ENCODED('Zebra Qx') }) },
    secret: 'Zebra Qx',
  },
  {
    what: 'a key in an object',
    attributes: { api_key: otlpValue({ kvlistValue: { values: [kv('value', 'Zebra Qx')] } }) },
    secret: 'Zebra Qx',
  },
  {
    what: 'a number in an object',
    attributes: {
      api_key: otlpValue({ kvlistValue: { values: [{ key: 'value', value: { intValue: '48151623' } }] } }),
    },
    secret: '48151623',
  },
  {
    what: 'a header in a list in an object of headers',
    attributes: {
      headers: otlpValue({ kvlistValue: { values: [{ key: 'authorization', value: list('Custom Zebra') }] } }),
    },
    secret: 'Custom Zebra',
  },
  {
    what: 'a header in an object of headers of a request',
    attributes: {
      args: otlpValue({
        kvlistValue: {
          values: [{ key: 'requestHeaders', value: { kvlistValue: { values: [kv('Cookie', 'Zebra')] } } }],
        },
      }),
    },
    secret: 'Zebra',
  },
  {
    what: 'a card split over a list',
    attributes: { k: otlpValue(list('x', '4111', '1111', '1111', '1111')) },
    secret: '4111',
  },
  {
    what: 'a key split over a list',
    attributes: { k: otlpValue(list('sk-ant-api03-AbCdEf0123456789', 'Zebra0123456789AbCdEfAA')) },
    secret: 'Zebra0123456789',
  },
  {
    what: 'a key split over a list in a list',
    attributes: {
      k: otlpValue({
        arrayValue: { values: [{ intValue: '1' }, list('sk-ant-api03-AbCdEf0123456789', '-Zebra0123456789AbCdEfAA')] },
      }),
    },
    secret: 'Zebra0123456789',
  },
];

/** Values of OTLP that stay, by their keys. */
export const KEPT_SECOND: readonly Probe[] = [
  { what: 'an order', attributes: { order_id: '4111111111111111' }, secret: '4111111111111111' },
  { what: 'orders', attributes: { order_ids: otlpValue(list('4111111111111111')) }, secret: '4111111111111111' },
  {
    what: 'a description of a key',
    attributes: { api_key: otlpValue({ kvlistValue: { values: [kv('name', 'key of 2024'), kv('type', 'string')] } }) },
    secret: 'key of 2024',
  },
  {
    what: 'groups that are no card',
    attributes: { k: otlpValue(list('4111', '1111', '1111', '1112')) },
    secret: '4111',
  },
];

export const FOUND_SECOND: readonly (readonly [what: string, marked: string])[] = [
  // Lines of headers
  [
    'a digest',
    'Authorization: Digest ⟦username="bob", realm="r", response="6629fae49393a05397450978507c4ef1"|secret⟧\nHost: x',
  ],
  [
    'a digest in curl',
    'curl -H "Authorization: Digest ⟦username=\\"bob\\", response=\\"6629fae49393\\"|secret⟧" https://x',
  ],
  ['a digest that was cut', 'Authorization: Digest ⟦username="bob", response="6629fae493|secret⟧'],
  ['a cookie in quotes', 'Cookie: ⟦a="x y"; sid=Zebra9Qx1abc|secret⟧\r\nHost: x'],
  ['a cookie with an empty value in curl', 'curl -H "Cookie: ⟦a=1; sid=|secret⟧" "https://x"'],
  [
    'OAuth 1',
    'Authorization: OAuth ⟦oauth_consumer_key="xvz1evFS4wEE", oauth_token="370773112-Gmh", oauth_signature="tnnArxj06c%3D"|secret⟧',
  ],
  ['OAuth 1 in JSON', '{"Authorization":"⟦OAuth oauth_consumer_key=\\"xvz1\\", oauth_signature=\\"tnnA\\"|secret⟧"}'],
  // Names
  ['a key of Azure OpenAI', `AZURE_OPENAI_KEY=⟦${HEX}|secret⟧`],
  ['a key of OpenAI by name', `export OPENAI_KEY=⟦${HEX}|secret⟧\n`],
  ['a key of OpenAI in JSON', `{"openaiKey":"⟦${HEX}|secret⟧"}`],
  ['a key of Cohere', `{"cohere_key":"⟦${HEX}|secret⟧"}`],
  ['keys of Datadog', `DD-API-KEY: ⟦${HEX}|secret⟧\nDD-APPLICATION-KEY: ⟦${HEX}01234567|secret⟧`],
  [
    'a signature of Google',
    'https://storage.googleapis.com/b/o?X-Goog-Signature=⟦247a2aa45f169edf4d187d54e7cc46e4|secret⟧',
  ],
  ['a passcode', '{"passcode":"⟦48Zebra93|secret⟧"}'],
  ['a password in German', 'Passwort: ⟦Zebra9Qx1|secret⟧'],
  // Base64
  ['base64 with a letter of another alphabet', `x ⟦${ENCODED('é {"password":"Zebra9Qx1"}')}|secret⟧ y`],
  ['base64 with a slash at its beginning', `x ⟦${ENCODED('{"n":"Zoë","password":"Zebra9Qx1"}')}|secret⟧ y`],
  ['base64 of Chinese', `x ⟦${ENCODED('{"名":"王","password":"Zebra9Qx1"}')}|secret⟧ y`],
  // Always
  ['YAML with a word', 'db:\n  password: ⟦hunterzebra|secret⟧\n  user: a'],
  ['YAML with a word behind a hyphen', '- password: ⟦hunterzebra|secret⟧\n  user: a'],
  ['YAML with a word and a comment', 'password: ⟦hunterzebra|secret⟧  # of the database'],
  ['YAML with a word at the end', 'users:\n  - name: bob\n    password: ⟦hunterzebra|secret⟧'],
  ['a manifest of Kubernetes', 'kind: Secret\ndata:\n  password: ⟦aHVudGVyemVicmE=|secret⟧\n'],
  ['a variable of docker', 'docker run -e POSTGRES_PASSWORD=⟦hunterzebra|secret⟧ postgres'],
  ['a variable of Compose', 'environment:\n  - MYSQL_ROOT_PASSWORD=⟦hunterzebra|secret⟧\n  - X=1'],
  ['a literal of kubectl', 'kubectl create secret generic x --from-literal=password=⟦hunterzebra|secret⟧'],
  ['an option with a word', 'mysqldump --password=⟦hunterzebra|secret⟧ -u root'],
  ['the code of a card', 'card: x\nCVV: ⟦123|secret⟧'],
  ['the code of a card and nothing else', 'cvv: ⟦123|secret⟧'],
  ['the shortest secret', 'pwd=⟦1|secret⟧'],
  ['the code of a card in a sentence', 'with cvv: ⟦123|secret⟧, please'],
  ['bytes of Python', "{'password': b'⟦48Zebra93|secret⟧'}"],
  ['a raw string of Python', 'password = r"⟦48Zebra93|secret⟧"'],
  ['a password in braces', 'Server=x;Uid=sa;Pwd=⟦{Ze;bra9Qx}|secret⟧;Encrypt=yes'],
  ['a name in bold', '**Password:** ⟦Zebra9Qx1|secret⟧'],
  ['a name in bold, in a list', '- **Password**: ⟦hunterzebra|secret⟧\n- **User**: bob'],
  ['a value as code', 'Password: `⟦Zebra9Qx1|secret⟧`'],
  ['both', '* **API key:** `⟦zebra-9Qx1|secret⟧`, keep it'],
  ['a word as code', 'Password: `⟦hunterzebra|secret⟧`\n'],
  ['a name as code', '- `password`: ⟦hunterzebra|secret⟧'],
  ['a template of JavaScript', 'const password = `⟦hunterzebra9|secret⟧`;'],
  // Values within values
  ['an object of passwords', '{"passwords":{"root":"⟦48Zebra93|secret⟧","bob":"⟦77 zebras|secret⟧"}}'],
  ['an object with a value', '{"a":{"userPassword":{"id":"p1","value":"⟦48Zebra93|secret⟧","length":9}}}'],
  ['a list of objects', '{"password":[{"v":"⟦Zebra9|secret⟧"},["⟦a b|secret⟧",{"type":"string"}]],"n":"x1"}'],
  [
    'a schema beside a value',
    '{"api_key":{"type":"string","description":"As of 2024"},"secrets":{"slack":{"token":"⟦a b|secret⟧"}}}',
  ],
  ['a key split over a list', '["⟦sk-ant-api03-AbCdEf0123456789|api_key⟧","⟦-AbCd12Ef3456-AA|⟧","x1y2z3a4b5c6!"]'],
  ['a key split in three', '["⟦sk-proj-Ab12Cd34Ef56Gh78|api_key⟧", "⟦Ij90Kl12Mn|⟧","⟦Op34Qr56St|⟧","gpt-4o-mini"]'],
  ['two keys in a list', '["⟦sk-proj-Ab12Cd34Ef56Gh78|api_key⟧","⟦sk-proj-Ij90Kl12Mn34Op56|api_key⟧"]'],
  [
    'a card under the name of passwords',
    '{"passwords":["⟦4111|secret⟧","⟦1111|secret⟧","⟦1111|secret⟧","⟦1111|secret⟧"]}',
  ],
  ['a card under a name of no id', '{"order_id":"4111111111111111","paid":"⟦4111111111111111|card⟧"}'],
  // Forms of their own
  ['a refresh token of Google', '1//⟦0gAbCdEf0123456789AbCdEf0123456789AbCdEf0123|api_key⟧'],
  ['a URL of Oracle', 'jdbc:oracle:thin:scott/⟦Tig3rZebra|url_password⟧@//host:1521/svc'],
  ['a URL whose password has a slash', 'mysql://app:⟦ab/cdZebra9|url_password⟧@db/x'],
  ['a URL whose password has two', 'postgres://app:⟦a/b/cZebra9|url_password⟧@db:5432/x'],
  ['SQL', "ALTER USER bob IDENTIFIED BY '⟦Zebra9Qx1|secret⟧'"],
  ['SQL of MySQL', "CREATE USER 'a'@'%' IDENTIFIED WITH caching_sha2_password BY '⟦it''s Zebra9|secret⟧';"],
  ['SQL of PostgreSQL', "CREATE ROLE bob WITH LOGIN PASSWORD '⟦Zebra9Qx1|secret⟧' VALID UNTIL 'x'"],
  ['SQL in JSON', '{"query":"create user bob with password \'⟦Zebra9Qx1|secret⟧\'"}'],
  // Numbers
  ['a card with underscores', 'pay ⟦4111_1111_1111_1111|card⟧ now'],
  ['a card with slashes', 'pay ⟦4111/1111/1111/1111|card⟧ now'],
  ['a card with bars', 'pay ⟦4111|1111|1111|1111|card⟧ now'],
  ['a card with middle dots', 'pay ⟦4111·1111·1111·1111|card⟧ now'],
  ['a card with em dashes', 'pay ⟦4111—1111—1111—1111|card⟧ now'],
  ['a card over lines', 'pay\n⟦4111\n1111\n1111\n1111|card⟧\nnow'],
  ['a card over lines of Windows', '⟦3782\r\n822463\r\n10005|card⟧\r\n'],
  ['an IBAN with underscores', 'to ⟦DE89_3704_0044_0532_0130_00|iban⟧.'],
  ['an IBAN with slashes', 'to ⟦DE89/3704/0044/0532/0130/00|iban⟧.'],
  ['an IBAN with bars', 'to ⟦DE89|3704|0044|0532|0130|00|iban⟧.'],
  ['an IBAN with middle dots', 'to ⟦DE89·3704·0044·0532·0130·00|iban⟧.'],
  ['an IBAN over lines', 'to ⟦DE89 3704 0044\r\n0532 0130 00|iban⟧.'],
];

/** Found with `patterns: all`. */
export const PERSONAL_SECOND: readonly (readonly [what: string, marked: string])[] = [
  ['a telephone of Brazil', 'call ⟦(11) 91234-5678|phone⟧ now'],
  ['a telephone of Brazil, on a desk', 'call ⟦(11) 3123-4567|phone⟧.'],
  ['a telephone of Mexico', 'call ⟦55 1234 5678|phone⟧.'],
  ['a telephone of Spain', 'call ⟦612 345 678|phone⟧, please'],
  ['a telephone of Spain in pairs', 'call ⟦612 34 56 78|phone⟧.'],
  ['a telephone of Poland', 'call ⟦501 234 567|phone⟧.'],
];

/** Left, also with `patterns: all`, and why. */
export const LEFT_SECOND: readonly (readonly [what: string, text: string, reason: string])[] = [
  ['a sentence as a password', 'password: My-Long Pass phrase', 'Without quotes a sentence says something else.'],
  ['a card with commas', '4111,1111,1111,1111', 'Data of four digits.'],
  ['a card as an element of a table', '|4111|1111|1111|1111|', 'Data of four digits.'],
  ['a column of numbers', '5120\n4111\n1111\n1111\n1111\n4711', 'Data of four digits.'],
  ['a password without quotes in SQL', 'ALTER USER bob IDENTIFIED BY tiger', 'A word of a sentence as well.'],
];

export const HARMLESS_SECOND: readonly (readonly [what: string, text: string])[] = [
  ['an id of digits', '{"order_id":"4111111111111111","ids":["4111111111111111"],"at":"4111111111111111"}'],
  [
    'a schema of passwords',
    '{"password":{"type":["string","null"],"description":"Your 1st","minLength":8,"enum":["a1","b2"]},"secret":{"$ref":"#/x1"}}',
  ],
  ['a list of messages', '{"password":["This field is required.","Must be at least 8 characters"]}'],
  ['ids in a list', '["550e8400-e29b-41d4-a716-446655440000","a1b2c3d4e5f6a7b8","gpt-4o-mini-2024"]'],
  ['messages of a form', '"password": "Must be at least 12 characters", "pwd": "is too short"'],
  ['messages in JSON', '{"error":{"password":"is too short"},"password":"Must contain 8 characters and 1 digit"}'],
  ['what became of a password', '{"password":"incorrect","api_key":"invalid","secret":"expired"}'],
  ['a line that says so', 'User: bob\nPassword: incorrect\nAPI key: configured\nSecret: set\nPassword: forgotten?'],
  ['a session of words', '{"session":"morning-session-2025-monday","sig":"Figure-12-signal-noise"}'],
  ['packages', 'pip install sk-learn-contrib-package-version-2024 sk-learn-something-long-name-here-and-there'],
  ['types', 'class A:\n  password: SecretStr\n  api_key: str\n'],
  ['types of GraphQL', 'input A {\n  password: String!\n  secret: String\n}'],
  ['an object of JavaScript', 'connect({\n  password: password,\n  apiKey: apiKey\n})'],
  ['a member of an object', 'return {\n  privateKey: privateKeyResult.value\n}'],
  ['links of reStructuredText', '.. _`Bearer Token`: https://tools.ietf.org/html/rfc6750\n'],
  ['a variable that hands on another', 'run API_KEY=OPENAI_API_KEY now'],
  ['a place to fill in of ODBC', 'Server={server};Pwd={pwd};Encrypt=yes'],
  ['code in documentation', 'Set `API_KEY=` and `password: string`; secret: `./secrets1`'],
  ['ports', 'http://host:8080/a/@alice http://localhost:PORT/@x1 https://example.com:{port}/x@y1 http://[::1]:80/@a'],
  ['apostrophes', "stand by 'x1' and the password 'hunter2' is what she said by 'me'"],
  ['paths', '/usr/local/share/applications/things/package.json a/b/c/d/e/f/g/h/i/j/k/l/m'],
  ['tables of numbers', '| 4500 | 5120 | 4111 | 1111 |\n|4111|1111|1111|1111|\n4111\n1111\n1111\n1111\n1111\n'],
  ['dates', '2024/11/12/4111 4111_1111_1111'],
];

/** Not personal, with `patterns: all`. */
export const IMPERSONAL_SECOND: readonly (readonly [what: string, text: string])[] = [
  ['a repository', 'git clone git@github.com:org/repo.git ssh://git@gitlab.com/a/b.git'],
  ['sums of money', 'it costs 612 345 678 € or 601 234 567 zł, USD 612 345 678, $ 701 234 567; 612 345 678,50 in all'],
  ['two digits in a row of numbers', '(11) 200 300; 55 1234 56789; (11) 91234 5678 9012'],
];
