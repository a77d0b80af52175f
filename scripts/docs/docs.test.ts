import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { documentText, root } from './document.ts';

const documents = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
const scripts = Object.keys(JSON.parse(documentText('package.json')).scripts as Record<string, string>);

const topFolders = ['app', 'components', 'lib', 'service', 'e2e', 'testing', 'bench', 'docs', 'scripts', 'public'];

describe.each(documents)('%s', (document) => {
  test('every link has a target', () => {
    const targets = [...documentText(document).matchAll(/\]\(([^)#:]+)\)/g)].map(([, target]) => target as string);
    expect(targets.filter((target) => !existsSync(join(root, dirname(document), target)))).toEqual([]);
  });

  test('every path of the project that it mentions exists', () => {
    const named = [
      ...documentText(document).matchAll(new RegExp(`(?<![\\w/.-])(?:${topFolders.join('|')})/[\\w./-]*[\\w/]`, 'g')),
    ].map(([path]) => path);
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  test('every npm command that it mentions exists', () => {
    const named = [...documentText(document).matchAll(/npm (?:run )?([a-z][a-z-]*)/g)].map(
      ([, script]) => script as string,
    );
    const known = new Set([...scripts, 'data', 'packages', 'ci', 'install']);
    expect(named.filter((script) => !known.has(script))).toEqual([]);
  });
});

test('every file of lib/server imports server-only, so that no browser bundle can contain it', () => {
  const files = readdirSync(join(root, 'lib/server'), { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !/\.(test|fixture)\.ts$/.test(name),
  );
  expect(files.length).toBeGreaterThan(50);
  const guard = "import 'server-only';\n";
  expect(files.filter((name) => !documentText(`lib/server/${name}`).startsWith(guard))).toEqual([]);
});
