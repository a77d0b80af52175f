// Lints the English of comments, documents, messages, texts on screen and names in code:
//   node scripts/lint/prose.ts [FILE…]   all tracked files by default
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brokenNames } from './names.ts';
import { proseBlocks, sentencesOf } from './prose-blocks.ts';
import { brokenRules } from './prose-rules.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const given = process.argv.slice(2);
const files =
  given.length > 0 ? given : execFileSync('git', ['-C', root, 'ls-files'], { encoding: 'utf8' }).split('\n');
/** They quote the habits. */
const OWN = /^scripts\/lint\/(prose|names)/;

let problems = 0;
for (const file of files) {
  if (!/\.(md|[mc]?[jt]sx?)$/.test(file) || OWN.test(file) || !existsSync(join(root, file))) continue;
  const source = readFileSync(join(root, file), 'utf8');
  for (const { line, name, instead } of file.endsWith('.md') ? [] : brokenNames(file, source)) {
    problems++;
    process.stdout.write(`${file}:${line} name (${instead}): ${name}\n`);
  }
  for (const { line, text, isLabel } of proseBlocks(file, source)) {
    for (const sentence of sentencesOf(text)) {
      for (const { name, instead } of brokenRules(sentence, isLabel)) {
        problems++;
        process.stdout.write(`${file}:${line} ${name} (${instead}): ${sentence}\n`);
      }
    }
  }
}
if (problems > 0) process.exitCode = 1;
process.stdout.write(
  `${problems} ${problems === 1 ? 'sentence or name needs' : 'sentences or names need'} other words\n`,
);
