import { FEED_KINDS } from './feed-kinds.ts';

const HINTS: Readonly<Record<string, string>> = {
  beast:
    'Beast is not read; readsb --net-only --net-connector HOST,30005,beast_in --net-json-port 30154 makes lines of it, at jsonport://HOST:30154',
  tcp: 'write what is sent there: jsonport://, sbs:// or uat://',
  mqtt: 'write who sends: dronescout+mqtt:// or dragonsync+mqtt://',
  mqtts: 'write who sends: dronescout+mqtts:// or dragonsync+mqtts://',
};

export function normalFeedUrl(text: string): string {
  return text.trim().replace(/^[a-z][a-z\d+.-]*:/i, (scheme) => scheme.toLowerCase());
}

/** @returns the mistake and what to write instead */
export function feedUrlProblem(text: string): string | undefined {
  const address = normalFeedUrl(text);
  const scheme = URL.canParse(address) ? new URL(address).protocol.slice(0, -1) : undefined;
  const kind = scheme !== undefined && Object.hasOwn(FEED_KINDS, scheme) ? FEED_KINDS[scheme] : undefined;
  const typed = typingProblem(address, kind !== undefined);
  if (typed !== undefined) return typed;
  if (scheme === undefined) return `write an address such as ${FEED_KINDS.http?.example}`;
  if (kind === undefined) return HINTS[scheme] ?? `write one of ${Object.keys(FEED_KINDS).join('://, ')}://`;
  const url = new URL(address);
  if (url.username !== '' || url.password !== '') {
    return 'leave user and password out of the address: in a file of feeds write username and password_file';
  }
  // A selected aircraft, in the address of a map.
  const isHashRead = url.hash !== '' && !/^https?$/.test(scheme);
  const problem = isHashRead ? 'leave out what follows #' : kind.check(url);
  return problem && `${problem}, such as ${kind.example}`;
}

/** Such as a pasted zero-width space. */
const UNSEEN = /[\s\p{Cf}\p{Cc}]/u;
const OF_FILES = /^(file|serial):/;

/** Messages name the intended address only if it is certain. */
function typingProblem(address: string, isKind: boolean): string | undefined {
  if (UNSEEN.test(address) && !OF_FILES.test(address))
    return 'it has a space or an unseen character within: leave it out';
  const zone = /\[[^\]]*(%[^\]]*)\]/.exec(address)?.[1];
  if (zone !== undefined) {
    return `${decoded(zone)} names an interface of this machine, which no address can have here: write the name of the receiver, or its address without it`;
  }
  const host = /^[a-z+]*:\/\/([^/?#]*)/.exec(address)?.[1] ?? '';
  if (host.split(':').length > 2 && !host.includes('[') && !host.includes('@')) {
    return 'write an IPv6 address in brackets, such as http://[2001:db8::7]/tar1090';
  }
  if (Number(/:(\d+)$/.exec(host)?.[1] ?? 1) > 65_535) return 'write a port from 1 to 65535';
  if (/^[a-z+]+:\/\/https?(:?\/\/|$)/.test(address)) return 'write http:// or https:// once';
  return isKind ? undefined : missingScheme(address);
}

const SCHEME_OF_PORT: Readonly<Record<string, string>> = {
  30003: 'sbs',
  30154: 'jsonport',
  30979: 'uat',
};

function missingScheme(address: string): string | undefined {
  if (address.startsWith('/dev/')) return `write serial:// before it: serial://${address}`;
  if (/^\/[^/]/.test(address)) return `write file:// before it: file://${address}`;
  const place = /^(?:\/\/)?((?:[\w-]+\.)*[\w-]+|\[[\da-f:.]+\])(?::(\d+))?(\/.*)?$/i.exec(address);
  if (!place || (place[2] === undefined && place[3] === undefined && !/[.\]]|^localhost$/.test(place[1]!)))
    return undefined;
  const port = place[2] ?? '';
  if (port === '30005') return HINTS.beast;
  const scheme = SCHEME_OF_PORT[port] ?? 'http';
  return `write ${scheme}:// before it: ${scheme}://${address.replace(/^\/\//, '')}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
