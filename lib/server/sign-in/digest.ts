import 'server-only';
import { createHash } from 'node:crypto';

/** The hash is fast on purpose: it is for random ids, and for hashes that are already slow. */
export function digest(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}
