/**
 * Texts of people and programs with a secret in them, each as ⟦secret|pattern⟧. The first half was written before
 * redaction read through wrappings and was there while that was built; the second half, from other trades and habits, was
 * tried when it was done. All numbers are the well-known ones of tests, and no key was ever issued.
 */
export type Written = readonly [what: string, marked: string];

export const WRITTEN_FIRST: readonly Written[] = [
  // Cards.
  ['a card, a group a line', 'my card is\n⟦4111\n1111\n1111\n1111|card⟧\nthanks'],
  ['a card out of a table', 'my card is ⟦4111\t1111\t1111\t1111|card⟧, please book'],
  ['a card with lines of Windows', 'card:\r\n⟦4111\r\n1111\r\n1111\r\n1111|card⟧\r\nok?'],
  ['a card with blanks', "It's ⟦5555 5555 5555 4444|card⟧ and it's mine"],
  ['a card in one piece in its line', 'pay with\n⟦4242424242424242|card⟧\nplease'],
  ['a card with a tab before it', 'Visa:\t⟦4012888888881881|card⟧\texp 12/30'],
  ['American Express as printed', 'Amex ⟦3782 822463 10005|card⟧ exp 04/29'],
  ['American Express, a group a line', '⟦3714\n496353\n98431|card⟧'],
  ['a card behind Chinese', '我的卡号是⟦4111111111111111|card⟧。谢谢'],
  ['a card behind an umlaut', 'Gebührü⟦4111111111111111|card⟧'],
  ['a card with non-breaking blanks', 'carte ⟦4111\u00a01111\u00a01111\u00a01111|card⟧ merci'],
  ['a card with emoji around', '💳⟦4111-1111-1111-1111|card⟧💳'],
  ['two cards in two lines', '⟦4111111111111111|card⟧\n⟦5105105105105100|card⟧\n'],
  ['a card behind a Windows path', 'C:\\new\\table ⟦6011111111111117|card⟧'],
  // Accounts.
  ['an IBAN, a group a line', 'pay to\n⟦DE89\n3704\n0044\n0532\n0130\n00|iban⟧\nby Friday'],
  ['an IBAN with tabs', 'IBAN\t⟦DE89\t3704\t0044\t0532\t0130\t00|iban⟧'],
  ['an IBAN with two blanks', 'IBAN ⟦DE89  3704  0044  0532  0130  00|iban⟧.'],
  ['an IBAN at the beginning of a line', 'Account:\n⟦GB29 NWBK 6016 1331 9268 19|iban⟧\nBarclays'],
  ['an IBAN in small letters', 'to ⟦nl91 abna 0417 1643 00|iban⟧ please'],
  ['an IBAN in one piece behind a line break', 'Konto\n⟦FR1420041010050500013M02606|iban⟧'],
  ['an IBAN over two lines', 'IBAN: ⟦CH93 0076 2011\n6238 5295 7|iban⟧'],
  // Bearer.
  ['a bearer token', 'curl -H "Authorization: Bearer ⟦0a1b2c3d4e5f6a7b8c9d|secret⟧" https://api.example.com/v1'],
  ['a bearer token alone', 'send Bearer ⟦0a1b2c3d4e5f6a7b8c9d|bearer⟧ with it'],
  ['a bearer token in the next line', 'use this:\nBearer\n⟦0a1b2c3d4e5f6a7b8c9d|bearer⟧\nok'],
  ['a bearer token at the beginning of a line', 'the header is\nBearer ⟦Zm9vYmFyYmF6cXV4MTIz|bearer⟧\n'],
  ['a name and a password in base64', 'Authorization\nBasic ⟦dXNlcjpwYXNzd29yZA==|bearer⟧'],
  ['a bearer token behind a tab', 'Bearer\t⟦0a1b2c3d4e5f6a7b8c9d|bearer⟧'],
  // Keys.
  ['a key at the beginning of a line', 'here is my key:\n⟦sk-proj-Ab12Cd34Ef56Gh78Ij90|api_key⟧\nkeep it'],
  ['a key behind Japanese', 'キーは⟦sk-proj-Ab12Cd34Ef56Gh78Ij90|api_key⟧です'],
  ['a key behind a tab', 'github\t⟦ghp_0123456789abcdefghijABCDEFGHIJ456789|api_key⟧\tmine'],
  ['a key of AWS in its line', 'aws\n⟦AKIAIOSFODNN7EXAMPLE|api_key⟧\n'],
  ['a key in quotes', 'he said "⟦xoxb-123456789012-abcdefABCDEF|api_key⟧" twice'],
  ['a key that was wrapped', 'key: ⟦sk-proj-Ab12Cd34Ef56Gh78Ij90\nKl12Mn34Op56Qr78|api_key⟧ end'],
  [
    'a private key',
    '⟦-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\nq83vEjRWeJq\n-----END RSA PRIVATE KEY-----|api_key⟧\nthat was it',
  ],
  [
    'a private key behind words',
    "here's mine:\n\n⟦-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\n-----END PRIVATE KEY-----|api_key⟧",
  ],
  ['a bot token of Telegram', 'bot:\n⟦123456789:AAabcdefghijklmnopqrstuvwxyzABCDEFG|api_key⟧'],
  [
    'a webhook of Slack',
    // As Slack's documentation writes it: the token is of this form, and nobody's.
    'post to\nhttps://hooks.slack.com/services/⟦T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX|api_key⟧\n',
  ],
  ['a JWT in its line', 'token:\n⟦eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P|jwt⟧\n'],
  // By name.
  ['a password in its line', 'login\npassword: ⟦correcthorse|secret⟧\nuser: bob'],
  ['a password at the beginning', 'password: ⟦correcthorse|secret⟧\nuser: bob'],
  ['a password at the end', 'user: bob\npassword: ⟦correcthorse|secret⟧'],
  ['a password in the next line', 'password:\n⟦hunter2x|secret⟧\nuser: bob'],
  ['a password behind a tab', 'user\tbob\npassword:\t⟦hunter2x|secret⟧'],
  ['a password in quotes', 'the "password": "⟦hunter two|secret⟧" was set'],
  ['a password in apostrophes', "db = {'password': '⟦hunter two|secret⟧', 'user': 'bob'}"],
  ['JSON', '{"user": "bob", "password": "⟦hun ter|secret⟧", "n": 1}'],
  ['JSON behind words', 'Send {"user":"bob","password":"⟦hun ter|secret⟧"} to it'],
  ['a password with a quote', '{"password": "⟦hun\\"ter|secret⟧"}'],
  ['an environment', 'PORT=80\nDB_PASSWORD=⟦correcthorse|secret⟧\nHOST=db'],
  ['a variable with export', 'export STRIPE_SECRET="⟦horse battery|secret⟧"\nrun'],
  ['YAML', 'db:\n  user: app\n  password: ⟦hunter2x|secret⟧\n  port: 5432'],
  ['folded YAML', 'db:\n  password: >-\n    ⟦hunter2x|secret⟧\n  port: 5432'],
  ['YAML in lines of its own', 'auth:\n  api_key: |\n    ⟦zx81spectrum48k|secret⟧\n'],
  ['a short name in its line', 'name: bob\npass: ⟦tr0ub4dor3|secret⟧\n'],
  ['a cookie', 'GET / HTTP/1.1\nCookie: ⟦sid=abc123; theme=dark|secret⟧\nHost: x'],
  ['a header of a key', 'POST /\r\nX-Api-Key: ⟦abc123def456|secret⟧\r\nAccept: */*'],
  ['Markdown', 'Here you are:\n\n- **User:** bob\n- **Password:** ⟦hunter2x|secret⟧\n'],
  ['SQL', "ALTER USER bob\nIDENTIFIED BY '⟦Tr0ub4dor|secret⟧';"],
  ['SQL with a break', "ALTER USER bob IDENTIFIED BY\n'⟦Tr0ub4dor|secret⟧';"],
  ['a form', 'grant_type=password&username=bob&password=⟦hunterhunter|secret⟧&scope=x'],
  // URLs.
  ['a database', 'DATABASE_URL=postgres://app:⟦S3cr3t|url_password⟧@db/x\nPORT=1'],
  ['a database with an umlaut', 'dsn\npostgres://app:⟦pässw0rd|url_password⟧@db.example.com/x'],
  ['a database in quotes', "url: 'mysql://root:⟦Tr0ub4dor|url_password⟧@db:3306/app'"],
];

