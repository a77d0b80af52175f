import 'server-only';
import { Yielding } from '../../work/yielding.ts';

/** SQLite takes at most 32,766 values. */
const ROWS_A_STATEMENT = 500;

/** The items in chunks: other requests have turns between statements. */
export async function* chunks<Item>(items: readonly Item[]): AsyncGenerator<Item[]> {
  const yielding = new Yielding();
  for (let from = 0; from < items.length; from += ROWS_A_STATEMENT) {
    if (yielding.isDue) await yielding.next();
    yield items.slice(from, from + ROWS_A_STATEMENT);
  }
}
