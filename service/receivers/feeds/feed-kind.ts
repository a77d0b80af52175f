import type { Layer } from '#lib/contract/operation.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { parseBbox } from '#lib/geo/parse-bbox.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { KeyOf, Parser, RefusalCause } from '../fix.ts';
import type { LifeSettings } from '../reception/feed-life.ts';
import type { Connect, FeedSettings } from './feed.ts';
import type { RequestCounts } from './request-counts.ts';

export type FeedSetting =
  | 'times'
  | 'username'
  | 'password_file'
  | 'ca_file'
  | 'key_sha256'
  | 'key_file'
  | 'layers'
  | 'areas'
  | 'seconds'
  | 'requests_a_day'
  | 'emergency'
  | 'pia_and_ladd';

/** The signs by which a feed without traffic still runs: see `FeedLife`. */
export interface Signs extends LifeSettings {
  /**
   * Whether each readable answer is made for its request. Otherwise its clock has to move, or, without a clock, its
   * rows.
   */
  readonly isAnswerEnough?: boolean;
}

/**
 * All that the service knows of one kind of feed: its addresses, settings, words, parser and transport. A new kind is
 * one such entry in `AIRCRAFT_KINDS` or `DRONE_KINDS`, by the scheme of its addresses.
 */
export interface FeedKind {
  readonly example: string;
  /** An address without a scheme, but with this port, is of this kind. */
  readonly usualPort?: number;
  /** The layers that it can deliver. */
  readonly layers: readonly Layer[];
  readonly signs: Signs;
  /** A file of feeds may set these, `aggregates` and `simulated`; others are refused. */
  readonly settings: readonly FeedSetting[];
  /** Advice for a setting that has no effect here. Default: leave it out. */
  readonly instead?: Readonly<Partial<Record<FeedSetting, string>>>;
  /** Whether its sources usually are several stations. */
  readonly aggregates?: boolean;
  readonly words: FeedWords;
  /** @returns what to write instead, if the address is invalid */
  check(url: URL): string | undefined;
  /** Normalised locations. Feeds that share one are one station. */
  places(url: URL): readonly string[];
  open(settings: FeedSettings, keyOf: KeyOf, home?: FeedHome): OpenFeed;
}

/** Parts of the service that some feeds need. */
export interface FeedHome {
  readonly pushDesk?: PushPlaces | undefined;
  readonly requests?: RequestCounts | undefined;
  /** How this service calls itself in its answers. */
  readonly serviceId?: string | undefined;
}

/** A layer and area of a feed that reads another service, and how many receivers deliver there. */
export interface FeedPart {
  readonly layer: Layer;
  readonly area: Bbox;
  /** 0: the other service has none for this layer. */
  readonly receivers: number;
  readonly receiving: number;
  readonly since: UpstreamInstant;
  readonly lostAt: UpstreamInstant | undefined;
  /** When some of its receivers were found to hear far less than usual. */
  readonly deafSince?: UpstreamInstant | undefined;
}

/** The id has the area, so that the record of reception knows it without the settings of its time. */
export function partId(feed: string, { layer, area }: Pick<FeedPart, 'layer' | 'area'>): string {
  return `${feed}/${layer}/${area.west},${area.south},${area.east},${area.north}`;
}

/** The area of a part; undefined for a whole feed, which has none. */
export function areaOfPart(id: string): Bbox | undefined {
  const [, , text] = id.split('/');
  const read = text === undefined ? undefined : parseBbox(text);
  return read?.ok ? read.bbox : undefined;
}

export interface FeedRequests {
  readonly usedToday: number;
  /** By the last answer of the account. */
  readonly accountLeft: number | undefined;
}

export interface OpenFeed {
  readonly parser: Parser;
  readonly connect: Connect;
  readonly messagesPerSecondMax?: number;
  /** The parts that are received or lost apart. */
  parts?(): readonly FeedPart[];
  /** The problem of a connected feed, if its transport knows one. */
  trouble?(): string | undefined;
  /** The requests of a feed whose account counts them. */
  requests?(): FeedRequests;
}

export interface PushPlaces {
  open(station: Pick<FeedSettings, 'id' | 'keyDigests' | 'policy'>, keyOf: KeyOf): OpenFeed;
}

/** Why a connected feed of a kind gives no positions, completing "the feed is connected, but …". */
export interface FeedWords {
  /** Completes "it answers with a web page, not with …". */
  readonly expected: string;
  /** About JSON that the kind cannot read. */
  readonly json: (text: string) => string;
  /** About lines of SBS, which most kinds cannot read. */
  readonly sbs: string;
  /** Why messages gave no position; `nothing` if none was refused. */
  readonly without: Readonly<Partial<Record<RefusalCause | 'nothing', string>>>;
}

export const SBS_ELSEWHERE = 'it sends SBS lines: write sbs:// before its address';

const COMMON = {
  impossible_value: 'its latitudes and longitudes are outside the Earth, or not numbers',
  too_long: 'its messages are too long to be read',
  flood: 'it sends more than is read',
  unreadable: 'its messages cannot be read',
};

export const AIRCRAFT_CAUSES = {
  ...COMMON,
  no_position: 'its aircraft give no position',
  no_age: 'its aircraft have no usable "seen_pos": the age of their positions is not known, so they are not served',
  no_identity: 'its aircraft have no address that can be read',
  drone_as_aircraft: 'it passes on drones as aircraft (FF0000 to FFFFFF): connect the drone receiver itself',
  obstacle: 'it hears fixed obstacles only',
  withheld: 'all that it hears is withheld by "pia_and_ladd"',
};

export const DRONE_CAUSES = {
  ...COMMON,
  no_position: 'its drones give no position, or 0,0 as without a GNSS fix',
  no_identity: 'its drones have no serial number or address that can be read',
  other_layer: 'it sends aircraft, and this is a feed of drones',
};

/** Node.js reads the authorities of https once, at its start. */
export const HTTPS_INSTEAD = { ca_file: 'start the service with NODE_EXTRA_CA_CERTS=FILE' };

/** The host as sockets need it: an IPv6 address without its brackets. */
export function hostOf(url: URL): string {
  return decodeURIComponent(url.hostname).replace(/^\[(.*)\]$/, '$1');
}

export function hostProblem(url: URL): string | undefined {
  if (url.hostname === '') return 'a host is missing';
  return url.port === '0' ? 'write a port from 1 to 65535' : undefined;
}

/** As an address names it; no name is resolved. */
export function isOfThisMachine(url: URL): boolean {
  return hostAndPort(url, undefined).startsWith('localhost:');
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
