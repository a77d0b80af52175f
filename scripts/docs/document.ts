import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** @param path from the root */
export function documentText(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** The whole document in one line, without signs for code and weight, so that a sentence is found however it is wrapped. */
export function sentencesOf(path: string): string {
  return documentText(path)
    .replace(/`|\*\*/g, '')
    .replace(/\s+/g, ' ');
}

/** Rows of all tables whose first column is headed so, as lists of cells without code signs. */
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

function cellsOf(row: string): readonly string[] {
  const cells = row.replaceAll('`', '').split('|').slice(1, -1);
  return cells.map((cell) => cell.trim());
}
