import 'server-only';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

const LOOPBACK = ['127.0.0.0/8', '::1/128'];

/** @param listed addresses, ranges or `loopback` @returns whether Lookout may connect to the address */
export function isAllowedAddress(text: string, listed: readonly string[]): boolean {
  if (text.includes('%') || !ipaddr.isValid(text)) return false;
  const address = withinNat64(ipaddr.process(text));
  if (isPublic(address)) return true;
  const ranges = listed.flatMap((entry) => (entry === 'loopback' ? LOOPBACK : [entry]));
  return ranges.some((entry) => {
    const [range, bits] = rangeOf(entry);
    return range.kind() === address.kind() && address.match(range, bits);
  });
}

/** @throws Error if it is neither */
export function rangeOf(entry: string): [Address, number] {
  if (entry.includes('/')) return ipaddr.parseCIDR(entry);
  const address = ipaddr.process(entry);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

/** Where servers have IPv6 alone, names of IPv4 resolve to this (RFC 6052). */
function withinNat64(address: Address): Address {
  if (address instanceof ipaddr.IPv4 || !address.match(ipaddr.parseCIDR('64:ff9b::/96') as [ipaddr.IPv6, number]))
    return address;
  return new ipaddr.IPv4(address.toByteArray().slice(12));
}

const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];

function isPublic(address: Address): boolean {
  return address.range() === 'unicast' && (address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST));
}
