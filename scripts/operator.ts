// Manages operators and their sessions. A running app sees each change within a second:
//   npm run operator -- add | list | remove | password | remove-passkeys | role | sign-out
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { parseArgs } from 'node:util';
import type { AuditEvent } from '#lib/api/people/audit-event.ts';
import { ROLES, type Role, roleSchema } from '#lib/api/people/permission.ts';
import { NAME_MAX_LENGTH } from '#lib/api/people/session-messages.ts';
import { commandText } from '#lib/commands/command-text.ts';
import type { Database } from '#lib/server/database/database.ts';
import {
  changeOperators,
  type OperatorEntry,
  operatorNamePattern,
  readOperators,
} from '#lib/server/sign-in/operators.ts';
import { hashPassword, passwordProblem } from '#lib/server/sign-in/passwords.ts';
import { labelOf } from '#lib/server/sign-in/session.ts';
import { Sessions } from '#lib/server/sign-in/sessions.ts';
import { Supervisor } from '#lib/server/supervision/supervisor.ts';
import { localInstant } from '#lib/time/instant.ts';
import { VERSION_LINE } from '#lib/version/lookout-version.ts';
import { recordAtCommandLine } from './setup/command-line-audit.ts';
import { auditUsage, printAudit } from './setup/print-audit.ts';
import { endAfterVersion } from './setup/version-option.ts';
import { withDatabase } from './setup/with-database.ts';

endAfterVersion();
process.umask(0o077);

const operator = (args: string) => commandText('operator', args.padEnd(22));
const usage = `${VERSION_LINE}${operator('add NAME [--role ROLE]')}  adds an operator; ROLE is ${ROLES.join(', ')} (default: operator)
${operator('list')}  lists the operators, their roles, and by what they sign in
${operator('role NAME ROLE')}  changes the role
${operator('password NAME')}  sets a new password, and ends the operator's sessions
${operator('remove-passkeys NAME')}  removes lost passkeys, and ends the operator's sessions
${operator('sign-out NAME')}  ends the operator's sessions
${operator('remove NAME')}  removes an operator, and ends their sessions
${auditUsage}
Operators are in the database of DATABASE_URL, or in DATA_DIR (data). A running Lookout knows each change within a second. The password
comes from a prompt, or with --password-stdin from the first line of standard input.
`;

function stop(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

function readOptions() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        role: { type: 'string' },
        'password-stdin': { type: 'boolean' },
        help: { type: 'boolean' },
      },
    });
  } catch (error) {
    return stop(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
  }
}

if (process.argv[2] === 'audit') {
  // A reader such as `head` stops early.
  process.stdout.on('error', () => process.exit(0));
  try {
    await printAudit(
      process.argv.slice(3),
      process.env,
      (line) => process.stdout.write(`${line}\n`),
      localInstant(Date.now()),
    );
    await new Promise((written) => process.stdout.write('', written));
    process.exit(0);
  } catch (error) {
    stop(`${error instanceof Error ? error.message : String(error)}\n\n${auditUsage}`);
  }
}

const { values, positionals } = readOptions();
const say = (line: string) => process.stdout.write(`${line}\n`);

if (values.help) {
  process.stdout.write(usage);
  process.exit(0);
}
if (positionals.length === 0) stop(usage);
let database: Database;
try {
  await withDatabase(
    process.env,
    (opened) => {
      database = opened;
      return run(positionals);
    },
    positionals[0] === 'add',
  );
} catch (error) {
  stop(error instanceof Error ? error.message : String(error));
}

async function run([action, name, ...rest]: readonly string[]): Promise<void> {
  if (values.role !== undefined && action !== 'add') stop(`--role is for add.\n\n${usage}`);
  if (action === 'list' && name === undefined) return list();
  const isComplete = rest.length === (action === 'role' ? 1 : 0);
  if (action === undefined || name === undefined || !isComplete) stop(usage);
  switch (action) {
    case 'add':
      return add(name, roleOf(values.role ?? 'operator'));
    case 'role':
      return setRole(name, roleOf(rest[0] ?? ''));
    case 'password':
      return setPassword(name);
    case 'remove-passkeys':
      return removePasskeys(name);
    case 'sign-out':
      return signOut(name);
    case 'remove':
      return remove(name);
    default:
      stop(usage);
  }
}

async function list(): Promise<void> {
  for (const { name, role, password, passkeys } of await readOperators(database.query)) {
    const by = [...(password ? ['password'] : []), ...(passkeys.length > 0 ? [`passkeys: ${passkeys.length}`] : [])];
    say(`${name}\t${role}\t${by.join(', ') || 'cannot sign in'}`);
  }
}

