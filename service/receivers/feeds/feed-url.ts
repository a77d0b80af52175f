import { FEED_KINDS } from './feed-kinds.ts';

const HINTS: Readonly<Record<string, string>> = {
  beast:
    'Beast is not read; readsb --net-only --net-connector HOST,30005,beast_in --net-json-port 30154 makes lines of it, at jsonport://HOST:30154',
  tcp: 'write what is sent there: jsonport://, sbs:// or uat://',
  mqtt: 'write who sends: dronescout+mqtt:// or dragonsync+mqtt://',
  mqtts: 'write who sends: dronescout+mqtts:// or dragonsync+mqtts://',
};

/** What is wrong with the address of a feed, and what to write instead; `undefined` if nothing is. */
export function feedUrlProblem(text: string): string | undefined {
  if (!URL.canParse(text)) return `write an address such as ${FEED_KINDS.http?.example}`;
  const url = new URL(text);
  const scheme = url.protocol.slice(0, -1);
  const kind = Object.hasOwn(FEED_KINDS, scheme) ? FEED_KINDS[scheme] : undefined;
  if (kind === undefined) return HINTS[scheme] ?? `write one of ${Object.keys(FEED_KINDS).join('://, ')}://`;
  if (url.username !== '' || url.password !== '') {
    return 'leave user and password out of the address: in a file of feeds write username and password_file';
  }
  const problem = url.hash === '' ? kind.check(url) : 'leave out what follows #';
  return problem && `${problem}, such as ${kind.example}`;
}
