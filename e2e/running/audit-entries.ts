import { type AuditEntry, auditEntrySchema } from '#lib/api/people/audit-event.ts';
import { startChild } from './child-process.ts';
import type { RunningLookout } from './running-lookout.ts';

/** Oldest first. */
export async function auditEntries(
  { dataDir }: RunningLookout,
  options: readonly string[] = [],
): Promise<readonly AuditEntry[]> {
  const child = startChild(
    ['--conditions=react-server', 'scripts/operator.ts', 'audit', '--json', ...options],
    { DATA_DIR: dataDir },
    ['ignore', 'pipe', 'pipe'],
  );
  const chunks: Buffer[] = [];
  child.process.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
  const code = await child.exited;
  if (code !== 0) throw new Error(`reading the audit log ended with ${code}:\n${child.stderr()}`);
  const lines = Buffer.concat(chunks).toString('utf8').split('\n').filter(Boolean);
  return lines.map((line) => auditEntrySchema.parse(JSON.parse(line))).toReversed();
}
