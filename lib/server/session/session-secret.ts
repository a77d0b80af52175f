import 'server-only';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const SECRET_BYTES = 32;
const SECRET_MIN_LENGTH = 32;

/** The secret that seals cookies, stored in its own file that only its owner can read; generated where there is none. */
export function keptSessionSecret(file: string): string {
  const saved = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  if (saved.length >= SECRET_MIN_LENGTH) return saved;
  const made = randomBytes(SECRET_BYTES).toString('base64url');
  writeFileSync(file, `${made}\n`, { mode: 0o600 });
  return made;
}
