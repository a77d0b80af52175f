import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const documents = [
  'README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
const text = (document: string) => readFileSync(join(root, document), 'utf8');
const scripts = Object.keys(JSON.parse(text('package.json')).scripts as Record<string, string>);

/** Folders of the design that the documents may name before their issue has come. */
const notYet = new Set(['components/replay']);
const tops = ['app', 'components', 'lib', 'service', 'e2e', 'bench', 'docs', 'scripts', 'public'];

describe.each(documents)('%s', (document) => {
  test('every link leads to something', () => {
    const targets = [...text(document).matchAll(/\]\(([^)#:]+)\)/g)].map(([, target]) => target as string);
    expect(targets.filter((target) => !existsSync(join(root, dirname(document), target)))).toEqual([]);
  });

  test('every path of the project that it names exists', () => {
    const named = [...text(document).matchAll(new RegExp(`(?<![\\w/.-])(?:${tops.join('|')})/[\\w./-]*[\\w/]`, 'g'))]
      .map(([path]) => path)
      .filter((path) => !notYet.has(path));
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  test('every npm command that it names exists', () => {
    const named = [...text(document).matchAll(/npm (?:run )?([a-z][a-z-]*)/g)].map(([, script]) => script as string);
    const known = new Set([...scripts, 'data', 'packages', 'ci', 'install']);
    expect(named.filter((script) => !known.has(script))).toEqual([]);
  });
});

test('every setting that the server reads stands in the README', () => {
  const settings = [...text('lib/server/config.ts').matchAll(/^ {4}([A-Z][A-Z_]+):/gm)].map(
    ([, name]) => name as string,
  );
  const internal = new Set(['POSITIONS_EMBEDDED']);
  expect(settings.length).toBeGreaterThan(10);
  expect(settings.filter((name) => !internal.has(name) && !text('README.md').includes(`\`${name}\``))).toEqual([]);
});
