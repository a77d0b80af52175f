// Addresses of clients: who a request comes from, behind proxies that are trusted to say so, and whom it counts for.
import ipaddr from 'ipaddr.js';
import { type IpAddress, ipAddress, writtenAddress } from '#lib/text/ip-address.ts';

type Range = readonly [IpAddress, number];

const LOOPBACK = ['127.0.0.0/8', '::1/128'];
const MAPPED_BITS = 96;
const CUSTOMER_BYTES = 8;

export function proxyProblem(entry: string): string | undefined {
  if (entry === 'loopback') return undefined;
  const range = rangeOf(entry);
  if (!range) return `${JSON.stringify(entry)} is no address, no range such as 10.0.0.0/8, and not loopback`;
  return range[1] === 0 ? `${entry} would trust everybody's word for who they are` : undefined;
}

export function trustOf(proxies: readonly string[]): (address: string) => boolean {
  const ranges = proxies.flatMap((entry) => (entry === 'loopback' ? LOOPBACK : [entry])).map(rangeOf);
  return (text) => {
    const address = ipAddress(text);
    return address !== undefined && ranges.some((range) => range !== undefined && isIn(address, range));
  };
}

/**
 * The nearest address that is no trusted proxy: only trusted hops name the one before them.
 * @param peer of the connection
 */
export function clientAddress(
  peer: string | undefined,
  forwarded: string | undefined,
  isTrusted: (address: string) => boolean,
): string {
  let nearest = normalAddress(peer ?? '');
  if (nearest === undefined) return 'unknown';
  for (const entry of (forwarded?.split(',') ?? []).reverse()) {
    if (!isTrusted(nearest)) return nearest;
    const next = normalAddress(withoutPort(entry.trim()));
    if (next === undefined) return nearest;
    nearest = next;
  }
  return nearest;
}

/** The sender that a request counts for: an IPv4 address, or the /64 of an IPv6 address. */
export function addressBlock(address: string): string {
  const known = ipAddress(address);
  if (!(known instanceof ipaddr.IPv6)) return known?.toString() ?? address;
  const bytes = known.toByteArray().fill(0, CUSTOMER_BYTES);
  return `${new ipaddr.IPv6(bytes).toString()}/64`;
}

function normalAddress(text: string): string | undefined {
  return ipAddress(text)?.toString();
}

/** Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function withoutPort(entry: string): string {
  return /^\[([^\]]+)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry;
}

function rangeOf(entry: string): Range | undefined {
  const [text = '', bitsText, ...rest] = entry.split('/');
  const address = writtenAddress(text);
  if (!address || rest.length > 0) return undefined;
  const all = address.kind() === 'ipv4' ? 32 : 128;
  if (bitsText !== undefined && !/^\d{1,3}$/.test(bitsText)) return undefined;
  const bits = bitsText === undefined ? all : Number(bitsText);
  if (bits > all) return undefined;
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= MAPPED_BITS
    ? [address.toIPv4Address(), bits - MAPPED_BITS]
    : [address, bits];
}

function isIn(address: IpAddress, [start, bits]: Range): boolean {
  return address.kind() === start.kind() && address.match(start, bits);
}
