import 'server-only';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const SECRET_BYTES = 32;
const SECRET_MIN_LENGTH = 32;

/** The secret that seals cookies, kept in a file of its own that only its owner reads; made where there is none. */
export function keptSessionSecret(file: string): string {
  const kept = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  if (kept.length >= SECRET_MIN_LENGTH) return kept;
  const made = randomBytes(SECRET_BYTES).toString('base64url');
  writeFileSync(file, `${made}\n`, { mode: 0o600 });
  return made;
}
