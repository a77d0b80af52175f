import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LIVE_REASONS, REPLAY_REASONS } from '#lib/api/layer-reason.ts';
import { PART_FAILURES, SUPERVISED_PARTS } from '#lib/api/operation/ready-answer.ts';
import { documentText, root } from './document.ts';

const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
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

/** Makes anchors as GitHub does. */
function anchorsOf(path: string): readonly string[] {
  return matches(path, /^#+ (.*)$/gm).map((heading) =>
    heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe.each(documents)('%s', (document) => {
  test('every link has a target', () => {
    const links = [...documentText(document).matchAll(/\]\(([^)#:]*)(?:#([^)]*))?\)/g)];
    const broken = links.filter(([, target = '', anchor]) => {
      const path = target === '' ? document : join(dirname(document), target);
      if (!existsSync(join(root, path))) return true;
      return anchor !== undefined && path.endsWith('.md') && !anchorsOf(path).includes(anchor);
    });
    expect(broken.map(([link]) => link)).toEqual([]);
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

describe('docs/architecture.md', () => {
  const tracked = spawnSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).stdout.split('\n');
  const text = documentText('docs/architecture.md');

  test.each(['lib', 'lib/server', 'lib/client', 'service'])('names every folder of %s', (folder) => {
    const inside = tracked.filter((path) => path.startsWith(`${folder}/`)).map((path) => path.split('/'));
    const depth = folder.split('/').length;
    const folders = new Set(inside.filter((path) => path.length > depth + 1).map((path) => path[depth] ?? ''));
    expect([...folders].filter((name) => !new RegExp(`[\`/]${name}/`).test(text))).toEqual([]);
  });

  test('names only files that exist', () => {
    const names = matches('docs/architecture.md', /`([\w./@-]+\.(?:ts|tsx|mjs))`/g);
    expect(names.filter((name) => !tracked.some((path) => path === name || path.endsWith(`/${name}`)))).toEqual([]);
  });
});

describe('docs/monitoring.md', () => {
  test('says what to do about every alert, every failing part and its reason', () => {
    const text = documentText('docs/monitoring.md');
    const alerts = matches('ops/prometheus/alerts.yml', /- alert: (\S+)/g);
    expect(alerts.filter((alert) => !text.includes(`\n- **${alert}**`))).toEqual([]);
    expect(SUPERVISED_PARTS.filter((part) => !text.includes(`\`${part}\``))).toEqual([]);
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

describe('docs/troubleshooting.md', () => {
  const sources = spawnSync('git', ['ls-files', '--', 'app', 'components', 'lib', 'scripts', 'service'], {
    cwd: root,
    encoding: 'utf8',
  })
    .stdout.split('\n')
    .filter((name) => /\.tsx?$/.test(name) && !name.includes('.test.'));
  const code = sources.map(documentText).join('\n');
  const quoted = documentText('docs/troubleshooting.md')
    .replaceAll(/\n +/g, ' ')
    .matchAll(/(?<!\*)\*([^*\n]+)\*(?!\*)/g);

  test.each([...new Set([...quoted].map(([, text = '']) => text))])('Lookout says “%s”', (text) => {
    expect(code.includes(text)).toBe(true);
  });
});
