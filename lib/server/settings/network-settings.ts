import 'server-only';
import { z } from 'zod';
import { proxyProblem } from '#lib/front/client-address.ts';
import { isLoopbackHost } from '../sign-in/loopback-host.ts';
import { isPort, oneOrNothing, optionalText, optionalUrl, type SettingProblem, textList } from './setting-forms.ts';

const addressList = textList.superRefine((entries, context) => {
  for (const entry of entries) {
    const problem = proxyProblem(entry);
    if (problem)
      context.addIssue({
        code: 'custom',
        message: `must be addresses, ranges or loopback, separated by commas: ${problem}`,
      });
  }
});

export const networkSettings = z.object({
  /** Address that operators use. With https, the cookie is Secure and HSTS is on. */
  PUBLIC_URL: optionalUrl('the address where operators reach Lookout'),
  /** `1`: HSTS includes the subdomains of that host. */
  HSTS_SUBDOMAINS: oneOrNothing,
  /** Address to listen on. Addresses other than loopback need sign-in, and a `PUBLIC_URL` with https. */
  HOST: optionalText.transform((text) => text ?? '127.0.0.1'),
  /** Port to listen on. */
  PORT: optionalText.transform((text) => (text !== undefined && isPort(text) ? Number(text) : 3000)),
  /** `1`: other machines may connect without TLS. Passwords, sessions and positions are then readable on the network. */
  ALLOW_PLAIN_HTTP: oneOrNothing,
  /**
   * Reverse proxies with a trusted `X-Forwarded-For`: addresses, ranges such as `10.0.0.0/8`, or `loopback`. Without it, all
   * clients of a proxy count as one address.
   */
  TRUSTED_PROXIES: addressList,
  /**
   * Addresses that are not public, and that destinations of alarms may have: addresses, ranges such as `10.0.0.0/8`, or
   * `loopback`. Without it, Lookout sends alarms to public addresses only.
   */
  OUTPUT_PRIVATE_ADDRESSES: addressList,
});

export type NetworkSettings = z.infer<typeof networkSettings>;

export interface NetworkConfig {
  readonly publicOrigin: string | undefined;
  readonly tls: boolean;
  readonly plainHttp: boolean;
  readonly hstsSubdomains: boolean;
  readonly trustedProxies: readonly string[];
  readonly outputPrivateAddresses: readonly string[];
}

export function* networkProblems(settings: NetworkSettings): Generator<SettingProblem<NetworkSettings>> {
  const isTls = settings.PUBLIC_URL?.startsWith('https:') ?? false;
  if (!isLoopbackHost(settings.HOST) && !isTls && !settings.ALLOW_PLAIN_HTTP) {
    yield [
      'HOST',
      `${settings.HOST} can be reached from other machines. Without TLS, any machine on the way could read passwords, take over sessions and see positions. Put a reverse proxy with TLS in front and set PUBLIC_URL to its https address, or accept that with ALLOW_PLAIN_HTTP=1`,
    ];
  }
  if (settings.HSTS_SUBDOMAINS && !isTls) yield ['HSTS_SUBDOMAINS', 'needs PUBLIC_URL with https://'];
}

export function networkConfig(settings: NetworkSettings): NetworkConfig {
  const origin = publicOrigin(settings);
  return {
    publicOrigin: origin,
    tls: origin?.startsWith('https:') ?? false,
    plainHttp: settings.ALLOW_PLAIN_HTTP && !isLoopbackHost(settings.HOST),
    hstsSubdomains: settings.HSTS_SUBDOMAINS,
    trustedProxies: settings.TRUSTED_PROXIES,
    outputPrivateAddresses: settings.OUTPUT_PRIVATE_ADDRESSES,
  };
}

export function publicOrigin({ PUBLIC_URL: address }: Pick<NetworkSettings, 'PUBLIC_URL'>): string | undefined {
  return address === undefined ? undefined : new URL(address).origin;
}
