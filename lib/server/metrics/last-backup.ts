import 'server-only';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { instantText } from '#lib/time/instant-schema.ts';

const lastBackupSchema = z.object({
  made: instantText,
  verified: z.nullable(instantText),
  /** Versions before 0.5.0 do not write it. */
  folder: z.optional(z.string()),
});
export type LastBackup = z.infer<typeof lastBackupSchema>;

/** The backup command writes this file in DATA_DIR. */
export const LAST_BACKUP_FILE = 'last-backup.json';

/** @returns `undefined` where no backup is known */
export function readLastBackup(dataDir: string): LastBackup | undefined {
  try {
    return lastBackupSchema.parse(JSON.parse(readFileSync(join(dataDir, LAST_BACKUP_FILE), 'utf8')));
  } catch {
    return undefined;
  }
}
