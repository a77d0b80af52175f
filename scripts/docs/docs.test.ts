import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LIVE_REASONS, REPLAY_REASONS } from '#lib/api/layer-reason.ts';
import { PART_FAILURES, PARTS } from '#lib/api/ready-answer.ts';
import { documentText, root } from './document.ts';

const documents = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
const topFolders = 'app|bench|components|deploy|docs|e2e|lib|ops|scripts|service|testing';
const npmScripts = Object.keys(JSON.parse(documentText('package.json')).scripts as Record<string, string>);
const ownCommands = [...npmScripts, 'ci', 'install', 'packages'];

function matches(path: string, pattern: RegExp): readonly string[] {
  return [...documentText(path).matchAll(pattern)].map(([, found = '']) => found);
}

describe.each(documents)('%s', (document) => {
  test('every link has a target', () => {
    const targets = matches(document, /\]\(([^)#:]+)(?:#[^)]*)?\)/g);
    expect(targets.filter((target) => !existsSync(join(root, dirname(document), target)))).toEqual([]);
  });

  test('every path of the project exists', () => {
    const paths = matches(document, new RegExp(`(?<![\\w/.-])((?:${topFolders})/[\\w./@-]*[\\w/])`, 'g'));
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  test('every npm command exists', () => {
    const commands = matches(document, /npm (?:run )?([a-z][a-z-]*)/g);
    expect(commands.filter((command) => !ownCommands.includes(command))).toEqual([]);
  });
});

describe('docs/monitoring.md', () => {
  test('says what to do about every alert, every failing part and its reason', () => {
    const text = documentText('docs/monitoring.md');
    const alerts = matches('ops/prometheus/alerts.yml', /- alert: (\S+)/g);
    expect(alerts.filter((alert) => !text.includes(`\n- **${alert}**`))).toEqual([]);
    expect(PARTS.filter((part) => !text.includes(`\`${part}\``))).toEqual([]);
    expect(PART_FAILURES.filter((reason) => !text.includes(`\n- \`${reason}\``))).toEqual([]);
  });
});

describe('docs/operating.md', () => {
  test('says what to do about every reason', () => {
    const text = documentText('docs/operating.md');
    const reasons = Object.keys({ ...LIVE_REASONS, ...REPLAY_REASONS });
    expect(reasons.filter((reason) => !text.includes(`\n- \`${reason}\``))).toEqual([]);
  });
});
