import 'server-only';
import { createHash } from 'node:crypto';

/** Lua that the server runs as a whole, with nothing between. It names its keys, and has no clock but the server's. */
export interface RedisScript {
  readonly source: string;
  readonly sha1: string;
}

export function redisScript(source: string): RedisScript {
  return { source, sha1: createHash('sha1').update(source).digest('hex') };
}
