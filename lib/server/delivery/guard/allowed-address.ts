import 'server-only';
import ipaddr from 'ipaddr.js';
import { trustOf } from '#lib/front/client-address.ts';

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
