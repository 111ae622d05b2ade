/** `assay token`: tokens of programs. The service knows of a change within a second, with a shared store within three. */
import { userInfo } from 'node:os';
import { Option, type Command } from 'commander';
import { AuditLog } from '../../access/audit-log.ts';
import { TokenFile } from '../../access/token-file.ts';
import { NAME_EXPECTED, tokenName } from '../../access/token-document.ts';
import { newToken } from '../../access/token.ts';
import { durationMs } from '../../config/quantities.ts';
import { loadSettings, type Settings } from '../../config/settings.ts';
import type { KeptToken, TokenStore } from '../../model/access.ts';
import { ROLES, type Role } from '../../model/caller.ts';
import { accessFilesIn } from '../../serve/store-place/data-directory.ts';
import { accessStoreOf } from '../../serve/http/service-access.ts';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { failOn } from '../load.ts';
import { headRow, printTable } from '../print-table.ts';
import { settingOption } from '../setting-option.ts';
import { addSessions } from './sessions.ts';
import { safe, type Terminal } from '../terminal.ts';

interface PlaceFlags {
  readonly config?: string;
  readonly dataDir?: string;
  readonly file?: string;
}

type CreateFlags = PlaceFlags & { readonly role: Role; readonly name: string; readonly expires?: string };

const DAY_MS = 86_400_000;
const EXPIRY_MAX_MS = 3650 * DAY_MS;

const ROLE_HELP = `
Roles: ingest sends spans; read reads metrics and conversations; review also writes labels, truth and outcomes; admin
may do everything.`;

export function addToken(program: Command, terminal: Terminal): void {
  addSessions(program, terminal);
  const token = program
    .command('token')
    .description('tokens of programs that send to Assay, read from it or write to it');
  withPlace(token.command('create'))
    .description('create a token and print it, this once: only its hash is kept')
    .addOption(new Option('--role <role>', 'what it is for').choices(ROLES).makeOptionMandatory())
    .requiredOption('--name <name>', 'the client that will have it')
    .option('--expires <time>', 'how long it is valid, such as 90d; without it until it is revoked')
    .addHelpText('after', ROLE_HELP)
    .action((flags: CreateFlags) => create(terminal, flags));
  withPlace(token.command('list'))
    .description('list the tokens that are valid')
    .option('--json', 'print JSON')
    .action((flags: PlaceFlags & { readonly json?: boolean }) => list(terminal, flags));
  withPlace(token.command('revoke'))
    .description('make a token invalid')
    .argument('<name or id>', 'as `assay token list` shows it')
    .action((nameOrId: string, flags: PlaceFlags) => revoke(terminal, nameOrId, flags));
}

function withPlace(command: Command): Command {
  return command
    .addOption(settingOption('config'))
    .addOption(settingOption('data_dir', 'Folder of the service, if it has no shared store.'))
    .option('--file <file>', 'keep them in this file instead, to be mounted as access.tokens_file');
}

async function create(terminal: Terminal, flags: CreateFlags): Promise<void> {
  const name = tokenName.safeParse(flags.name);
  if (!name.success) throw new CommandFailure(`--name: expected ${NAME_EXPECTED}`, EXIT.usage);
  const now = Date.now();
  const lifetime = flags.expires === undefined ? undefined : lifetimeOf(flags.expires);
  const expiresAt = lifetime === undefined ? undefined : now + lifetime;
  const { token, kept } = newToken(flags.role, { name: name.data, now, expiresAt });
  await withTokens(flags, async ({ tokens, note }) => {
    if (!(await tokens.add(kept, userInfo().username))) {
      throw new CommandFailure(`there is a token ${flags.name} already: revoke it, or choose another name`, EXIT.usage);
    }
    await note('token-created', kept);
  });
  // Nothing else is on standard output, so that it can go straight into a secret.
  terminal.out(token);
  const until = expiresAt === undefined ? 'until it is revoked' : `until ${new Date(expiresAt).toISOString()}`;
  terminal.err(`token ${name.data} (${kept.id}) with the role ${flags.role}, ${until}; it is not shown again`);
}

function lifetimeOf(written: string): number {
  const parsed = durationMs({ min: 60_000, max: EXPIRY_MAX_MS }).safeParse(written);
  if (parsed.success) return parsed.data;
  throw new CommandFailure(`--expires: expected ${parsed.error.issues[0]?.message ?? ''}`, EXIT.usage);
}

async function list(terminal: Terminal, flags: PlaceFlags & { readonly json?: boolean }): Promise<void> {
  const tokens = await withTokens(flags, (place) => place.tokens.list());
  const now = Date.now();
  const rows = tokens.map(({ id, name, role, createdAt, expiresAt }) => ({
    name,
    id,
    role,
    created: timeOf(createdAt),
    expires: timeOf(expiresAt),
    expired: expiresAt !== undefined && expiresAt <= now,
  }));
  if (flags.json === true) {
    terminal.json(rows, 2);
    return;
  }
  if (rows.length === 0) {
    terminal.err('no tokens');
    return;
  }
  printTable(terminal, [
    headRow('name', 'id', 'role', 'created', 'expires'),
    ...rows.map(({ name, id, role, created, expires, expired }) => [
      safe(name),
      safe(id),
      role,
      created ?? '',
      `${expires ?? 'never'}${expired ? ' (expired)' : ''}`,
    ]),
  ]);
}

function timeOf(milliseconds: number | undefined): string | undefined {
  return milliseconds === undefined ? undefined : new Date(milliseconds).toISOString();
}

async function revoke(terminal: Terminal, nameOrId: string, flags: PlaceFlags): Promise<void> {
  const revoked = await withTokens(flags, async ({ tokens, note }) => {
    const found = await tokens.revoke(nameOrId, userInfo().username);
    if (found !== undefined) await note('token-revoked', found);
    return found;
  });
  if (revoked === undefined)
    throw new CommandFailure(`there is no token ${safe(nameOrId)}: \`assay token list\` lists them`, EXIT.input);
  terminal.out(`revoked token ${safe(revoked.name)} (${safe(revoked.id)}) with the role ${revoked.role}`);
}

interface TokenPlace {
  readonly tokens: TokenStore;
  /** Notes in the audit log of this machine who did it. */
  readonly note: (what: string, token: KeptToken) => Promise<void>;
}

async function withTokens<T>(flags: PlaceFlags, work: (place: TokenPlace) => Promise<T>): Promise<T> {
  // A file of its own is somebody else's data folder, or a secret to be.
  if (flags.file !== undefined) return work({ tokens: new TokenFile(flags.file), note: async () => {} });
  const { config, dataDir } = flags;
  // Creating tokens needs neither judges' keys nor the salt of user ids.
  const { settings, mistakes } = loadSettings({ flags: { config, dataDir }, env: process.env, cwd: process.cwd() });
  failOn(mistakes.filter(({ path }) => path === '' || /^(?:store|data_dir|access)\b/.test(path)));
  const { tokens, close } = await accessStoreOf(settings);
  try {
    return await work({ tokens, note: (what, token) => noteIn(settings, what, token) });
  } finally {
    await close();
  }
}

async function noteIn({ dataDir, sharedStore, access }: Settings, what: string, token: KeptToken): Promise<void> {
  // The table has who it was, and the instances note what they see.
  if (sharedStore !== undefined) return;
  const audit = new AuditLog({
    file: accessFilesIn(dataDir).auditFile,
    maxBytes: access.auditBytes,
    onEvent: () => undefined,
  });
  audit.write({ what, who: `user ${userInfo().username}`, why: `token ${token.name} (${token.id})`, role: token.role });
  await audit.stop();
}
