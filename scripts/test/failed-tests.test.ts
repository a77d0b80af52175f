import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failedTestText, playwrightReport, type Report, vitestReport, wholeRun } from './failed-tests.ts';

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
  const texts = failures.map(failedTestText).sort();
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
  expect(failedTestText(failures[0]!)).toMatch(
    /^wide\.spec\.ts:4 › a room is wide\n {4}Error: metres\n[\s\S]*Expected: 4/,
  );
});

describe('a run', () => {
  const report: Report = { passed: 2, failed: 0, skipped: 1, failures: [], files: ['lib/a.test.ts'] };
  const whole = (code: number | string, given: Report | Error = report, expected = ['lib/a.test.ts']) => {
    const { failures, ...counts } = wholeRun('unit', code, expected, () => {
      if (given instanceof Error) throw given;
      return given;
    });
    return { ...counts, texts: failures.map(failedTestText) };
  };

  test('passes with its report', () => {
    expect(whole(0)).toEqual({ passed: 2, failed: 0, skipped: 1, texts: [] });
  });

  test('fails without a report', () => {
    expect(whole('SIGKILL', new Error('there is none'))).toMatchObject({
      passed: 0,
      failed: 1,
      texts: ['unit › all tests\n    it ended with SIGKILL and wrote no report that can be read: there is none'],
    });
  });

  test('fails with a code that no test explains', () => {
    expect(whole(1)).toMatchObject({
      failed: 1,
      texts: ['unit › outside of tests\n    it ended with 1, see its output'],
    });
    const failures = [{ where: 'lib/a.test.ts', title: 'is wide', why: 'it is not' }];
    expect(whole(1, { ...report, failed: 1, failures })).toMatchObject({ failed: 1, texts: [expect.any(String)] });
  });

  test('fails with a file that is in no report', () => {
    expect(whole(0, report, ['lib/a.test.ts', 'lib/b.test.ts'])).toMatchObject({
      failed: 1,
      texts: ['lib/b.test.ts › the file\n    it was not run'],
    });
  });

  test('fails without a test', () => {
    expect(whole(0, { ...report, passed: 0, skipped: 0 })).toMatchObject({
      failed: 1,
      texts: ['unit › all tests\n    no test was run'],
    });
  });
});

test('a worker that is killed fails its run', () => {
  writeFileSync(
    file('killed.test.ts'),
    "import { test } from 'vitest'; test('ends', () => process.kill(process.pid, 'SIGKILL'));",
  );
  const bin = join(project, 'node_modules/vitest/vitest.mjs');
  const args = [bin, 'run', 'killed.test', '--reporter=json', `--outputFile=${file('killed.json')}`];
  const { status } = spawnSync(process.execPath, args, { cwd: folder, env: { ...process.env, VITEST: undefined } });
  const read = () => vitestReport(readFileSync(file('killed.json'), 'utf8'), folder);
  const { passed, failed, failures } = wholeRun('unit', status ?? 'a signal', ['killed.test.ts'], read);
  expect(passed).toBe(0);
  expect(failed).toBeGreaterThan(0);
  expect(failures.map(failedTestText)).toEqual(['killed.test.ts › the file\n    its process ended, see the output']);
});
