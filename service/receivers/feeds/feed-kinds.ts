import { AIRCRAFT_KINDS } from './aircraft-kinds.ts';
import { DRONE_KINDS } from './drone-kinds.ts';
import type { FeedKind } from './feed-kind.ts';
import { pushKind } from './push-desk.ts';
import { READ_API_KINDS } from './read-api-kind.ts';

/** Kinds of feeds by the scheme of their addresses. */
export type FeedKinds = Readonly<Record<string, FeedKind>>;

/** The one table: what reads addresses, checks settings, opens feeds and says why they fail takes it from here. */
export const FEED_KINDS: FeedKinds = { ...AIRCRAFT_KINDS, ...DRONE_KINDS, ...READ_API_KINDS, push: pushKind };

/** `undefined` for an address that cannot be read, or of no kind. */
export function feedKindOf(url: string, kinds: FeedKinds = FEED_KINDS): FeedKind | undefined {
  const scheme = schemeOf(url);
  return scheme !== undefined && Object.hasOwn(kinds, scheme) ? kinds[scheme] : undefined;
}

export function schemeOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).protocol.slice(0, -1) : undefined;
}

export function normalFeedUrl(text: string): string {
  return text.trim().replace(/^[a-z][a-z\d+.-]*:/i, (scheme) => scheme.toLowerCase());
}

/** For each address, the index of an earlier one with the same location, however spelt. */
export function sameStations(urls: readonly unknown[], kinds: FeedKinds = FEED_KINDS): readonly (number | undefined)[] {
  const firstAt = new Map<string, number>();
  return urls.map((given, index) => {
    if (typeof given !== 'string') return undefined;
    const url = normalFeedUrl(given);
    const isValid = feedUrlProblem(url, kinds) === undefined;
    const places = isValid ? (feedKindOf(url, kinds)?.places(new URL(url)) ?? []) : [url];
    const first = places.flatMap((place) => firstAt.get(place) ?? [])[0];
    for (const place of places) if (!firstAt.has(place)) firstAt.set(place, first ?? index);
    return first;
  });
}

/** Hints for schemes that are no kind. */
const HINTS: Readonly<Record<string, string>> = {
  beast:
    'Beast is not read; readsb --net-only --net-connector HOST,30005,beast_in --net-json-port 30154 makes lines of it, at jsonport://HOST:30154',
  tcp: 'write what is sent there: jsonport://, sbs:// or uat://',
  mqtt: 'write who sends: dronescout+mqtt:// or dragonsync+mqtt://',
  mqtts: 'write who sends: dronescout+mqtts:// or dragonsync+mqtts://',
};

/** @returns the mistake in an address and what to write instead, `undefined` if it is right */
export function feedUrlProblem(text: string, kinds: FeedKinds = FEED_KINDS): string | undefined {
  const address = normalFeedUrl(text);
  const kind = feedKindOf(address, kinds);
  const typed = typingProblem(address) ?? (kind === undefined ? missingScheme(address, kinds) : undefined);
  if (typed !== undefined) return typed;
  const scheme = schemeOf(address);
  if (scheme === undefined) return `write an address such as ${kinds.http?.example}`;
  if (kind === undefined) return HINTS[scheme] ?? `write one of ${Object.keys(kinds).join('://, ')}://`;
  const url = new URL(address);
  if (url.username !== '' || url.password !== '') {
    return 'leave user and password out of the address: in a file of feeds write username and password_file';
  }
  // A map writes the selected aircraft into its address.
  const isHashRead = url.hash !== '' && !/^https?$/.test(scheme);
  const problem = isHashRead ? 'leave out what follows #' : kind.check(url);
  return problem && `${problem}, such as ${kind.example}`;
}

/** A pasted zero-width space, for example. */
const UNSEEN = /[\s\p{Cf}\p{Cc}]/u;
const OF_FILES = /^(file|serial):/;

/** Messages name the intended address only if it is certain. */
function typingProblem(address: string): string | undefined {
  if (UNSEEN.test(address) && !OF_FILES.test(address))
    return 'it has a space or an unseen character within: leave it out';
  const zone = /\[[^\]]*(%[^\]]*)\]/.exec(address)?.[1];
  if (zone !== undefined) {
    return `${decoded(zone)} names an interface of this machine, which no address can have here: write the name of the receiver, or its address without it`;
  }
  const host = /^[a-z+-]*:\/\/([^/?#]*)/.exec(address)?.[1] ?? '';
  if (host.split(':').length > 2 && !host.includes('[') && !host.includes('@')) {
    return 'write an IPv6 address in brackets, such as http://[2001:db8::7]/tar1090';
  }
  if (Number(/:(\d+)$/.exec(host)?.[1] ?? 1) > 65_535) return 'write a port from 1 to 65535';
  if (/^[a-z+-]+:\/\/https?(:?\/\/|$)/.test(address)) return 'write http:// or https:// once';
  return undefined;
}

function missingScheme(address: string, kinds: FeedKinds): string | undefined {
  if (address.startsWith('/dev/')) return `write serial:// before it: serial://${address}`;
  if (/^\/[^/]/.test(address)) return `write file:// before it: file://${address}`;
  const place = /^(?:\/\/)?((?:[\w-]+\.)*[\w-]+|\[[\da-f:.]+\])(?::(\d+))?(\/.*)?$/i.exec(address);
  if (!place || (place[2] === undefined && place[3] === undefined && !/[.\]]|^localhost$/.test(place[1]!)))
    return undefined;
  const port = Number(place[2] ?? Number.NaN);
  if (port === 30_005) return HINTS.beast;
  const scheme = Object.keys(kinds).find((each) => kinds[each]!.usualPort === port) ?? 'http';
  return `write ${scheme}:// before it: ${scheme}://${address.replace(/^\/\//, '')}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
