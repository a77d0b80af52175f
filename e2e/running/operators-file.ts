import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Role } from '#lib/api/people/permission.ts';
import { startChild } from './child-process.ts';
import { fixtureServer } from './fixture-server-process.ts';

export interface OperatorAccount {
  readonly name: string;
  readonly password: string;
}

export type OperatorInFile = OperatorAccount & { readonly file: string };

/** Adds people with random passwords. @returns their accounts, in this order */
export async function addOperators(
  folder: string,
  people: readonly { readonly name: string; readonly role: Role }[],
): Promise<OperatorInFile[]> {
  if (people.length === 0) return [];
  const file = join(folder, 'operators.json');
  const added = people.map((person) => ({ ...person, password: newPassword() }));
  await fixtureServer().obey({ kind: 'add-operators', file, people: added });
  return added.map(({ name, password }) => ({ name, password, file }));
}

/** Adds an operator with a random password, by the command of an administrator. @returns the account and the path of its file */
export function addOperator(folder: string, name: string, role: Role = 'operator'): Promise<OperatorInFile> {
  return withNewPassword(['add', name, '--role', role], name, join(folder, 'operators.json'));
}

export function changePassword({ name, file }: OperatorInFile): Promise<OperatorInFile> {
  return withNewPassword(['password', name], name, file);
}

export async function removeOperator({ name, file }: OperatorInFile): Promise<void> {
  const child = startChild(
    ['--conditions=react-server', 'scripts/operator.ts', 'remove', name, '--file', file],
    elsewhere(file),
    ['ignore', 'ignore', 'pipe'],
  );
  const code = await child.exited;
  if (code !== 0) throw new Error(`npm run operator -- remove ended with ${code}:\n${child.stderr()}`);
}

function newPassword(): string {
  return randomBytes(18).toString('base64url');
}

/** Away from Lookout's own, so that it finds in the file alone what has changed. */
function elsewhere(file: string): { readonly DATA_DIR: string } {
  return { DATA_DIR: join(dirname(file), 'elsewhere') };
}

async function withNewPassword(command: readonly string[], name: string, file: string): Promise<OperatorInFile> {
  const password = newPassword();
  const child = startChild(
    ['--conditions=react-server', 'scripts/operator.ts', ...command, '--password-stdin', '--file', file],
    elsewhere(file),
    ['pipe', 'ignore', 'pipe'],
  );
  child.process.stdin?.end(`${password}\n`);
  const code = await child.exited;
  if (code !== 0) throw new Error(`npm run operator -- ${command.join(' ')} ended with ${code}:\n${child.stderr()}`);
  return { name, password, file };
}

/** Runs `npm run operator` beside a running Lookout. */
export async function runOperator({ folder }: { readonly folder: string }, command: readonly string[]) {
  const child = startChild(
    ['--conditions=react-server', 'scripts/operator.ts', ...command],
    { OPERATORS_FILE: join(folder, 'operators.json'), DATA_DIR: folder },
    ['ignore', 'pipe', 'pipe'],
  );
  const stdout = child.process.stdout ? text(child.process.stdout) : '';
  const code = await child.exited;
  return { code, stdout: await stdout, stderr: child.stderr() };
}
