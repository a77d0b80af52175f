import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** @param path relative to the root */
export function documentText(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/**
 * The whole document as one line without backticks and bold marks, so that sentences are found however they are
 * wrapped.
 */
export function sentencesOf(path: string): string {
  return documentText(path)
    .replace(/`|\*\*/g, '')
    .replace(/\s+/g, ' ');
}

/** Rows of all tables whose first column has this heading, as lists of cells without backticks. */
export function tableRows(path: string, firstColumn: string): readonly (readonly string[])[] {
  const rows: (readonly string[])[] = [];
  let isInTable = false;
  for (const line of documentText(path).split('\n')) {
    if (!line.startsWith('|')) isInTable = false;
    else if (isInTable && !line.startsWith('|---')) rows.push(cellsOf(line));
    else if (cellsOf(line)[0] === firstColumn) isInTable = true;
  }
  return rows;
}

/** The names that `npm run bench --` knows. */
export function benchmarkNames(): readonly string[] {
  const [, list = ''] = /const benchmarks[^{]*\{\n(.*?)\};/s.exec(documentText('bench/run.ts')) ?? [];
  return [...list.matchAll(/^ {2}'?([a-z0-9-]+)'?[:,]/gm)].map(([, name]) => name as string);
}

function cellsOf(row: string): readonly string[] {
  const cells = row.replaceAll('`', '').split('|').slice(1, -1);
  return cells.map((cell) => cell.trim());
}
