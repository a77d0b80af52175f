import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Of the 16 bytes of an IPv6 address, those that a provider gives to one customer: the first half. */
const CUSTOMER_BYTES = 8;

/** Requests of one block count as one sender: an IPv4 address, or the /64 of an IPv6 address, within which a sender can choose freely. */
export function addressBlock(address: string): string {
  if (isIP(address) !== 6) return address;
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  const bytes = parsed.toByteArray().fill(0, CUSTOMER_BYTES);
  return `${new ipaddr.IPv6(bytes).toString()}/64`;
}
