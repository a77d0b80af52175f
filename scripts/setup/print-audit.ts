import { parseArgs } from 'node:util';
import type { AuditEntry } from '#lib/api/people/audit-event.ts';
import { auditText } from '#lib/api/people/audit-text.ts';
import { commandText } from '#lib/commands/command-text.ts';
import { AuditEvents } from '#lib/server/audit/audit-events.ts';
import { epochMs, type LocalInstant, localInstant, parseInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS } from '#lib/time/time-units.ts';
import { withDatabase } from './with-database.ts';

export const auditUsage = `${commandText('operator', 'audit'.padEnd(22))}  shows who did what, newest first
    --since 7d | 12h | 2026-11-01T00:00:00Z
    --operator NAME    what they did, and what was done to them
    --json             one entry a line
    --delete-before 2026-10-01T00:00:00Z   deletes older entries, where Lookout asks for it
`;

const PAGE = 1000;

/**
 * @param settings name the database
 * @throws Error that says what to write instead
 */
export async function printAudit(
  args: readonly string[],
  settings: NodeJS.ProcessEnv,
  write: (line: string) => void,
  now: LocalInstant,
): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      since: { type: 'string' },
      operator: { type: 'string' },
      json: { type: 'boolean' },
      'delete-before': { type: 'string' },
    },
  });
  const deletedBefore = values['delete-before'];
  if (deletedBefore !== undefined) {
    const before = timeBefore(deletedBefore, now);
    const deleted = await withDatabase(settings, (database) => new AuditEvents(database).deleteBefore(before), false);
    write(`Entries that were deleted: ${deleted}.`);
    return;
  }
  const since = values.since === undefined ? undefined : sinceOf(values.since, now);
  await withDatabase(
    settings,
    async (database) => {
      const audit = new AuditEvents(database);
      let before: string | undefined;
      for (;;) {
        const entries = await audit.read({ operator: values.operator, since, before, limit: PAGE });
        for (const entry of entries) write(values.json ? JSON.stringify(entry) : entryLine(entry));
        before = entries.at(-1)?.id;
        if (entries.length < PAGE) return;
      }
    },
    false,
  );
}

function timeBefore(text: string, now: LocalInstant): LocalInstant {
  const at = parseInstant(text);
  if (at === undefined || epochMs(at) > epochMs(now))
    throw new Error(`--delete-before ${text} is no time in the past: write 2026-10-01T00:00:00Z, with its timezone.`);
  return localInstant(epochMs(at));
}

function sinceOf(text: string, now: LocalInstant): LocalInstant {
  const [, count, unit] = /^(\d{1,5})([dh])$/.exec(text) ?? [];
  if (count !== undefined) return localInstant(epochMs(now) - Number(count) * (unit === 'd' ? DAY_MS : HOUR_MS));
  const at = parseInstant(text);
  if (at === undefined)
    throw new Error(`--since ${text} is no time: write 7d, 12h or 2026-11-01T00:00:00Z, with its timezone.`);
  return localInstant(epochMs(at));
}

function entryLine({ at, last, times, operator, address, event }: AuditEntry): string {
  const repeated = times > 1 ? ` (${times} times until ${last})` : '';
  return [at, operator?.name ?? '-', address ?? '-', `${auditText(event)}${repeated}`].join('  ');
}
