import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Operators } from './operators.ts';
import { type OperatorsFile, operatorNamePattern, readOperatorsFile, writeOperatorsFile } from './operators-file.ts';

const hashOf = (letter: string) => `$argon2id$v=19$m=19456,t=2,p=1$${letter.repeat(22)}$${letter.repeat(43)}`;
const content: OperatorsFile = {
  version: 1,
  operators: [
    { name: 'anna', password: hashOf('A') },
    { name: 'Béla Kovács', password: hashOf('B') },
  ],
};
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
    writeOperatorsFile(file, { version: 1, operators: [] });
    writeOperatorsFile(file, content);
    expect(readOperatorsFile(file)).toEqual(content);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['operators.json']);
  });

  test.each([
    ['no JSON', '{'],
    ['another version', JSON.stringify({ ...content, version: 2 })],
    [
      'a password that is not hashed',
      JSON.stringify({ version: 1, operators: [{ name: 'anna', password: 'secret' }] }),
    ],
    ['an operator twice', JSON.stringify({ version: 1, operators: [content.operators[0], content.operators[0]] })],
    ['an unknown field', JSON.stringify({ ...content, admin: true })],
    ['a name with markup', JSON.stringify({ version: 1, operators: [{ name: '<b>', password: hashOf('A') }] })],
  ])('with %s is refused, and named in the error', (_, text) => {
    writeFileSync(file, text);
    expect(() => readOperatorsFile(file)).toThrow(file);
    expect(() => new Operators(file, quiet)).toThrow(file);
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
    writeOperatorsFile(file, content);
    const operators = new Operators(file, quiet);
    expect(operators.passwordHash('anna')).toBe(hashOf('A'));
    writeOperatorsFile(file, { version: 1, operators: [{ name: 'Carla', password: hashOf('C') }] });
    expect(operators.passwordHash('anna')).toBeUndefined();
    expect(operators.passwordHash('Carla')).toBe(hashOf('C'));
  });

  test('keeps the last valid file while the current one is broken or missing', () => {
    writeOperatorsFile(file, content);
    const operators = new Operators(file, quiet);
    writeFileSync(file, '{ half a file');
    expect(operators.passwordHash('anna')).toBe(hashOf('A'));
    rmSync(file);
    expect(operators.passwordHash('anna')).toBe(hashOf('A'));
    expect(operators.passwordHash('eve')).toBeUndefined();
    writeOperatorsFile(file, { version: 1, operators: [] });
    expect(operators.passwordHash('anna')).toBeUndefined();
  });

  test('does not find names that every object inherits', () => {
    writeOperatorsFile(file, content);
    const operators = new Operators(file, quiet);
    for (const name of ['__proto__', 'constructor', 'toString', 'ANNA']) {
      expect(operators.passwordHash(name)).toBeUndefined();
    }
  });
});
