import { userInfo } from 'node:os';
import type { AuditEvent } from '#lib/api/people/audit-event.ts';
import { auditText } from '#lib/api/people/audit-text.ts';
import { AuditEvents } from '#lib/server/audit/audit-events.ts';
import { auditRow } from '#lib/server/audit/audit-row.ts';
import type { Database } from '#lib/server/database/database.ts';
import type { LocalInstant } from '#lib/time/instant.ts';

/**
 * The change stays without an entry: a full disk must not keep a locked-out operator in.
 * @param environment names sudo's caller
 * @returns what to tell the user without an entry
 */
export async function recordAtCommandLine(
  database: Database,
  events: readonly AuditEvent[],
  now: LocalInstant,
  environment: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const name = localUser(environment);
  // Names of operators have no colon.
  const actor = { operator: { id: `system:${name}`, name }, address: 'command line', requestId: null };
  try {
    const audit = new AuditEvents(database);
    await audit.write(events.map((event) => ({ ...auditRow(audit.newId(now), actor, event, now), times: 1 })));
    return undefined;
  } catch (error) {
    const what = events.map((event) => `\n  ${name}, command line: ${auditText(event)}`).join('');
    return `This was done, but the audit log does not say so: ${(error as Error).message}\nKeep these lines:${what}`;
  }
}

/** @returns the user's name, with sudo also the caller's */
function localUser({ SUDO_USER: caller }: NodeJS.ProcessEnv): string {
  const name = accountName();
  return caller && caller !== name ? `${caller} as ${name}` : name;
}

function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}
