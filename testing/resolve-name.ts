import dns from 'node:dns';
import { isIP } from 'node:net';

/** As if the system's resolver knew the name. @returns restores it */
export function resolveName(name: string, addresses: readonly string[]): () => void {
  const { lookup } = dns;
  const answer = addresses.map((address) => ({ address, family: isIP(address) }));
  const replaced = (host: string, options: dns.LookupAllOptions, done: (...result: unknown[]) => void) => {
    if (host !== name) return lookup(host, options, done);
    if (options.all) done(null, answer);
    else done(null, answer[0]?.address, answer[0]?.family);
  };
  // Node's sockets look names up by this property.
  dns.lookup = replaced as typeof lookup;
  return () => {
    dns.lookup = lookup;
  };
}

/** Nothing listens at the first; the second is of this machine. */
export const SECOND_ANSWERS = ['::1', '127.0.0.1'] as const;
