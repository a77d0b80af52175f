import 'server-only';
import { lookup as lookUp } from 'node:dns/promises';
import { isIP, connect as openTcp, type Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Agent, buildConnector } from 'undici';
import { trustOf } from '#lib/front/client-address.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';

export type Lookup = (host: string) => Promise<readonly { readonly address: string }[]>;

const CONNECT_MS = 5 * SECOND_MS;
/** A name may have any number of addresses. */
const ADDRESSES_MAX = 8;
/** The time is undici's default. */
const KEEP_ALIVE_MS = 60 * SECOND_MS;

/** The host has no address that Lookout may connect to. The message is for admins. */
export class AddressRefused extends Error {}

/** No allowed address of the host took the connection. The cause has the errors. */
export class Unreachable extends Error {
  /** Addresses that Lookout may not connect to were left out. */
  readonly isPartial: boolean;

  constructor(cause: unknown, isPartial: boolean) {
    super('no connection', { cause });
    this.isPartial = isPartial;
  }
}

/**
 * The only way to the network for destinations. Each connection resolves the name once, and goes to addresses of that
 * answer that Lookout may connect to: a name cannot change its address between check and connection.
 */
export interface Guard {
  /**
   * Connects by TCP to the first allowed address that answers, within 5 s. Check a certificate against the host.
   * @throws AddressRefused, Unreachable, Error of DNS
   */
  connect(host: string, port: number): Promise<Socket>;
  /** An agent that connects in the same way, and follows no redirects. */
  readonly agent: Agent;
  close(): Promise<void>;
}

/** @param listed `OUTPUT_PRIVATE_ADDRESSES` */
export function openGuard(listed: readonly string[], lookup: Lookup = systemLookup, connectMs = CONNECT_MS): Guard {
  const connect: Guard['connect'] = async (host, port) => {
    const { addresses, isPartial } = await allowedAddresses(host, listed, lookup);
    try {
      return await connected(addresses, port, connectMs);
    } catch (error) {
      throw new Unreachable(error, isPartial);
    }
  };
  const secure = buildConnector({ timeout: connectMs });
  const agent = new Agent({
    connect: (options, done) => {
      const isTls = options.protocol === 'https:';
      connect(options.hostname, Number(options.port) || (isTls ? 443 : 80)).then(
        (socket) => {
          if (!isTls) return done(null, socket.setKeepAlive(true, KEEP_ALIVE_MS));
          const servername = options.servername || serverName(options.hostname);
          secure({ ...options, httpSocket: socket, ...(servername !== '' && { servername }) }, done);
        },
        (error: Error) => done(error, null),
      );
    },
    maxHeaderSize: 16_384,
  });
  return { connect, agent, close: () => agent.destroy() };
}

export interface Allowed {
  /** The addresses, at least one. */
  readonly addresses: readonly { readonly address: string; readonly family: 4 | 6 }[];
  readonly isPartial: boolean;
}

/** @throws AddressRefused if there is none; Error of DNS */
export async function allowedAddresses(
  host: string,
  listed: readonly string[],
  lookup: Lookup = systemLookup,
): Promise<Allowed> {
  const name = bare(host);
  const found = isIP(name) > 0 ? [{ address: name }] : await lookup(name);
  const allowed = found.filter(({ address }) => isAllowedAddress(address, listed));
  if (found.length === 0) throw Object.assign(new Error('no address'), { code: 'ENOTFOUND' });
  if (allowed.length === 0)
    throw new AddressRefused(
      `${name} has no public address. If it is yours, list its address in OUTPUT_PRIVATE_ADDRESSES.`,
    );
  const addresses = allowed
    .slice(0, ADDRESSES_MAX)
    .map(({ address }) => ({ address, family: isIP(address) === 6 ? (6 as const) : (4 as const) }));
  return { addresses, isPartial: allowed.length < found.length };
}

/** Where servers have IPv6 alone, names of IPv4 resolve to this (RFC 6052). */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** @param listed addresses, ranges or `loopback` @returns whether Lookout may connect to the address */
export function isAllowedAddress(text: string, listed: readonly string[]): boolean {
  if (text.includes('%') || !ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  const reached =
    address instanceof ipaddr.IPv6 && address.match(NAT64) ? new ipaddr.IPv4(address.toByteArray().slice(12)) : address;
  return isPublic(reached) || trustOf(listed)(reached.toString());
}

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return address.range() === 'unicast' && (address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST));
}

/** The host without the brackets of an IPv6 address. */
export function bare(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}

/** The name for SNI, which has no trailing dot (RFC 6066, 3); '' for an address. */
export function serverName(host: string): string {
  const name = bare(host);
  return isIP(name) > 0 ? '' : name.replace(/\.$/, '');
}

/** Connects to the addresses, which Node tries in turn. Families alternate, as in RFC 8305. */
function connected(addresses: Allowed['addresses'], port: number, withinMs: number): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = openTcp({
    // The host is no address, since Node would not ask `lookup` for one.
    host: 'destination.invalid',
    port,
    noDelay: true,
    autoSelectFamily: true,
    lookup: (_name, _options, done) => done(null, [...addresses]),
  });
  const late = () => socket.destroy(Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' }));
  const timer = setTimeout(late, withinMs).unref();
  // The listener stays: between two owners an error must not end the process.
  socket.on('error', reject);
  socket.once('connect', () => resolve(socket));
  return promise.finally(() => clearTimeout(timer));
}

const systemLookup: Lookup = (host) => lookUp(host, { all: true, order: 'verbatim' });
