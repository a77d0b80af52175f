import 'server-only';

/** SQLite takes at most 32,766 values. */
const ROWS_A_STATEMENT = 500;

export function* chunks<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let from = 0; from < items.length; from += ROWS_A_STATEMENT) yield items.slice(from, from + ROWS_A_STATEMENT);
}