async function add(name: string, role: Role): Promise<void> {
  if (!operatorNamePattern.test(name))
    stop(
      `Write a name of 1 to ${NAME_MAX_LENGTH} letters, digits, spaces and . _ @ -, starting with a letter or digit.`,
    );
  const before = await readOperators(database.query);
  const taken = `${name} is an operator already; change the password with ${commandText('operator', 'password NAME')}, the role with ${commandText('operator', 'role NAME ROLE')}.`;
  if (before.some((operator) => operator.name === name)) stop(taken);
  const password = await hashPassword(await newPassword(name));
  const isFirst = before.length === 0;
  await changeOperators(database, (present) => {
    if (present.some((operator) => operator.name === name)) throw new Error(taken);
    return [...present, { name, role, password, passkeys: [] }];
  });
  await record({ kind: 'person_added', person: name, role });
  const from = isFirst ? ' A Lookout that runs without sign-in asks for it from its next start on.' : '';
  say(`${name} can sign in, as ${role}.${from}`);
}

async function setRole(name: string, role: Role): Promise<void> {
  await changeOperator(name, (operator) => ({ ...operator, role }));
  await record({ kind: 'role_changed', person: name, role });
  say(`${name} is ${role} now.`);
}

async function setPassword(name: string): Promise<void> {
  await changeOperator(name, (operator) => operator);
  const password = await hashPassword(await newPassword(name));
  await changeOperator(name, ({ initial_until: _, ...operator }) => ({ ...operator, password }));
  await record({ kind: 'password_changed', person: name });
  say(`${name} has a new password. ${await endSessions(name)}`);
}

async function removePasskeys(name: string): Promise<void> {
  let removed: OperatorEntry['passkeys'] = [];
  await changeOperator(name, (operator) => {
    removed = operator.passkeys;
    return { ...operator, passkeys: [] };
  });
  await record(
    ...removed.map((passkey) => ({ kind: 'passkey_removed' as const, person: name, passkey: passkey.name })),
  );
  say(`${name} has no passkeys any more. ${await endSessions(name)}`);
}

async function signOut(name: string): Promise<void> {
  say(await endSessions(name));
}

async function remove(name: string): Promise<void> {
  await changeOperator(name, () => undefined);
  await record({ kind: 'person_removed', person: name });
  say(`${name} can no longer sign in. ${await endSessions(name)}`);
}

/** @param change `undefined` removes the operator */
async function changeOperator(
  name: string,
  change: (operator: OperatorEntry) => OperatorEntry | undefined,
): Promise<void> {
  await changeOperators(database, (before) => {
    if (!before.some((operator) => operator.name === name))
      throw new Error(`There is no operator ${name}; list them with ${commandText('operator', 'list')}.`);
    return before.flatMap((operator) => (operator.name === name ? (change(operator) ?? []) : operator));
  });
}

async function endSessions(name: string): Promise<string> {
  const now = () => localInstant(Date.now());
  // A command has no other way to report a failure.
  const log = {
    warn: () => undefined,
    error({ err }: { readonly err: unknown }) {
      throw err;
    },
  };
  const sessions = new Sessions(database, now, new Supervisor({ now, log }).part('sessions'));
  const open = await sessions.list();
  const named = open.filter(({ operatorId, person }) => operatorId === name || person?.name === name);
  const ids = new Set(named.map(({ operatorId }) => operatorId));
  for (const operatorId of ids) await sessions.end({ operatorId });
  const own = open.filter(({ operatorId }) => ids.has(operatorId));
  await record(
    ...own.map(({ key, operatorId: person }): AuditEvent => {
      return { kind: 'session_ended', person, session: labelOf(key), how: 'by_admin' };
    }),
  );
  return `Sessions of ${name} that were ended: ${own.length}.`;
}

/** Records events; if that fails, it prints a message to stderr. */
async function record(...events: readonly AuditEvent[]): Promise<void> {
  if (events.length === 0) return;
  const problem = await recordAtCommandLine(database, events, localInstant(Date.now()), process.env);
  if (problem) process.stderr.write(`${problem}\n`);
}

function roleOf(text: string): Role {
  const role = roleSchema.safeParse(text);
  return role.success ? role.data : stop(`${JSON.stringify(text)} is no role: write ${ROLES.join(', ')}.`);
}

async function newPassword(name: string): Promise<string> {
  const password = values['password-stdin'] ? await passwordFromStdin() : await askPassword(name);
  const problem = await passwordProblem(password, name);
  return problem ? stop(problem) : password;
}

/** Twice, without echo. @throws Error if the two differ or there is no terminal */
async function askPassword(name: string): Promise<string> {
  if (!process.stdin.isTTY) throw new Error('There is no terminal to read the password from: use --password-stdin.');
  const first = await askHidden(`Password for ${name}: `);
  const second = await askHidden('Repeat the password: ');
  if (first !== second) throw new Error('The two passwords differ, and nothing was changed: try again.');
  return first;
}

async function passwordFromStdin(): Promise<string> {
  for await (const line of createInterface({ input: process.stdin })) return line;
  return '';
}

function askHidden(question: string): Promise<string> {
  process.stderr.write(question);
  const discard = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: discard, terminal: true });
  return new Promise((resolve) => {
    terminal.question('', (answer) => {
      terminal.close();
      process.stderr.write('\n');
      resolve(answer);
    });
  });
}
