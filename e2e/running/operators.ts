import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import type { Role } from '#lib/api/people/permission.ts';
import { startChild } from './child-process.ts';
import type { DatabaseSettings } from './database-settings.ts';
import { fixtureServer } from './fixture-server-process.ts';

export interface OperatorAccount {
  readonly name: string;
  readonly password: string;
}

export type StoredOperator = OperatorAccount & { readonly at: DatabaseSettings };

/** @returns accounts in this order */
export async function addOperators(
  at: DatabaseSettings,
  people: readonly { readonly name: string; readonly role: Role }[],
): Promise<StoredOperator[]> {
  if (people.length === 0) return [];
  const added = people.map((person) => ({ ...person, password: newPassword() }));
  await fixtureServer().obey({ kind: 'add-operators', at, people: added });
  return added.map(({ name, password }) => ({ name, password, at }));
}

export function addOperator(at: DatabaseSettings, name: string, role: Role = 'operator'): Promise<StoredOperator> {
  return withNewPassword(['add', name, '--role', role], name, at);
}

function newPassword(): string {
  return randomBytes(18).toString('base64url');
}

async function withNewPassword(
  command: readonly string[],
  name: string,
  at: DatabaseSettings,
): Promise<StoredOperator> {
  const password = newPassword();
  const child = startChild(['--conditions=react-server', 'scripts/operator.ts', ...command, '--password-stdin'], at, [
    'pipe',
    'ignore',
    'pipe',
  ]);
  child.process.stdin?.end(`${password}\n`);
  const code = await child.exited;
  if (code !== 0) throw new Error(`npm run operator -- ${command.join(' ')} ended with ${code}:\n${child.stderr()}`);
  return { name, password, at };
}

export async function runOperator(at: DatabaseSettings, command: readonly string[]) {
  const child = startChild(['--conditions=react-server', 'scripts/operator.ts', ...command], at, [
    'ignore',
    'pipe',
    'pipe',
  ]);
  const stdout = child.process.stdout ? text(child.process.stdout) : '';
  const code = await child.exited;
  return { code, stdout: await stdout, stderr: child.stderr() };
}