export const WRITTEN_SECOND: readonly Written[] = [
  // Spreadsheets and tables.
  ['a row of a spreadsheet', 'Bob Miller\t⟦4000056655665556|card⟧\t12/29\tVisa'],
  ['a row of a spreadsheet with a group a cell', 'Miller\t⟦5200\t8282\t8282\t8210|card⟧\tMastercard'],
  ['a column of labels and values', 'Name\tBob\nCard\t⟦4000 0566 5566 5556|card⟧\nCity\tBonn'],
  ['CSV with semicolons', 'name;card;city\nBob;⟦6011000990139424|card⟧;Bonn\n'],
  ['CSV with quotes', '"Bob","⟦3530111333300000|card⟧","Bonn"\n'],
  ['a table of Markdown', '| who | account |\n|---|---|\n| Bob | ⟦GB29NWBK60161331926819|iban⟧ |\n'],
  ['a row of a table of Markdown with a key', '| prod | ⟦sk_live_4eC39HqLyjWDarjtT1zdp7dc|api_key⟧ |'],
  // The code of a bank ends with XXX for its head office.
  ['an account in a spreadsheet', 'Müller GmbH\t⟦DE89370400440532013000|iban⟧\tCOBADEFFXXX'],
  ['a payroll', 'Ada\t⟦IT60 X054 2811 1010 0000 0123 456|iban⟧\t3200\nBob\t⟦ES91 2100 0418 4502 0005 1332|iban⟧\t2900'],
  // Chats.
  ['a chat without capitals', 'ok so card number is ⟦4242 4242 4242 4242|card⟧ exp 11/27 cvv 123 lol'],
  ['a chat in short lines', 'hi\nmy iban\n⟦AT61 1904 3002 3457 3201|iban⟧\nbic is BKAUATWW'],
  ['a chat with a label and a value in two lines', 'the pw stuff\n\npassword:\n\n⟦Blue-Moon-77|secret⟧\n\ncheers'],
  ['a chat with emoji', 'new password: ⟦p4nda!bear|secret⟧ 🐼 dont share'],
  ['a chat in German', 'Passwort: ⟦Sommer2024!|secret⟧\nBenutzer: anna'],
  ['a chat in Korean', '카드번호⟦4111 1111 1111 1111|card⟧입니다'],
  ['a chat with a key in backticks', 'use `⟦ghp_0123456789abcdefghijABCDEFGHIJ456789|api_key⟧` for now'],
  ['a chat with a block of code', '```\nOPENAI_API_KEY=⟦sk-proj-Zy98Xw76Vu54Ts32Rq10|api_key⟧\n```\nthx'],
  ['a chat with a password in bold', '**Password**: ⟦N0rthWind42|secret⟧'],
  ['a chat that quotes mail', '> password: ⟦N0rthWind42|secret⟧\n> see you'],
  // E-mail.
  [
    'a signature',
    'Kind regards\nAnna Müller\nIBAN ⟦DE02 1203 0000 0000 2020 51|iban⟧\nBIC BYLADEM1001\nTel. 030 1234567',
  ],
  [
    'an invoice',
    'Please transfer EUR 120 to:\n  Account: ⟦FR76 3000 6000 0112 3456 7890 189|iban⟧\n  Reference: 2024-17',
  ],
  ['a mail with credentials', 'Dear Bob,\n\nUsername: bob\nPassword: ⟦Zebra-Stripe-9|secret⟧\n\nBest, IT'],
  ['a confirmation', 'Your temporary password is below.\nTemporary password: ⟦xK9mPq2v|secret⟧\n'],
  ['a receipt', 'Charged to card ⟦4000-0000-0000-0077|card⟧ on 2024-05-01'],
  // .env
  [
    '.env in a block',
    '# .env\nNODE_ENV=production\nSTRIPE_SECRET_KEY=⟦sk_test_4eC39HqLyjWDarjtT1zdp7dc|api_key⟧\nSENTRY_DSN=\n',
  ],
  ['.env with quotes', "SECRET_KEY_BASE='abc'\nJWT_SECRET='⟦a-string-nobody-guesses-5|secret⟧'\n"],
  ['.env with a database', 'DATABASE_URL="mysql://shop:⟦w1nter!|url_password⟧@10.0.0.5:3306/shop"\nDEBUG=1'],
  [
    '.env of AWS',
    'AWS_ACCESS_KEY_ID=⟦AKIAIOSFODNN7EXAMPLE|api_key⟧\nAWS_SECRET_ACCESS_KEY=⟦wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY|secret⟧\n',
  ],
  ['.env of Redis', 'REDIS_PASSWORD=⟦opensesame|secret⟧\nREDIS_PORT=6379'],
  ['.env with export and a comment', 'export GITHUB_TOKEN=⟦ghp_0123456789abcdefghijABCDEFGHIJ456789|api_key⟧ # ci'],
  // curl and commands
  [
    'curl with a header',
    "curl -X POST https://api.example.com/v1 \\\n  -H 'Authorization: Bearer ⟦a9f8e7d6c5b4a3f2e1d0|secret⟧' \\\n  -d '{}'",
  ],
  ['curl with a key in a header', 'curl -H "x-api-key: ⟦k3y-0f-th3-h0us3|secret⟧" https://api.example.com'],
  ['curl with JSON', 'curl -d \'{"username":"bob","password":"⟦red apple|secret⟧"}\' https://example.com/login'],
  ['curl with a form', 'curl https://example.com/token -d "client_id=a&client_secret=⟦s3cr3tv4lu3|secret⟧&x=y"'],
  ['curl with a user in a URL', 'curl https://bob:⟦gr33nfrog|url_password⟧@example.com/private'],
  ['an option', 'mysqldump --user=root --password=⟦gr33nfrog|secret⟧ shop > dump.sql'],
  ['docker', 'docker run -e POSTGRES_PASSWORD=⟦gr33nfrog|secret⟧ -p 5432:5432 postgres'],
  ['git', 'git remote add o https://bob:⟦ghp_0123456789abcdefghijABCDEFGHIJ456789|url_password⟧@github.com/bob/x.git'],
  ['PowerShell', "$env:API_KEY = '⟦zx81spectrum48k|secret⟧'\nInvoke-WebRequest x"],
  // Stack traces and logs.
  [
    'a stack trace of Python',
    'Traceback (most recent call last):\n  File "/app/db.py", line 4, in connect\n    raise E("postgresql://svc:⟦0range-Juice|url_password⟧@db:5432/x")\nE: failed',
  ],
  [
    'a stack trace of Node',
    'Error: Incorrect API key provided: ⟦sk-proj-Zy98Xw76Vu54Ts32Rq10|api_key⟧.\n    at Client.req (/app/node_modules/x.js:10:5)\n    at async main',
  ],
  [
    'a stack trace of Java',
    'java.sql.SQLException: Access denied\n\tat jdbc:mysql://app:⟦0rangeJuice|url_password⟧@db/x\n\tat com.example.Db.open(Db.java:42)',
  ],
  ['a log line', '2024-05-01T10:00:00Z WARN login failed user=bob password=⟦0rangeJuice|secret⟧ ip=10.0.0.1'],
  ['a log line of a request', 'INFO "POST /login?token=⟦9f86d081884c7d659a2feaa0c55ad015|secret⟧ HTTP/1.1" 200 12'],
  [
    'a dump of headers',
    "{'User-Agent': 'x', 'Authorization': 'Bearer ⟦eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI5OSJ9.c2lnbmF0dXJlLXNpZ25hdHVyZQ|secret⟧'}",
  ],
  // YAML, settings, code.
  ['YAML of Kubernetes', 'apiVersion: v1\nkind: Secret\nstringData:\n  password: "⟦swordfish-12|secret⟧"\n'],
  ['YAML of a compose file', 'services:\n  db:\n    environment:\n      - MYSQL_ROOT_PASSWORD=⟦swordfish|secret⟧\n'],
  [
    'YAML with a list',
    'users:\n  - name: bob\n    password: ⟦swordfish12|secret⟧\n  - name: eve\n    password: ⟦s4rdine|secret⟧\n',
  ],
  ['TOML', '[database]\nhost = "db"\npassword = "⟦swordfish 12|secret⟧"\n'],
  ['INI', '[smtp]\nuser=mailer\npassword=⟦swordfish12|secret⟧\n'],
  ['properties of Java', 'spring.datasource.username=app\nspring.datasource.password=⟦swordfish12|secret⟧\n'],
  ['code of Python', 'client = OpenAI(api_key="⟦sk-ant-api03-Zy98Xw76Vu54Ts32Rq10|api_key⟧")\nprint(1)'],
  ['code of JavaScript', "const config = { user: 'bob', password: '⟦blue fish|secret⟧' };\n"],
  ['an object of Terraform', 'resource "x" "y" {\n  username = "bob"\n  password = "⟦blue fish|secret⟧"\n}\n'],
  // Connection strings.
  ['a string of ADO', 'Server=tcp:db,1433;User ID=app;Password=⟦T1ger!Lily|secret⟧;Encrypt=True;'],
  ['a string of MongoDB', 'mongodb+srv://app:⟦T1gerLily|url_password⟧@c0.ab.mongodb.net/shop?retryWrites=true'],
  [
    'a string of Azure storage',
    'DefaultEndpointsProtocol=https;AccountName=a;AccountKey=⟦Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4MTI=|secret⟧;EndpointSuffix=core.windows.net',
  ],
  ['a string of libpq', 'host=db user=app password=⟦T1gerLily|secret⟧ dbname=shop'],
  ['a string of RabbitMQ', 'amqps://svc:⟦T1ger~Lily|url_password⟧@mq.example.com/vhost'],
  ['a string of Oracle', 'jdbc:oracle:thin:scott/⟦t1gerlily|url_password⟧@//db:1521/x'],
];
