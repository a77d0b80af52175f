import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { z } from 'zod';

export interface FailedTest {
  /** Path from the root, of a browser test with its line. */
  readonly where: string;
  readonly title: string;
  readonly why: string;
}

export interface TestRun {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly failures: readonly FailedTest[];
}

export interface Report extends TestRun {
  /** With their paths from the root; all that were loaded. */
  readonly files: readonly string[];
}

const WHY_MAX_LINES = 12;

const vitestSchema = z.object({
  numPassedTests: z.int(),
  numFailedTests: z.int(),
  numPendingTests: z.int(),
  numTodoTests: z.int(),
  success: z.boolean(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string(),
      assertionResults: z.array(
        z.object({ fullName: z.string(), status: z.string(), failureMessages: z.array(z.string()) }),
      ),
    }),
  ),
});

const specReport = z.object({
  title: z.string(),
  ok: z.boolean(),
  file: z.string(),
  line: z.int(),
  tests: z.array(z.object({ results: z.array(z.object({ errors: z.array(z.object({ message: z.string() })) })) })),
});
const suiteReport = z.object({
  title: z.string(),
  specs: z.array(specReport),
  get suites() {
    return z.optional(z.array(suiteReport));
  },
});
const playwrightSchema = z.object({
  config: z.object({ rootDir: z.string() }),
  stats: z.object({ expected: z.int(), unexpected: z.int(), skipped: z.int(), flaky: z.int() }),
  suites: z.array(suiteReport),
  errors: z.array(z.object({ message: z.string() })),
});

/** @throws if it is no report of vitest's JSON reporter */
export function vitestReport(json: string, root: string): Report {
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, success, testResults } = vitestSchema.parse(
    JSON.parse(json),
  );
  const failures = testResults.flatMap(({ name, status, message, assertionResults }) => {
    const where = relative(root, name);
    const tests = assertionResults
      .filter((test) => test.status === 'failed')
      .map(({ fullName, failureMessages }) => ({ where, title: fullName, why: shortened(failureMessages.join('\n')) }));
    // The file can't be loaded, its set-up fails, or its process is lost.
    return tests.length === 0 && status === 'failed'
      ? [{ where, title: 'the file', why: shortened(message) || 'its process ended, see the output' }]
      : tests;
  });
  return {
    passed: numPassedTests,
    failed: success ? numFailedTests : Math.max(1, numFailedTests),
    skipped: numPendingTests + numTodoTests,
    failures,
    files: testResults.map(({ name }) => relative(root, name)),
  };
}

/** @throws if it is no report of Playwright's JSON reporter */
export function playwrightReport(json: string, root: string): Report {
  const { config, stats, suites, errors } = playwrightSchema.parse(JSON.parse(json));
  const failures = suites
    .flatMap((suite) => specsOf(suite))
    .filter(({ ok }) => !ok)
    .map(({ title, file, line, tests }) => ({
      where: `${relative(root, `${config.rootDir}/${file}`)}:${line}`,
      title,
      why: shortened(tests.flatMap(({ results }) => results.flatMap((result) => result.errors))[0]?.message ?? ''),
    }));
  const outside = errors.map(({ message }) => ({ where: 'outside of tests', title: 'error', why: shortened(message) }));
  return {
    passed: stats.expected,
    // Without retries there are no flaky ones.
    failed: stats.unexpected + stats.flaky + errors.length,
    skipped: stats.skipped,
    failures: [...failures, ...outside],
    files: suites.map(({ title }) => relative(root, `${config.rootDir}/${title}`)),
  };
}

/**
 * The report of a program that ended with a code. A code that no test explains is a failure, and so is a file that is in no report.
 * @param read throws without a report
 */
export function wholeRun(
  name: string,
  code: number | string,
  expected: readonly string[],
  read: () => Report,
): TestRun {
  let report: Report;
  try {
    report = read();
  } catch (error) {
    const why = `it ended with ${code} and wrote no report that can be read: ${error instanceof Error ? error.message : error}`;
    return { passed: 0, failed: 1, skipped: 0, failures: [{ where: name, title: 'all tests', why: shortened(why) }] };
  }
  const { passed, failed, skipped, failures, files } = report;
  const missing = expected.filter((file) => !files.includes(file));
  const further = missing.map((where) => ({ where, title: 'the file', why: 'it was not run' }));
  if (code !== 0 && failed === 0)
    further.push({ where: name, title: 'outside of tests', why: `it ended with ${code}, see its output` });
  if (passed + failed + further.length === 0) further.push({ where: name, title: 'all tests', why: 'no test was run' });
  return { passed, failed: failed + further.length, skipped, failures: [...failures, ...further] };
}

type Spec = z.infer<typeof specReport>;

function specsOf({ specs, suites = [] }: z.infer<typeof suiteReport>): readonly Spec[] {
  const inGroups = suites.flatMap((group) =>
    specsOf(group).map((spec) => ({ ...spec, title: `${group.title} ${spec.title}` })),
  );
  return [...specs, ...inGroups];
}

function shortened(message: string): string {
  const isOfUse = (line: string) => line.trim() !== '' && !/^\s*at .*(node_modules|node:internal)/.test(line);
  const lines = stripVTControlCharacters(message).split('\n').filter(isOfUse);
  return lines.slice(0, WHY_MAX_LINES).join('\n');
}

export function failedTestText({ where, title, why }: FailedTest): string {
  return `${where} › ${title}\n${why.replaceAll(/^/gm, '    ')}`;
}
