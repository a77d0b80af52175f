import 'server-only';
import { createHash } from 'node:crypto';

/** SHA-256, fast on purpose: for ids that are already random and password hashes that are already slow. */
export function digest(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}
