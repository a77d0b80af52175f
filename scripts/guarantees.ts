// Where each guarantee of the tests is checked after a change of the tests:
//   node scripts/guarantees.ts --before REPORT… --after REPORT… --mapping FILE.tsv… > table.md
// Reports are those of Vitest and Playwright, as JSON. scripts/guarantees/compare.ts describes a mapping. Exits with 1 if the
// fate of a title is unknown.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { compareTitles, readMapping, text } from './guarantees/compare.ts';
import { titlesOf } from './guarantees/titles.ts';

const USAGE = 'usage: node scripts/guarantees.ts --before REPORT… --after REPORT… --mapping FILE.tsv… > table.md\n';
const option = { type: 'string', multiple: true, default: [] as string[] } as const;
// A shell expands *.tsv to further arguments: they belong to the option before them.
const args: string[] = [];
let name = '';
for (const arg of process.argv.slice(2)) {
  if (arg.startsWith('--')) name = arg;
  else args.push(name, arg);
}
const { values } = parseArgs({ args, options: { before: option, after: option, mapping: option } });
if (values.before.length === 0 || values.after.length === 0) {
  process.stderr.write(USAGE);
  process.exit(2);
}

const read = (file: string) => readFileSync(file, 'utf8');
const { rows, counts, before, after, problems, unused } = compareTitles(
  titlesOf(values.before.map(read)),
  titlesOf(values.after.map(read)),
  values.mapping.flatMap((file) => readMapping(basename(file), read(file))),
);

const cell = (content: string) => content.replaceAll('|', '\\|');
const lines = rows
  .filter(({ fate, from }) => fate !== 'kept' || from !== '')
  .map(({ old, fate, now, note }) => `| ${[text(old), fate, now ? text(now) : '–', note].map(cell).join(' | ')} |`);
process.stdout.write(['| before | | now | note |', '|---|---|---|---|', ...lines, ''].join('\n'));
const sums = Object.entries(counts).map(([fate, count]) => `${count} ${fate}`);
process.stderr.write(`${before} titles before, ${after} after: ${sums.join(', ')}\n`);
for (const line of unused) process.stderr.write(`of no title before: ${line}\n`);
for (const problem of problems) process.stderr.write(`PROBLEM ${problem}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;
