import 'server-only';
import { Turns } from '../../work/turns.ts';

/** SQLite takes at most 32,766 values. */
const ROWS_A_STATEMENT = 500;

/** The items in chunks: other requests have turns between statements. */
export async function* chunks<Item>(items: readonly Item[]): AsyncGenerator<Item[]> {
  const turns = new Turns();
  for (let from = 0; from < items.length; from += ROWS_A_STATEMENT) {
    if (turns.isDue) await turns.next();
    yield items.slice(from, from + ROWS_A_STATEMENT);
  }
}
