import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { startChild } from './child-process.ts';

export interface OperatorAccount {
  readonly name: string;
  readonly password: string;
}

/** Adds an operator with a random password, as an administrator would. @returns the account and the path of its file */
export async function addOperator(folder: string, name: string): Promise<OperatorAccount & { readonly file: string }> {
  const file = join(folder, 'operators.json');
  const password = randomBytes(18).toString('base64url');
  const child = startChild(
    ['--conditions=react-server', 'scripts/operator.ts', 'add', name, '--password-stdin', '--file', file],
    {},
    ['pipe', 'ignore', 'pipe'],
  );
  child.process.stdin?.end(`${password}\n`);
  const code = await child.exited;
  if (code !== 0) throw new Error(`adding an operator ended with ${code}:\n${child.stderr()}`);
  return { name, password, file };
}
