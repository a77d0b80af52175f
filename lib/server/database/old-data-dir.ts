import 'server-only';
import { existsSync, readdirSync } from 'node:fs';
import { refuseInterruptedRestore } from './restored-data-dir.ts';

const OLD = /^(?:(?:audit|sessions|views|(?:history|ledger)-[0-9a-f]{8})\.sqlite|demand-profile\.json)$/;

/**
 * A folder of an earlier release: its operators, views, audit and ledger would silently be gone. So would those of one
 * that a restore has not finished.
 * @throws Error that says what to do
 */
export function refuseOldDataDir(dataDir: string): void {
  if (!existsSync(dataDir)) return;
  refuseInterruptedRestore(dataDir);
  const old = readdirSync(dataDir).filter((name) => OLD.test(name));
  if (old.length === 0) return;
  throw new Error(
    `DATA_DIR ${dataDir} has files of an earlier Lookout, which this one does not read: ${old.sort().join(', ')}. Set DATA_DIR to a new folder, or move these files away and begin without what is in them.`,
  );
}
