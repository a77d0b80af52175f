import { userInfo } from 'node:os';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { AccountBook } from '../accounts/account-book.ts';
import { makeAccountsFile } from '../accounts/sqlite/accounts-file.ts';
import { openSqliteBook } from '../accounts/sqlite/sqlite-book.ts';
import { accountsFileIn } from '../data-dir/open-data-dir.ts';
import { makePrivateDir } from '../data-dir/private-dir.ts';
import { accountCommands } from './commands/account-commands.ts';
import { auditCommand } from './commands/audit-command.ts';
import { backupCommand } from './commands/backup-command.ts';
import type { Command } from './commands/command.ts';
import { grantCommands } from './commands/grant-commands.ts';
import { keyCommands } from './commands/key-commands.ts';
import { CommandArguments } from './read-arguments.ts';
import { userPath } from './user-path.ts';
import { pathForm } from './value-forms.ts';

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

export type CommandResult =
  | { readonly ok: true; readonly output: string }
  /** 2 for wrong arguments, 1 for a failure. */
  | { readonly ok: false; readonly exitCode: 1 | 2; readonly problems: readonly string[] };

/** @returns undefined for no such command */
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
    return { ok: false, exitCode: 1, problems: [error instanceof Error ? error.message : String(error)] };
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
