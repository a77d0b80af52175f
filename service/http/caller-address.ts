import type { IncomingMessage } from 'node:http';
import { type BlockList, isIP, isIPv6 } from 'node:net';

/** Trusts only `proxies`, and only the end of their X-Forwarded-For, because a caller may send the header too. */
export function callerAddress(
  message: Pick<IncomingMessage, 'headersDistinct' | 'socket'>,
  proxies: BlockList | undefined,
): string {
  let address = message.socket.remoteAddress ?? '';
  if (proxies === undefined) return address;
  const forwarded = (message.headersDistinct['x-forwarded-for'] ?? []).join(',').split(',');
  while (isListed(proxies, address)) {
    const before = forwarded.pop()?.trim();
    if (before === undefined || isIP(before) === 0) break;
    address = before;
  }
  return address;
}

function isListed(proxies: BlockList, address: string): boolean {
  if (isIP(address) === 0) return false;
  return proxies.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}
