import 'server-only';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { SessionSecret } from '../ports/session-secret.ts';
import { DamagedStore } from '../stores/storage-problem.ts';

const SECRET_BYTES = 32;
const SECRET_MIN_LENGTH = 32;

export function newSessionSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** One that does not change while this process runs. */
export function fixedSessionSecret(secret: string): SessionSecret {
  return { current: async () => secret };
}

/** Whether it is long enough for one that seals cookies. */
export function isSessionSecret(text: string): boolean {
  return text.length >= SECRET_MIN_LENGTH;
}

/**
 * The secret that seals cookies, stored in its own file that only its owner can read; generated where there is none.
 * @throws DamagedStore if the file has something else
 */
export function keptSessionSecret(file: string): string {
  if (existsSync(file)) {
    const saved = readFileSync(file, 'utf8').trim();
    if (isSessionSecret(saved)) return saved;
    throw new DamagedStore(`it has fewer than ${SECRET_MIN_LENGTH} characters`);
  }
  const made = newSessionSecret();
  writeFileSync(file, `${made}\n`, { mode: 0o600 });
  return made;
}
