import type { KeyOf, Parser } from '../fix.ts';
import type { Connect } from './feed.ts';
import type { FeedSettings } from './feed-settings.ts';

/** Settings of a file of feeds that only some kinds use. */
export type FeedSetting =
  | 'times'
  | 'username'
  | 'password_file'
  | 'ca_file'
  | 'key_sha256'
  | 'emergency'
  | 'pia_and_ladd';

/** What the scheme of a feed's address stands for. */
export interface FeedKind {
  /** A whole address, for messages about one that will not do. */
  readonly example: string;
  /** Settings that have an effect on it, besides `aggregates` and `simulated`. Others are refused. */
  readonly settings: readonly FeedSetting[];
  /** Whether several stations usually stand behind one; default: they don't. */
  readonly aggregates?: boolean;
  /** @returns what to write instead, if this address won't do */
  check(url: URL): string | undefined;
  /** Where it may be read, in one spelling: two feeds with a place in common are one station. */
  places(url: URL): readonly string[];
  /** @param pushDesk where stations send to; undefined if nothing listens for them */
  open(settings: FeedSettings, keyOf: KeyOf, pushDesk?: PushPlaces): OpenFeed;
}

interface OpenFeed {
  readonly parser: Parser;
  readonly connect: Connect;
  readonly messagesPerSecondMax?: number;
}

/** Where stations that push are given a place. */
export interface PushPlaces {
  open(station: Pick<FeedSettings, 'id' | 'keyDigests' | 'policy'>, keyOf: KeyOf): OpenFeed;
}

/** The host of an address of any scheme, as sockets take it: an IPv6 address without its brackets. */
export function hostOf(url: URL): string {
  return decodeURIComponent(url.hostname).replace(/^\[(.*)\]$/, '$1');
}

/** @returns what is wrong with the host and the port of an address */
export function hostProblem(url: URL): string | undefined {
  if (url.hostname === '') return 'a host is missing';
  return url.port === '0' ? 'write a port from 1 to 65535' : undefined;
}

const OF_THIS_MACHINE = /^(localhost|.+\.localhost|127\.0\.0\.1|0\.0\.0\.0|::1?|::ffff:7f00:1)$/;

/** Host and port in one spelling. */
export function hostAndPort(url: URL, defaultPort: number | undefined): string {
  // Of other schemes a host is left as it was written: 127.1, PI.local.
  const written = URL.canParse(`http://${url.hostname}`) ? new URL(`http://${url.hostname}`) : url;
  const host = hostOf(written).toLowerCase().replace(/\.$/, '');
  return `${OF_THIS_MACHINE.test(host) ? 'localhost' : host}:${url.port || defaultPort || ''}`;
}

/** A path in one spelling. */
export function plainPath(path: string): string {
  const plain = path.replace(/\/{2,}/g, '/').replace(/\/$/, '');
  try {
    return decodeURI(plain);
  } catch {
    return plain;
  }
}

/** @returns what is wrong with an address that is to be a host and a port alone */
export function hostAndPortProblem(url: URL, defaultPort?: number): string | undefined {
  const problem = hostProblem(url);
  if (problem !== undefined) return problem;
  if (url.port === '' && defaultPort === undefined) return 'a port is missing';
  if ((url.pathname !== '' && url.pathname !== '/') || url.search !== '') return 'leave out what follows host and port';
  return undefined;
}
