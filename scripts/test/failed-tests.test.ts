import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { failureText, playwrightReport, vitestReport } from './failed-tests.ts';

const project = join(import.meta.dirname, '../..');
let folder: string;
const file = (name: string) => join(folder, name);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lookout-failed-'));
  symlinkSync(join(project, 'node_modules'), file('node_modules'));
  writeFileSync(file('package.json'), '{"type":"module"}');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(program: string, ...args: readonly string[]): void {
  const env = { ...process.env, PLAYWRIGHT_JSON_OUTPUT_NAME: file('report.json'), VITEST: undefined };
  const bin = join(project, 'node_modules', program);
  expect(spawnSync(process.execPath, [bin, ...args], { cwd: folder, env }).status).toBe(1);
}

const body = (firstLine: string) => `${firstLine}
  describe('a room', () => {
    test('is found', () => {});
    test('is wide', () => {
      expect(3, 'metres').toBe(4);
    });
  });
`;

test('of unit tests, the failed ones are named with what they said, and a file that can’t be loaded too', () => {
  writeFileSync(file('wide.test.ts'), body("import { describe, expect, test } from 'vitest';"));
  writeFileSync(file('broken.test.ts'), "import './nowhere.ts';");
  run('vitest/vitest.mjs', 'run', '--reporter=json', `--outputFile=${file('report.json')}`);
  const { passed, failed, failures } = vitestReport(readFileSync(file('report.json'), 'utf8'), folder);
  expect([passed, failed]).toEqual([1, 1]);
  const texts = failures.map(failureText).sort();
  expect(texts).toHaveLength(2);
  expect(texts[0]).toMatch(/^broken\.test\.ts › the file\n {4}.*nowhere/);
  expect(texts[1]).toMatch(/^wide\.test\.ts › a room is wide\n {4}AssertionError: metres: expected 3 to be 4/);
});

test('of browser tests, the failed ones are named with their line', () => {
  writeFileSync(
    file('wide.spec.ts'),
    body("import { expect, test } from '@playwright/test'; const { describe } = test;"),
  );
  run('@playwright/test/cli.js', 'test', 'spec', '--reporter=json');
  const { passed, failed, failures } = playwrightReport(readFileSync(file('report.json'), 'utf8'), folder);
  expect([passed, failed, failures.length]).toEqual([1, 1, 1]);
  expect(failureText(failures[0]!)).toMatch(
    /^wide\.spec\.ts:4 › a room is wide\n {4}Error: metres\n[\s\S]*Expected: 4/,
  );
});
