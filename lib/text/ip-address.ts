// IP addresses as sockets, headers and settings write them. Spellings that programs read differently, such as 127.1 and
// 010.0.0.1, are no addresses.
import ipaddr from 'ipaddr.js';

export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;

const OCTAL = /[:.]0\d+\.|\.0\d/;

/** The address without the network interface after `%`, or `undefined` for other text. */
export function writtenAddress(text: string): IpAddress | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  // The library reads `::192.0.2.1` as IPv4, and not every name of an interface.
  const plain = text.replace(/%[\w.:-]+$/, '').replace(/^::(?=\d+\.)/, '0::');
  return ipaddr.IPv6.isValid(plain) && !OCTAL.test(plain) ? ipaddr.IPv6.parse(plain) : undefined;
}

/** As `writtenAddress`, but `::ffff:192.0.2.1` is the IPv4 address. */
export function ipAddress(text: string): IpAddress | undefined {
  const address = writtenAddress(text);
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}
