import type { FeedKind, FeedSetting } from './feed-kind.ts';
import { FEED_KINDS } from './feed-kinds.ts';
import { normalFeedUrl } from './feed-url.ts';

const OF_A_FEED = ['times', 'username', 'password_file', 'ca_file', 'key_sha256'] as const satisfies FeedSetting[];
const OF_ALL_FEEDS = ['emergency', 'pia_and_ladd'] as const satisfies FeedSetting[];

interface Given {
  readonly place: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly scheme: string;
  readonly kind: FeedKind;
}

/** Settings without effect, and missing ones. Skips feeds with an invalid address. */
export function settingProblems(file: unknown): string[] {
  const listed: unknown = isObject(file) ? file.feeds : undefined;
  if (!isObject(file) || !Array.isArray(listed)) return [];
  const feeds = listed.flatMap(givenFeed);
  return [
    ...feeds.flatMap((feed) => [...unusedSettings(feed), ...missingSettings(feed)]),
    ...OF_ALL_FEEDS.filter(
      (setting) =>
        file[setting] !== undefined &&
        feeds.length === listed.length &&
        feeds.length > 0 &&
        !feeds.some(({ kind }) => kind.settings.includes(setting)),
    ).map((setting) => `${setting}: no feed of this file uses it: leave it out. ${usersOf(setting)}`),
  ];
}

function givenFeed(settings: unknown, index: number): Given[] {
  const url = isObject(settings) && typeof settings.url === 'string' ? normalFeedUrl(settings.url) : '';
  const scheme = URL.canParse(url) ? new URL(url).protocol.slice(0, -1) : '';
  const kind = Object.hasOwn(FEED_KINDS, scheme) ? FEED_KINDS[scheme] : undefined;
  return isObject(settings) && kind ? [{ place: `feeds[${index}]`, settings, scheme, kind }] : [];
}

function unusedSettings({ place, settings, scheme, kind }: Given): string[] {
  return OF_A_FEED.filter((setting) => settings[setting] !== undefined && !kind.settings.includes(setting)).map(
    (setting) => `${place}.${setting}: ${scheme}:// does not use it: ${instead(setting, scheme)}`,
  );
}

function missingSettings({ place, settings, kind }: Given): string[] {
  const has = (setting: FeedSetting) => settings[setting] !== undefined;
  return [
    ...(kind.settings.includes('username') && has('username') !== has('password_file')
      ? [`${place}: write username and password_file, or neither`]
      : []),
    ...(kind.settings.includes('key_sha256') && !has('key_sha256')
      ? [`${place}: write key_sha256 with push://: what station-key prints`]
      : []),
  ];
}

function instead(setting: FeedSetting, scheme: string): string {
  if (setting === 'ca_file' && scheme.endsWith('https')) return 'start the service with NODE_EXTRA_CA_CERTS=FILE';
  if (setting === 'ca_file' && scheme.endsWith('mqtt'))
    return `write ${scheme}s:// if the broker has TLS, or leave it out`;
  return `leave it out. ${usersOf(setting)}`;
}

function usersOf(setting: FeedSetting): string {
  const schemes = Object.keys(FEED_KINDS).filter((scheme) => FEED_KINDS[scheme]!.settings.includes(setting));
  return `It is for ${schemes.join('://, ')}://`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
