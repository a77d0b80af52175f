import 'server-only';
import { isIP } from 'node:net';

const loopbackHosts: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '::1', '[::1]']);

export function isLoopbackHost(host: string): boolean {
  return loopbackHosts.has(host);
}

export interface RelyingParty {
  readonly id: string;
  readonly origin: string;
}

export type RelyingPartyResult = RelyingParty | { readonly problem: string };

export function relyingParty(publicOrigin: string | undefined, host: string, port: number): RelyingPartyResult {
  if (publicOrigin === undefined) {
    if (isLoopbackHost(host)) return { id: 'localhost', origin: new URL(`http://localhost:${port}`).origin };
    return { problem: 'Passkeys need PUBLIC_URL: the address, with https and a name, where operators reach Lookout.' };
  }
  const { hostname, protocol } = new URL(publicOrigin);
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0)
    return {
      problem: `Passkeys belong to the name of a host, and ${hostname} in PUBLIC_URL is an address${
        isLoopbackHost(hostname) ? ': on this machine the name is localhost' : ''
      }.`,
    };
  if (protocol !== 'https:' && hostname !== 'localhost')
    return { problem: 'Browsers use passkeys by https alone, and PUBLIC_URL starts with http://.' };
  return { id: hostname, origin: publicOrigin };
}
