import 'server-only';
import { existsSync, readdirSync } from 'node:fs';

/** Files of the stores that the database replaced. */
const OLD = /^(?:(?:audit|sessions|views|(?:history|ledger)-[0-9a-f]{8})\.sqlite|demand-profile\.json)$/;

/**
 * Refuses a folder of an earlier state of Lookout: its operators, views, audit and ledger would silently be gone.
 * @param dataDir absolute
 * @throws Error that names the files and says what to do
 */
export function refuseOldDataDir(dataDir: string): void {
  if (!existsSync(dataDir)) return;
  const old = readdirSync(dataDir).filter((name) => OLD.test(name));
  if (old.length === 0) return;
  throw new Error(
    `DATA_DIR ${dataDir} has files of an earlier Lookout, which this one does not read: ${old.sort().join(', ')}. Set DATA_DIR to a new folder, or move these files away and begin without what is in them.`,
  );
}
