import { chownSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import type { AuditEvent } from '#lib/api/people/audit-event.ts';
import { auditText } from '#lib/api/people/audit-text.ts';
import { AuditFile } from '#lib/server/audit/audit-file.ts';
import { auditRow } from '#lib/server/audit/audit-row.ts';
import { makeFolders } from '#lib/server/stores/make-folders.ts';
import type { LocalInstant } from '#lib/time/instant.ts';

/** Beside a running Lookout, which may be clearing away old rows. */
const BUSY_TIMEOUT_MS = 5000;

/**
 * Records what somebody at the server has changed, in the audit log of a data directory; both are made if they are missing. The change is made
 * already and stays: whoever is to be locked out must not stay because a disk is full.
 * @param environment where sudo says who called it
 * @returns what to tell whoever made the change, where it is not in the audit log
 */
export function recordAtCommandLine(
  dataDir: string,
  events: readonly AuditEvent[],
  now: LocalInstant,
  environment: NodeJS.ProcessEnv,
): string | undefined {
  const name = localUser(environment);
  // No operator has a colon in their name.
  const actor = { operator: { id: `system:${name}`, name }, address: 'command line', requestId: null };
  try {
    makeFolders(resolve(dataDir), 0o700);
    const file = join(dataDir, 'audit.sqlite');
    const audit = new AuditFile(file, { readOnly: false, busyTimeoutMs: BUSY_TIMEOUT_MS });
    try {
      audit.write(events.map((event) => ({ ...auditRow(actor, event, now), times: 1 })));
    } finally {
      audit.close();
    }
    leaveToOwnerOf(dataDir, file);
    return undefined;
  } catch (error) {
    const what = events.map((event) => `\n  ${name}, command line: ${auditText(event)}`).join('');
    return `This was done, but the audit log does not say so: ${(error as Error).message}\nKeep these lines:${what}`;
  }
}

/** As the system calls whoever runs this; with sudo, also who called it. */
function localUser({ SUDO_USER: caller }: NodeJS.ProcessEnv): string {
  const name = accountName();
  return caller && caller !== name ? `${caller} as ${name}` : name;
}

function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a user without a name.
    return `uid ${process.getuid?.()}`;
  }
}

/** A log that root began is of no use to a Lookout that runs as somebody else. */
function leaveToOwnerOf(folder: string, file: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(resolve(folder));
  if (statSync(file).uid !== uid) chownSync(file, uid, gid);
}
