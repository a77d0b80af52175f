import 'server-only';
import { createHash } from 'node:crypto';

/** Fast on purpose: for random ids and hashes that are already slow. */
export function digest(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}
