/** The script of a page: its commands one after another in one shell, as a reader pastes them. */
import { type Block, placeOf } from '../../snippets/blocks.ts';
import { writtenAs } from '../../snippets/written.ts';
import type { Page } from './pages.ts';

/** Run before all pages, with a network. */
const ONCE = ['npm ci', 'npm link'];

/** Commands that go on: in a terminal of their own, until the reader needs their ports again. */
const SERVERS: readonly {
  readonly begins: RegExp;
  readonly ready: string;
  readonly port: number;
  readonly afterwards?: string;
}[] = [
  {
    begins: /^ASSAY_TLS_CERT_FILE=\S+ .*npm start\b/,
    ready: 'curl -sf --cacert tls/ca.crt https://localhost:4319/readyz',
    port: 4319,
  },
  {
    begins: /^([A-Z_]+=\S+ )*(npm start|npx assay serve)\b/,
    ready: 'curl -sf localhost:4319/readyz',
    port: 4319,
    afterwards: 'send_conversations',
  },
  { begins: /^npm run demo\b/, ready: 'grep -q docs/start/quickstart.md "$SESSION/4319.log"', port: 4319 },
  { begins: /^prometheus /, ready: 'curl -sf localhost:9090/-/ready', port: 9090 },
  { begins: /^prometheus-alertmanager /, ready: 'curl -sf localhost:9093/-/ready', port: 9093 },
];
const SERVE = 'npm start';

const HEAD = `set -u
ip link set lo up
# Until the command given succeeds; what was started says why if it does not.
until_true() {
  for _ in $(seq 300); do eval "$2" >/dev/null 2>&1 && return; sleep 0.2; done
  echo "not ready: $2"; cat "$SESSION/$1.log"; exit 90
}
# As if recorded a minute ago, because commands ask for the last days.
recorded_now() {
  node -e '
    const text = require("node:fs").readFileSync(process.argv[1], "utf8");
    const seconds = /(UnixNano": ")([0-9]{10})/g;
    const last = Math.max(...[...text.matchAll(seconds)].map(([, , at]) => Number(at)));
    const later = Math.floor(Date.now() / 1000) - 60 - last;
    process.stdout.write(text.replace(seconds, (_all, name, at) => name + (Number(at) + later)));
  ' "$CLONE/examples/golden-traces/runs.jsonl"
}
send_conversations() {
  while read -r line; do
    curl -sf localhost:4318/v1/traces -H 'content-type: application/json' -d "$line" >/dev/null || exit 91
  done < <(recorded_now)
  until_true 4319 'test "$(curl -s "localhost:4319/api/conversations?limit=100" | grep -o "\\"updated_at\\"" | wc -l)" -ge 3'
}
declare -A servers
serve() {
  # Ctrl-C reaches every process of a terminal's job.
  if test -n "\${servers[$1]:-}"; then kill -INT -- "-\${servers[$1]}"; wait "\${servers[$1]}"; fi
  set -m
  eval "exec $2" >"$SESSION/$1.log" 2>&1 </dev/null &
  set +m
  servers[$1]=$!
  until_true "$1" "$3"
  ASSAY_PID=$(pgrep -g "\${servers[$1]}" -f 'cli/main|bin/assay' | tail -1)
}
expect_code() {
  for code in $2; do test "$1" = "$code" && return; done
  echo "ended with $1, expected $2"; exit 1
}
`;

export function sessionOf(blocks: readonly Block[], page: Page): string {
  const first = page.isServed === true ? [step('started beforehand', SERVE, page)] : [];
  const steps = blocks.flatMap((block) => {
    const commands = ['sh', 'bash', 'console'].includes(block.language)
      ? commandsIn(block)
      : (writtenAs(block)?.run ?? []);
    return [commands].flat().map((command) => step(placeOf(block), command, page));
  });
  return [HEAD, ...first, ...steps, ''].join('\n');
}

function step(place: string, shown: string, page: Page): string {
  if (ONCE.includes(shown)) return '';
  const command = Object.entries(page.replace ?? {}).reduce((text, [from, to]) => text.replaceAll(from, to), shown);
  const said = `printf '\n[%s] $ %s\n' ${quoted(place)} ${quoted(command)}`;
  const server = SERVERS.find(({ begins }) => begins.test(command));
  if (server !== undefined) {
    // `exec` takes no assignments in front of a command.
    const run = /^[A-Z_]+=/.test(command) ? `env ${command}` : command;
    return [said, `serve ${server.port} ${quoted(run)} ${quoted(server.ready)}`, server.afterwards ?? ''].join('\n');
  }
  const [, codes = [0]] = Object.entries(page.codes ?? {}).find(([begin]) => command.startsWith(begin)) ?? [];
  return [said, `eval ${quoted(command)} 2>&1; expect_code $? '${codes.join(' ')}'`].join('\n');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A command ends with its line, unless a quote or a here-document is open or a backslash joins the next one. Only the typed lines of a console. */
function commandsIn({ language, text }: Block): readonly string[] {
  const lines = text.split('\n').flatMap((line) => {
    if (language !== 'console') return [line];
    return line.startsWith('$ ') ? [line.slice(2)] : [];
  });
  const commands: string[] = [];
  let open = '';
  for (const line of lines) {
    open = open === '' ? line : `${open}\n${line}`;
    if (isOpen(open)) continue;
    const command = withoutComment(open).trim();
    if (command !== '') commands.push(command);
    open = '';
  }
  return commands;
}

function isOpen(text: string): boolean {
  const [, delimiter] = /<<(\w+)$/m.exec(text) ?? [];
  if (delimiter !== undefined) return text.split('\n').at(-1) !== delimiter;
  const bare = withoutComment(text)
    .replace(/\\./g, '')
    .replace(/'[^']*'|"[^"]*"/g, '');
  return withoutComment(text).endsWith('\\') || /['"]/.test(bare);
}

/** Comments of the blocks have spaces around, and no quotes open before. */
function withoutComment(text: string): string {
  return text.replace(/(?:^|\s)# .*$/, '').trimEnd();
}
