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
  readonly failures: readonly FailedTest[];
}

const WHY_MAX_LINES = 12;

const vitestReport = z.object({
  numPassedTests: z.int(),
  numFailedTests: z.int(),
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
const playwrightReport = z.object({
  config: z.object({ rootDir: z.string() }),
  stats: z.object({ expected: z.int(), unexpected: z.int() }),
  suites: z.array(suiteReport),
  errors: z.array(z.object({ message: z.string() })),
});

/** @throws if it is no report of vitest's JSON reporter */
export function vitestRun(json: string, root: string): TestRun {
  const { numPassedTests, numFailedTests, success, testResults } = vitestReport.parse(JSON.parse(json));
  const failures = testResults.flatMap(({ name, status, message, assertionResults }) => {
    const where = relative(root, name);
    const tests = assertionResults
      .filter((test) => test.status === 'failed')
      .map(({ fullName, failureMessages }) => ({ where, title: fullName, why: shortened(failureMessages.join('\n')) }));
    // The file can't be loaded, or its set-up fails.
    return tests.length === 0 && status === 'failed' ? [{ where, title: 'the file', why: shortened(message) }] : tests;
  });
  return { passed: numPassedTests, failed: success ? numFailedTests : Math.max(1, numFailedTests), failures };
}

/** @throws if it is no report of Playwright's JSON reporter */
export function playwrightRun(json: string, root: string): TestRun {
  const { config, stats, suites, errors } = playwrightReport.parse(JSON.parse(json));
  const failures = suites
    .flatMap((suite) => specsOf(suite))
    .filter(({ ok }) => !ok)
    .map(({ title, file, line, tests }) => ({
      where: `${relative(root, `${config.rootDir}/${file}`)}:${line}`,
      title,
      why: shortened(tests.flatMap(({ results }) => results.flatMap((result) => result.errors))[0]?.message ?? ''),
    }));
  const outside = errors.map(({ message }) => ({ where: 'outside of tests', title: 'error', why: shortened(message) }));
  return { passed: stats.expected, failed: stats.unexpected + errors.length, failures: [...failures, ...outside] };
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

export function failureText({ where, title, why }: FailedTest): string {
  return `${where} › ${title}\n${why.replaceAll(/^/gm, '    ')}`;
}
