import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Operators } from './operators.ts';
import {
  changeOperatorsFile,
  FileNotWritable,
  type OperatorEntry,
  operatorNamePattern,
  readOperatorsFile,
} from './operators-file.ts';

const hashOf = (letter: string) => `$argon2id$v=19$m=19456,t=2,p=1$${letter.repeat(22)}$${letter.repeat(43)}`;
const passkey = { id: 'AQID', public_key: 'pQEC', name: 'Key', transports: ['usb'], added_at: '2026-11-22T12:00:00Z' };
const anna: OperatorEntry = { name: 'anna', role: 'admin', password: hashOf('A'), passkeys: [] };
const content = {
  version: 2,
  operators: [anna, { name: 'Béla Kovács', role: 'viewer' as const, passkeys: [passkey] }],
};
const write = (operators: OperatorEntry[]) => changeOperatorsFile(file, () => operators);
const quiet = pino({ level: 'silent' });

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lookout-operators-'));
  file = join(folder, 'operators.json');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe('the file of operators', () => {
  test('is read back as written, readable by its owner alone, without leftover files', () => {
    write([]);
    write(content.operators);
    expect(readOperatorsFile(file)).toEqual(content);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['operators.json', 'operators.json.lock']);
  });

  test.each([
    ['no JSON', '{'],
    ['the version before roles', JSON.stringify({ version: 1, operators: [] })],
    ['another version', JSON.stringify({ ...content, version: 3 })],
    ['a password that is not hashed', JSON.stringify({ version: 2, operators: [{ ...anna, password: 'secret' }] })],
    ['an operator without a role', JSON.stringify({ version: 2, operators: [{ ...anna, role: undefined }] })],
    ['an operator of an unknown role', JSON.stringify({ version: 2, operators: [{ ...anna, role: 'root' }] })],
    ['an operator twice', JSON.stringify({ version: 2, operators: [anna, anna] })],
    [
      'a passkey of two operators',
      JSON.stringify({ version: 2, operators: [{ ...anna, passkeys: [passkey] }, content.operators[1]] }),
    ],
    ['an unknown field', JSON.stringify({ ...content, admin: true })],
    ['a name with markup', JSON.stringify({ version: 2, operators: [{ ...anna, name: '<b>' }] })],
  ])('with %s is refused, and named in the error', (_, text) => {
    writeFileSync(file, text);
    expect(() => readOperatorsFile(file)).toThrow(file);
    expect(() => new Operators(file, quiet)).toThrow(file);
  });

  test('two processes that change it at once both do: neither loses what the other wrote', async () => {
    write([]);
    const writer = fileURLToPath(new URL('./add-operators.fixture.ts', import.meta.url));
    const run = promisify(execFile);
    const names = ['one', 'two', 'three'];
    await Promise.all(
      names.map((name) => run(process.execPath, ['--conditions=react-server', writer, file, name, '20'])),
    );
    expect(readOperatorsFile(file).operators).toHaveLength(60);
  });

  test('a folder that cannot be written is said, and nothing is changed', () => {
    write(content.operators);
    const missing = join(folder, 'none', 'operators.json');
    expect(() => changeOperatorsFile(missing, () => [])).toThrow(FileNotWritable);
    expect(() => changeOperatorsFile(file, () => [anna, anna])).toThrow('names an operator twice');
    expect(readOperatorsFile(file)).toEqual(content);
  });

  test.each(['', ' anna', 'an\nna', 'a\u0000', '<script>', 'a'.repeat(65), '-anna', 'anna\u202egnp'])(
    '%j is not a safe name on a screen and in a log',
    (name) => {
      expect(operatorNamePattern.test(name)).toBe(false);
    },
  );
});

describe('Operators', () => {
  test('applies a changed file at once: added operators may sign in, removed ones may not', () => {
    write(content.operators);
    const operators = new Operators(file, quiet);
    expect(operators.find('anna')?.password).toBe(hashOf('A'));
    write([{ ...anna, name: 'Carla', password: hashOf('C') }]);
    expect(operators.find('anna')).toBeUndefined();
    expect(operators.find('Carla')?.password).toBe(hashOf('C'));
  });

  test('keeps the last valid file while the current one is broken or missing', () => {
    write(content.operators);
    const operators = new Operators(file, quiet);
    writeFileSync(file, '{ half a file');
    expect(operators.find('anna')?.password).toBe(hashOf('A'));
    rmSync(file);
    expect(operators.find('anna')?.password).toBe(hashOf('A'));
    expect(operators.find('eve')).toBeUndefined();
    write([]);
    expect(operators.find('anna')).toBeUndefined();
  });

  test('a file that is broken is logged once, and once more when it can be read again', () => {
    const logged: string[] = [];
    write(content.operators);
    const operators = new Operators(file, pino({ level: 'info' }, { write: (line: string) => void logged.push(line) }));
    writeFileSync(file, '{ half a file');
    for (let request = 0; request < 5; request++) operators.find('anna');
    expect(logged).toEqual([expect.stringContaining('the file of operators cannot be read')]);
    rmSync(file);
    write(content.operators);
    for (let request = 0; request < 5; request++) operators.find('anna');
    expect(logged.slice(1)).toEqual([expect.stringContaining('the file of operators can be read again')]);
  });

  test('does not find names that every object inherits', () => {
    write(content.operators);
    const operators = new Operators(file, quiet);
    for (const name of ['__proto__', 'constructor', 'toString', 'ANNA']) {
      expect(operators.find(name)).toBeUndefined();
    }
  });
});
