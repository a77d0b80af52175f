import type { Layer } from '#lib/contract/operation.ts';
import type { KeyOf, Parser } from '../fix.ts';
import type { LifeSettings } from '../reception/feed-life.ts';
import type { Connect } from './feed.ts';
import type { FeedSettings } from './feed-settings.ts';
import type { FeedWords } from './feed-words.ts';

export type FeedSetting =
  | 'times'
  | 'username'
  | 'password_file'
  | 'ca_file'
  | 'key_sha256'
  | 'emergency'
  | 'pia_and_ladd';

/** Signs of a feed without traffic: see `FeedLife`. */
export interface Signs extends LifeSettings {
  /** Each readable answer is made for its request. Otherwise its clock has to move, or, without a clock, its rows. */
  readonly isAnswerEnough?: boolean;
}

export interface FeedKind {
  readonly example: string;
  /** That it can deliver. */
  readonly layers: readonly Layer[];
  readonly signs: Signs;
  /** Other settings than these, `aggregates` and `simulated` are refused. */
  readonly settings: readonly FeedSetting[];
  readonly aggregates?: boolean;
  readonly words: FeedWords;
  /** @returns what to write instead, if the address is invalid */
  check(url: URL): string | undefined;
  /** Normalised locations. Feeds that share one are one station. */
  places(url: URL): readonly string[];
  open(settings: FeedSettings, keyOf: KeyOf, pushDesk?: PushPlaces): OpenFeed;
}

interface OpenFeed {
  readonly parser: Parser;
  readonly connect: Connect;
  readonly messagesPerSecondMax?: number;
}

export interface PushPlaces {
  open(station: Pick<FeedSettings, 'id' | 'keyDigests' | 'policy'>, keyOf: KeyOf): OpenFeed;
}

/** For sockets: an IPv6 address without its brackets. */
export function hostOf(url: URL): string {
  return decodeURIComponent(url.hostname).replace(/^\[(.*)\]$/, '$1');
}

export function hostProblem(url: URL): string | undefined {
  if (url.hostname === '') return 'a host is missing';
  return url.port === '0' ? 'write a port from 1 to 65535' : undefined;
}

const OF_THIS_MACHINE = /^(localhost|.+\.localhost|127\.0\.0\.1|0\.0\.0\.0|::1?|::ffff:7f00:1)$/;

export function hostAndPort(url: URL, defaultPort: number | undefined): string {
  // Only http normalises hosts such as 127.1 and PI.local.
  const written = URL.canParse(`http://${url.hostname}`) ? new URL(`http://${url.hostname}`) : url;
  const host = hostOf(written).toLowerCase().replace(/\.$/, '');
  return `${OF_THIS_MACHINE.test(host) ? 'localhost' : host}:${url.port || defaultPort || ''}`;
}

export function plainPath(path: string): string {
  const plain = path.replace(/\/{2,}/g, '/').replace(/\/$/, '');
  try {
    return decodeURI(plain);
  } catch {
    return plain;
  }
}

export function hostAndPortProblem(url: URL, defaultPort?: number): string | undefined {
  const problem = hostProblem(url);
  if (problem !== undefined) return problem;
  if (url.port === '' && defaultPort === undefined) return 'a port is missing';
  if ((url.pathname !== '' && url.pathname !== '/') || url.search !== '') return 'leave out what follows host and port';
  return undefined;
}
