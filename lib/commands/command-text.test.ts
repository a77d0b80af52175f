import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { asRelease } from '#testing/as-release.ts';
import { commandText } from './command-text.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

test('A clone names the commands of npm, a release its own files', () => {
  const texts = () => [
    commandText('lookout'),
    commandText('lookout', '--help'),
    commandText('operator'),
    commandText('operator', 'add NAME --role admin'),
  ];
  expect(texts()).toEqual([
    'npm start',
    'npm start -- --help',
    'npm run operator',
    'npm run operator -- add NAME --role admin',
  ]);
  expect(asRelease(texts)).toEqual(['./lookout', './lookout --help', './operator', './operator add NAME --role admin']);
});

test('No other text of the program names a command of npm', () => {
  const sources = execFileSync('git', ['ls-files', 'app', 'components', 'lib', 'service', 'scripts', '*.ts'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const named = sources
    .split('\n')
    .filter(
      (file) =>
        /\.(ts|tsx|mjs)$/.test(file) && !/\.(test|spec|fixture)\.tsx?$|^(e2e|bench|testing|scripts\/test)\//.test(file),
    )
    .flatMap((file) => {
      const code = readFileSync(join(ROOT, file), 'utf8').replace(/^\s*(?:\/\/|\/\*|\*).*$/gm, '');
      return /\bnpm (?:start|run|test)\b|service\/cli\.ts (?:serve|account|feeds)/.test(code) ? [file] : [];
    });
  expect(named).toEqual(['lib/commands/command-text.ts']);
});
