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
  test('what is written is read back, readable by its owner alone, with nothing left beside it', () => {
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
    ['a field that nobody knows', JSON.stringify({ ...content, admin: true })],
    ['a name with markup', JSON.stringify({ version: 1, operators: [{ name: '<b>', password: hashOf('A') }] })],
  ])('with %s is refused by its name', (_, text) => {
    writeFileSync(file, text);
    expect(() => readOperatorsFile(file)).toThrow(file);
    expect(() => new Operators(file, quiet)).toThrow(file);
  });

  test.each(['', ' anna', 'an\nna', 'a\u0000', '<script>', 'a'.repeat(65), '-anna', 'anna\u202egnp'])(
    '%j is no name that is safe on a screen and in a log',
    (name) => {
      expect(operatorNamePattern.test(name)).toBe(false);
    },
  );
});

describe('Operators', () => {
  test('a changed file holds at once: who was added may sign in, who was removed may not', () => {
    writeOperatorsFile(file, content);
    const operators = new Operators(file, quiet);
    expect(operators.passwordHash('anna')).toBe(hashOf('A'));
    writeOperatorsFile(file, { version: 1, operators: [{ name: 'Carla', password: hashOf('C') }] });
    expect(operators.passwordHash('anna')).toBeUndefined();
    expect(operators.passwordHash('Carla')).toBe(hashOf('C'));
  });

  test('a file that breaks or vanishes gives nobody access and takes it from nobody, until it is mended', () => {
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

  test('names are not found in what every object has', () => {
    writeOperatorsFile(file, content);
    const operators = new Operators(file, quiet);
    for (const name of ['__proto__', 'constructor', 'toString', 'ANNA']) {
      expect(operators.passwordHash(name)).toBeUndefined();
    }
  });
});
