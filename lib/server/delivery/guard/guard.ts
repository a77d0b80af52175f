import 'server-only';
import { lookup as lookUp } from 'node:dns/promises';
import { isIP } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { isAllowedAddress } from './allowed-address.ts';

export interface PinnedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

export type Lookup = (host: string) => Promise<readonly { readonly address: string }[]>;

const CONNECT_MS = 5 * SECOND_MS;

/** The host has no address that Lookout may connect to. */
export class AddressRefused extends Error {}

export interface Guard {
  /** Connect to the address, and check the certificate against the host. @throws AddressRefused, Error of DNS */
  pinnedAddress(host: string): Promise<PinnedAddress>;
  /** Pins each connection. Follows no redirects. */
  readonly agent: Agent;
  close(): Promise<void>;
}

/** @param listed `OUTPUT_PRIVATE_ADDRESSES` */
export function openGuard(listed: readonly string[], lookup: Lookup = systemLookup): Guard {
  const pinned = (host: string) => pinnedAddress(host, listed, lookup);
  const connect = buildConnector({ timeout: CONNECT_MS });
  const agent = new Agent({
    connect: (options, done) => {
      const servername = options.servername || (isIP(bare(options.hostname)) ? undefined : options.hostname);
      pinned(options.hostname).then(
        ({ address }) =>
          connect({ ...options, hostname: address, host: address, ...(servername && { servername }) }, done),
        (error: unknown) => done(error as Error, null),
      );
    },
    maxHeaderSize: 16_384,
  });
  return { pinnedAddress: pinned, agent, close: () => agent.destroy() };
}

/** Resolves once: what connects uses the answer, so a name cannot change its address in between. */
export async function pinnedAddress(
  host: string,
  listed: readonly string[],
  lookup: Lookup = systemLookup,
): Promise<PinnedAddress> {
  const name = bare(host);
  const found = isIP(name) > 0 ? [{ address: name }] : await lookup(name);
  const allowed = found.find(({ address }) => isAllowedAddress(address, listed));
  if (!allowed)
    throw new AddressRefused(
      `${name} has no public address. If it is yours, list its address in OUTPUT_PRIVATE_ADDRESSES.`,
    );
  return { address: allowed.address, family: isIP(allowed.address) === 6 ? 6 : 4 };
}

function bare(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}

const systemLookup: Lookup = (host) => lookUp(host, { all: true, order: 'verbatim' });
