// npm run operator -- add NAME | remove NAME | list: edits the file of operators.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { NAME_MAX_LENGTH } from '#lib/api/session.ts';
import {
  type OperatorsFile,
  operatorNamePattern,
  readOperatorsFile,
  writeOperatorsFile,
} from '#lib/server/session/operators-file.ts';
import { hashPassword } from '#lib/server/session/password-hash.ts';
import { passwordProblem } from '#lib/server/session/password-rules.ts';
import { askPassword, passwordFromStdin } from './setup/ask-password.ts';

const usage = `npm run operator -- add NAME       adds an operator, or sets a new password
npm run operator -- remove NAME    removes an operator
npm run operator -- list           lists the operators

The file is OPERATORS_FILE, or operators.json; --file FILE names another. The password comes from a prompt, or with
--password-stdin from the first line of standard input.
`;

function stop(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

function readOptions() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: { file: { type: 'string' }, 'password-stdin': { type: 'boolean' }, help: { type: 'boolean' } },
    });
  } catch (error) {
    return stop(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
  }
}

const { values, positionals } = readOptions();
const [action, name, ...rest] = positionals;
if (values.help) {
  process.stdout.write(usage);
  process.exit(0);
}
const file = resolve(
  process.env.INIT_CWD ?? '.',
  values.file ?? (process.env.OPERATORS_FILE?.trim() || 'operators.json'),
);

try {
  const content: OperatorsFile = existsSync(file) ? readOperatorsFile(file) : { version: 1, operators: [] };
  if (action === 'list' && name === undefined) {
    for (const operator of content.operators) process.stdout.write(`${operator.name}\n`);
  } else if ((action === 'add' || action === 'remove') && name !== undefined && rest.length === 0) {
    if (!operatorNamePattern.test(name))
      stop(
        `Write a name of 1 to ${NAME_MAX_LENGTH} letters, digits, spaces and . _ @ -, starting with a letter or digit.`,
      );
    const others = content.operators.filter((operator) => operator.name !== name);
    if (action === 'add') await add(name, others);
    else remove(name, content, others);
  } else stop(usage);
} catch (error) {
  stop(error instanceof Error ? error.message : String(error));
}

async function add(operator: string, others: OperatorsFile['operators']): Promise<void> {
  const password = values['password-stdin'] ? await passwordFromStdin(process.stdin) : await askPassword(operator);
  const problem = passwordProblem(password, operator);
  if (problem) stop(problem);
  writeOperatorsFile(file, {
    version: 1,
    operators: [...others, { name: operator, password: await hashPassword(password) }],
  });
  process.stdout.write(`${operator} can sign in. Start Lookout with OPERATORS_FILE=${file}\n`);
}

function remove(operator: string, content: OperatorsFile, others: OperatorsFile['operators']): void {
  if (others.length === content.operators.length)
    stop(`${file} has no operator ${operator}; list them with npm run operator -- list.`);
  writeOperatorsFile(file, { version: 1, operators: others });
  process.stdout.write(`${operator} can no longer sign in.\n`);
}
