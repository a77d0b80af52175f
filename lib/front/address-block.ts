import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

const CUSTOMER_BYTES = 8;

/** Senders: an IPv4 address, or the /64 of an IPv6 address. */
export function addressBlock(address: string): string {
  if (isIP(address) !== 6) return address;
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  const bytes = parsed.toByteArray().fill(0, CUSTOMER_BYTES);
  return `${new ipaddr.IPv6(bytes).toString()}/64`;
}
