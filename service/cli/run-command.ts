import { chmodSync, copyFileSync, existsSync, readdirSync } from 'node:fs';
import { userInfo } from 'node:os';
import { errorMessage } from '#lib/text/error-message.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { AccountBook } from '../accounts/account-book.ts';
import { ActRefused } from '../accounts/administer/accounts.ts';
import { copyAccountsFile, makeAccountsFile } from '../accounts/sqlite/accounts-file.ts';
import { openSqliteBook } from '../accounts/sqlite/sqlite-book.ts';
import { accountsFileIn, referenceSecretFileIn } from '../data-dir/open-data-dir.ts';
import { makePrivateDir } from '../data-dir/private-dir.ts';
import { accountCommands } from './commands/account-commands.ts';
import { type Command, known, timeText } from './commands/command.ts';
import { grantCommands } from './commands/grant-commands.ts';
import { keyCommands } from './commands/key-commands.ts';
import { CommandArguments, nameForm, pathForm, userPath, wholeNumber } from './read-arguments.ts';

export type CommandResult =
  | { readonly ok: true; readonly output: string }
  /** 2 for wrong arguments, 1 for a failure. */
  | { readonly ok: false; readonly exitCode: 1 | 2; readonly problems: readonly string[] };

/**
 * Runs a command that acts on the accounts of a data directory, also while a service runs over it.
 * @returns undefined for no such command
 */
export function runCommand(words: readonly string[], now: UpstreamInstant): CommandResult | undefined {
  const [group = '', second = ''] = words;
  const isAlone = Object.hasOwn(COMMANDS, group);
  const name = isAlone ? group : `${group} ${second}`;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) return undefined;

  const options = { ...command.options, data: { type: 'string' }, json: { type: 'boolean' } } as const;
  const given: CommandArguments = new CommandArguments(name, command.operand, options, words.slice(isAlone ? 1 : 2));
  const dataDir = given.required('data', pathForm);
  const act = command.read(given, now);
  if (dataDir === undefined || given.problems.length > 0) return { ok: false, exitCode: 2, problems: given.problems };

  try {
    const path = userPath(dataDir);
    const book = openBook(path, command);
    try {
      const { json, lines } = act({ book, now, by: administrator() }, path);
      const output = given.flag('json') ? JSON.stringify(json) : lines.join('\n');
      return { ok: true, output: `${output}\n` };
    } finally {
      book.close();
    }
  } catch (error) {
    return { ok: false, exitCode: 1, problems: [errorMessage(error)] };
  }
}

function openBook(path: string, { makesData }: Command): AccountBook {
  const file = accountsFileIn(path);
  process.umask(0o077);
  if (makesData) {
    makePrivateDir(path);
    makeAccountsFile(file);
  }
  return openSqliteBook(file);
}

function administrator(): string {
  const sudoer = process.env.SUDO_USER;
  let user: string;
  try {
    user = userInfo().username;
  } catch {
    // A container's user may have no name.
    user = `user ${process.getuid?.() ?? ''}`.trim();
  }
  return sudoer === undefined || sudoer === '' ? user : `${user} (sudo: ${sudoer})`;
}

const AUDIT_DEFAULT = 100;
const AUDIT_MAX = 1_000_000;

const auditCommand: Command = {
  operand: '',
  options: { account: { type: 'string' }, limit: { type: 'string' } },
  read(given) {
    const account = given.value('account', nameForm);
    const limit =
      given.value('limit', {
        parse: (text) => wholeNumber(text, 1, AUDIT_MAX),
        instead: `write how many of the latest acts, from 1 to ${AUDIT_MAX}`,
      }) ?? AUDIT_DEFAULT;
    return ({ book }) => {
      const entries = book.read((rows) => rows.audit({ account, limit }));
      return {
        json: { entries: entries.map(({ at, ...entry }) => ({ at: timeText(at), ...entry })) },
        lines: entries.map(
          ({ at, by, act, account, details }) =>
            `${timeText(at)}  ${by}  ${act}  ${account}  ${JSON.stringify(details)}`,
        ),
      };
    };
  },
};

/** Copies the files that nothing else has: the accounts, and the secret of the track references. */
const backupCommand: Command = {
  operand: '',
  options: { to: { type: 'string' } },
  read(given) {
    const to = given.required('to', { ...pathForm, instead: 'write a new directory for the copy' });
    return (_acting, dataDir) => {
      const target = userPath(known(to));
      if (existsSync(target) && readdirSync(target).length > 0) {
        throw new ActRefused(`${target} is not empty: write a new directory for each backup.`);
      }
      makePrivateDir(target);
      copyAccountsFile(accountsFileIn(dataDir), accountsFileIn(target));
      const secret = referenceSecretFileIn(dataDir);
      if (existsSync(secret)) {
        copyFileSync(secret, referenceSecretFileIn(target));
        chmodSync(referenceSecretFileIn(target), 0o600);
      }
      return {
        json: { backup: target },
        lines: [`The backup is in ${target}. It contains secrets: keep it as you keep a key.`],
      };
    };
  },
};

const COMMANDS: Readonly<Record<string, Command>> = {
  ...named('account', accountCommands),
  ...named('grant', grantCommands),
  ...named('key', keyCommands),
  audit: auditCommand,
  backup: backupCommand,
};

function named(group: string, commands: Readonly<Record<string, Command>>) {
  return Object.fromEntries(Object.entries(commands).map(([name, command]) => [`${group} ${name}`, command]));
}
