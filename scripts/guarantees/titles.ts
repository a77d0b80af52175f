import { dirname, relative } from 'node:path';
import { z } from 'zod';

export interface Title {
  /** The path from the root. */
  readonly file: string;
  /** Groups and steps joined by " › ". */
  readonly title: string;
}

/** The titles of one side: before or after. */
export interface Titles {
  readonly tests: readonly Title[];
  /** Parts of tests, which a guarantee may have moved into. */
  readonly steps: readonly Title[];
}

const vitestSchema = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      assertionResults: z.array(z.object({ ancestorTitles: z.array(z.string()), title: z.string() })),
    }),
  ),
});

const stepSchema = z.object({
  title: z.string(),
  get steps() {
    return z.optional(z.array(stepSchema));
  },
});
const suiteSchema = z.object({
  title: z.string(),
  specs: z.array(
    z.object({
      title: z.string(),
      file: z.string(),
      tests: z.array(z.object({ results: z.array(z.object({ steps: z.optional(z.array(stepSchema)) })) })),
    }),
  ),
  get suites() {
    return z.optional(z.array(suiteSchema));
  },
});
const playwrightSchema = z.object({ config: z.object({ rootDir: z.string() }), suites: z.array(suiteSchema) });

type Suite = z.infer<typeof suiteSchema>;
type Step = z.infer<typeof stepSchema>;

/**
 * Of reports of Vitest and Playwright.
 * @throws ZodError for another report; Error without a test
 */
export function titlesOf(reports: readonly string[]): Titles {
  const parsed = reports.map((report): unknown => JSON.parse(report));
  const isVitest = (report: unknown) => typeof report === 'object' && report !== null && 'testResults' in report;
  const ofVitest = parsed.filter(isVitest).map((report) => vitestSchema.parse(report));
  const ofPlaywright = parsed.filter((report) => !isVitest(report)).map((report) => playwrightSchema.parse(report));
  const root = rootOf(
    ofPlaywright.map(({ config }) => dirname(config.rootDir)),
    ofVitest.flatMap(({ testResults }) => testResults.map(({ name }) => name)),
  );
  const tests = ofVitest.flatMap(({ testResults }) =>
    testResults.flatMap(({ name, assertionResults }) =>
      assertionResults.map(({ ancestorTitles, title }) => ({
        file: relative(root, name),
        title: joined(...ancestorTitles, title),
      })),
    ),
  );
  const steps: Title[] = [];
  for (const { config, suites } of ofPlaywright)
    for (const suite of suites) addSuite(suite, relative(root, config.rootDir), [], { tests, steps });
  if (tests.length === 0) throw new Error('The reports have no test.');
  return { tests, steps };
}

/** Of Playwright's report, which names it; else the folder above all files. */
function rootOf(named: readonly string[], files: readonly string[]): string {
  const [first = files[0] ?? '/'] = named;
  let root = named.length > 0 ? first : dirname(first);
  while (root !== '/' && !files.every((file) => file.startsWith(`${root}/`))) root = dirname(root);
  return root;
}

interface Found {
  readonly tests: Title[];
  readonly steps: Title[];
}

function addSuite({ specs, suites = [] }: Suite, folder: string, groups: readonly string[], found: Found): void {
  for (const { title, file, tests } of specs) {
    const test = { file: `${folder}/${file}`, title: joined(...groups, title) };
    found.tests.push(test);
    const steps = tests.flatMap(({ results }) => results.flatMap((result) => result.steps ?? []));
    addSteps(steps, test, found);
  }
  for (const group of suites) addSuite(group, folder, [...groups, group.title], found);
}

function addSteps(steps: readonly Step[], { file, title }: Title, found: Found): void {
  for (const step of steps) {
    const of = { file, title: joined(title, step.title) };
    found.steps.push(of);
    addSteps(step.steps ?? [], of, found);
  }
}

function joined(...titles: readonly string[]): string {
  // A tab would end a cell of the mapping.
  return titles.map((title) => title.replaceAll(/\s+/g, ' ').trim()).join(' › ');
}
