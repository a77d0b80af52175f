import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { LIVE_REASONS, PAST_REASONS } from '#lib/api/layer-reason.ts';

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

/** Rows of the table under the headline as lists of cells; code signs are left away. */
function tableUnder(headline: string, document: string): ReadonlySet<readonly string[]> {
  const section =
    text(document)
      .split(new RegExp(`^## ${headline}$`, 'm'))[1]
      ?.split(/^## /m)[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('|'));
  const cellsOf = (row: string) => row.replaceAll('`', '').split('|').slice(1, -1);
  return new Set(rows.slice(2).map((row) => cellsOf(row).map((cell) => cell.trim())));
}

test('docs/api.md lists every reason with its words, where it occurs and how it ends', () => {
  const ends = {
    'at-until': 'at until',
    'retried-at-until': 'tried again at until',
    'by-change': 'when something is changed',
    'next-refresh': 'with the next refresh',
    never: 'never',
  } as const;
  const live: Readonly<Record<string, { live: string; ends: keyof typeof ends }>> = LIVE_REASONS;
  const past: Readonly<Record<string, { past: string; ends: keyof typeof ends }>> = PAST_REASONS;
  const rows = [...new Set([...Object.keys(past), ...Object.keys(live)])].map((code) => {
    const reason = live[code] ?? past[code];
    if (!reason) throw new Error(`${code} is in neither table`);
    // The one failure that no request for live positions meets: only a window of the past can lie outside.
    const isLive = code in live && code !== 'outside_lookback';
    const where = [isLive && 'live', code in past && 'past'].filter(Boolean).join(', ');
    const words = new Set([live[code]?.live, past[code]?.past].filter((words) => words !== undefined));
    return [code, where, [...words].join('; '), ends[reason.ends]];
  });
  expect(tableUnder('Reasons', 'docs/api.md')).toEqual(new Set(rows));
});

test('every setting that the server reads stands in the README', () => {
  const settings = [...text('lib/server/config.ts').matchAll(/^ {4}([A-Z][A-Z_]+):/gm)].map(
    ([, name]) => name as string,
  );
  const internal = new Set(['POSITIONS_EMBEDDED']);
  expect(settings.length).toBeGreaterThan(10);
  expect(settings.filter((name) => !internal.has(name) && !text('README.md').includes(`\`${name}\``))).toEqual([]);
});
