import { z } from 'zod';
import { LAYERS } from '#lib/contract/operation.ts';
import { errorMessage } from '#lib/text/error-message.ts';
import type { FeedSettings, ReadFeeds } from './feed.ts';
import type { FeedKind, FeedSetting } from './feed-kind.ts';
import {
  FEED_KINDS,
  type FeedKinds,
  feedKindOf,
  feedUrlProblem,
  normalFeedUrl,
  sameStations,
  schemeOf,
} from './feed-kinds.ts';
import { readArea, requestsADay } from './read-api-kind.ts';

const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/;
const FEEDS_MAX = 100;

const text = (error: string) => z.string({ error }).min(1, { error });

const DIGEST_INSTEAD = 'write the 64 hex digits that station-key prints, or a list of two while a key is replaced';
const digest = z
  .string({ error: DIGEST_INSTEAD })
  .regex(/^[0-9a-f]{64}$/i, { error: DIGEST_INSTEAD })
  .toLowerCase();

const LAYERS_INSTEAD = 'write ["adsb"], ["rid"] or ["adsb","rid"]';
const AREAS_INSTEAD = 'write a list of areas as west,south,east,north: ["5.9,45.8,10.6,47.9"]';
const AREAS_MAX = 20;
const SECONDS_MIN = 1;
/** Positions live for a minute. */
const SECONDS_MAX = 60;
const SECONDS_DEFAULT = 10;
const SECONDS_INSTEAD = `write the seconds between two reads, from ${SECONDS_MIN} to ${SECONDS_MAX}`;
const REQUESTS_MAX = 10_000_000;
const REQUESTS_INSTEAD = 'write the most requests that it may send in a day (UTC), a whole number';

const area = z.string({ error: AREAS_INSTEAD }).transform((text, context) => {
  const read = readArea(text);
  if (typeof read !== 'string') return read;
  context.addIssue({ code: 'custom', message: read });
  return z.NEVER;
});

const feedSchema = (kinds: FeedKinds) =>
  z.strictObject(
    {
      id: z
        .string({ error: 'write a name of 1 to 40 letters, digits, dots or dashes' })
        .regex(ID, { error: 'write 1 to 40 letters, digits, dots or dashes' }),
      url: z
        .string({ error: 'write the address of the feed, such as http://pi.local/tar1090' })
        .overwrite(normalFeedUrl)
        .superRefine((url, context) => {
          const problem = feedUrlProblem(url, kinds);
          if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
        }),
      aggregates: z
        .boolean({ error: 'write true if the feed merges several stations, false if one, or leave it out' })
        .optional(),
      simulated: z
        .literal(true, { error: 'write true, or leave it out: false would not prove that the traffic is real' })
        .optional(),
      times: z
        .enum(['arrival', 'utc'], { error: 'write "utc" if the times of the lines are UTC, or leave it out' })
        .default('arrival'),
      username: text('write the user, or leave it out').optional(),
      password_file: text('write the path of a file that contains the password alone, or leave it out').optional(),
      key_sha256: z
        .union(
          [
            digest.transform((one) => [one]),
            z.array(digest).min(1, { error: DIGEST_INSTEAD }).max(2, { error: DIGEST_INSTEAD }),
          ],
          { error: DIGEST_INSTEAD },
        )
        .optional(),
      key_file: text('write the path of a file that contains the key alone, or leave it out').optional(),
      layers: z
        .array(z.enum(LAYERS, { error: LAYERS_INSTEAD }), { error: LAYERS_INSTEAD })
        .min(1, { error: LAYERS_INSTEAD })
        .refine((layers) => new Set(layers).size === layers.length, { error: LAYERS_INSTEAD })
        .optional(),
      areas: z
        .array(area, { error: AREAS_INSTEAD })
        .min(1, { error: AREAS_INSTEAD })
        .max(AREAS_MAX, {
          error: `write at most ${AREAS_MAX} areas`,
        })
        .optional(),
      seconds: z
        .number({ error: SECONDS_INSTEAD })
        .min(SECONDS_MIN, { error: SECONDS_INSTEAD })
        .max(SECONDS_MAX, { error: SECONDS_INSTEAD })
        .optional(),
      requests_a_day: z
        .int({ error: REQUESTS_INSTEAD })
        .min(1, { error: REQUESTS_INSTEAD })
        .max(REQUESTS_MAX, { error: REQUESTS_INSTEAD })
        .optional(),
      ca_file: text('write the path of a file of certificates to trust, in PEM, or leave it out').optional(),
    },
    { error: wrongObject('a feed as {"id":"roof","url":"http://pi.local/tar1090"}') },
  );

const fileSchema = (kinds: FeedKinds) =>
  z.strictObject(
    {
      emergency: z
        .enum(['as_received', 'unknown'], { error: 'write "as_received" or "unknown"' })
        .default('as_received'),
      pia_and_ladd: z.enum(['serve', 'withhold'], { error: 'write "serve" or "withhold"' }).default('serve'),
      feeds: z
        .array(feedSchema(kinds), {
          error: 'write a list of feeds: "feeds":[{"id":"roof","url":"http://pi.local/tar1090"}]',
        })
        .max(FEEDS_MAX, { error: `write at most ${FEEDS_MAX} feeds` }),
    },
    { error: wrongObject('{"feeds":[{"id":"roof","url":"http://pi.local/tar1090"}]}') },
  );

function wrongObject(instead: string) {
  return (issue: { readonly code?: string | undefined; readonly keys?: unknown }) =>
    issue.code === 'unrecognized_keys' && Array.isArray(issue.keys)
      ? `${issue.keys.join(', ')} is unknown: leave it out`
      : `write ${instead}`;
}

/**
 * Reads the text of a file of feeds. It reports all problems at once, each with its place and what to write instead; a
 * file with a problem gives no feed.
 */
export function readFeedsFile(json: string, kinds: FeedKinds = FEED_KINDS): ReadFeeds {
  let value: unknown;
  try {
    // Some editors write a byte order mark.
    value = JSON.parse(json.replace(/^\uFEFF/, ''));
  } catch (error) {
    return { ok: false, problems: [`it is not JSON: ${errorMessage(error)}`] };
  }
  const read = fileSchema(kinds).safeParse(value);
  const problems = [
    ...(read.success ? [] : read.error.issues.map(({ path, message }) => `${placeOf(path)}${message}`)),
    ...settingProblems(value, kinds),
    ...sameProblems(value, kinds),
    ...sameKeyProblems(read.success ? read.data.feeds : []),
    ...costProblems(read.success ? read.data.feeds : []),
  ];
  if (!read.success || problems.length > 0) return { ok: false, problems };
  const { emergency, pia_and_ladd: piaAndLadd, feeds } = read.data;
  return {
    ok: true,
    feeds: feeds.map(
      (feed): FeedSettings => ({
        id: feed.id,
        url: feed.url,
        aggregates: feed.aggregates ?? feedKindOf(feed.url, kinds)?.aggregates ?? false,
        simulated: feed.simulated === true,
        policy: { emergency, piaAndLadd },
        sbsTimes: feed.times,
        username: feed.username,
        passwordFile: feed.password_file,
        caFile: feed.ca_file,
        keyDigests: feed.key_sha256 ?? [],
        readApi: accountOf(feed),
      }),
    ),
  };
}

type ReadFeed = z.infer<ReturnType<typeof feedSchema>>;

/** The account at another service; undefined for other kinds of feeds. */
function accountOf({ key_file: keyFile, layers, areas, seconds, requests_a_day: requestsPerDay }: ReadFeed) {
  if (keyFile === undefined || areas === undefined || requestsPerDay === undefined) return undefined;
  return { keyFile, layers: layers ?? LAYERS, areas, seconds: seconds ?? SECONDS_DEFAULT, requestsPerDay };
}

/** Settings that need more requests than they allow. */
function costProblems(feeds: readonly ReadFeed[]): string[] {
  return feeds.flatMap((feed, index) => {
    const account = accountOf(feed);
    const needed = account && requestsADay(account);
    if (!needed || needed <= account.requestsPerDay) return [];
    const seconds = Math.ceil((needed * account.seconds) / account.requestsPerDay);
    const instead =
      seconds <= SECONDS_MAX ? `"seconds": ${seconds}, or more requests` : 'fewer areas, or more requests';
    return [
      `feeds[${index}].requests_a_day: its layers and areas every ${account.seconds} s are ${needed} requests a day, and ${account.requestsPerDay} are allowed: write ${instead}`,
    ];
  });
}

function placeOf(path: readonly PropertyKey[]): string {
  const place = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
  return place === '' ? '' : `${place.replace(/^\./, '')}: `;
}

function sameProblems(value: unknown, kinds: FeedKinds): string[] {
  const feeds = isObject(value) ? value.feeds : undefined;
  if (!Array.isArray(feeds)) return [];
  const given = (key: string) => feeds.map((feed: unknown) => (isObject(feed) ? feed[key] : undefined));
  const [ids, urls] = [given('id'), given('url')];
  return [
    ...ids.flatMap((id, index) => {
      const first = ids.indexOf(id);
      return typeof id !== 'string' || first === index
        ? []
        : [`feeds[${index}].id: the same as that of feeds[${first}]; write another name`];
    }),
    ...sameStations(urls, kinds).flatMap((first, index) => {
      if (first === undefined) return [];
      const same = urls[index] === urls[first] ? 'the same as that of' : 'another spelling of that of';
      return [`feeds[${index}].url: ${same} feeds[${first}]; leave it out, or one station would count as two`];
    }),
  ];
}

function sameKeyProblems(feeds: readonly { readonly key_sha256?: readonly string[] | undefined }[]): string[] {
  const firstAt = new Map<string, number>();
  return feeds.flatMap(({ key_sha256 = [] }, index) =>
    key_sha256.flatMap((each) => {
      const first = firstAt.get(each) ?? index;
      firstAt.set(each, first);
      return first === index
        ? []
        : [`feeds[${index}].key_sha256: the same as that of feeds[${first}]; make another key`];
    }),
  );
}

const OF_A_FEED = [
  'times',
  'username',
  'password_file',
  'ca_file',
  'key_sha256',
  'key_file',
  'layers',
  'areas',
  'seconds',
  'requests_a_day',
] as const satisfies FeedSetting[];
const OF_AN_ACCOUNT = ['key_file', 'areas', 'requests_a_day'] as const satisfies FeedSetting[];
const OF_ALL_FEEDS = ['emergency', 'pia_and_ladd'] as const satisfies FeedSetting[];

interface Given {
  readonly place: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly scheme: string;
  readonly kind: FeedKind;
}

/** Settings without effect, and missing ones. Feeds with an invalid address are skipped. */
function settingProblems(file: unknown, kinds: FeedKinds): string[] {
  const listed: unknown = isObject(file) ? file.feeds : undefined;
  if (!isObject(file) || !Array.isArray(listed)) return [];
  const feeds = listed.flatMap((settings, index) => givenFeed(settings, index, kinds));
  return [
    ...feeds.flatMap((feed) => [...unusedSettings(feed, kinds), ...missingSettings(feed)]),
    ...OF_ALL_FEEDS.filter(
      (setting) =>
        file[setting] !== undefined &&
        feeds.length === listed.length &&
        feeds.length > 0 &&
        !feeds.some(({ kind }) => kind.settings.includes(setting)),
    ).map((setting) => `${setting}: no feed of this file uses it: leave it out. ${usersOf(setting, kinds)}`),
  ];
}

function givenFeed(settings: unknown, index: number, kinds: FeedKinds): Given[] {
  const url = isObject(settings) && typeof settings.url === 'string' ? normalFeedUrl(settings.url) : '';
  const kind = feedKindOf(url, kinds);
  return isObject(settings) && kind ? [{ place: `feeds[${index}]`, settings, scheme: schemeOf(url) ?? '', kind }] : [];
}

function unusedSettings({ place, settings, scheme, kind }: Given, kinds: FeedKinds): string[] {
  return OF_A_FEED.filter((setting) => settings[setting] !== undefined && !kind.settings.includes(setting)).map(
    (setting) =>
      `${place}.${setting}: ${scheme}:// does not use it: ${kind.instead?.[setting] ?? `leave it out. ${usersOf(setting, kinds)}`}`,
  );
}

function missingSettings({ place, settings, scheme, kind }: Given): string[] {
  const has = (setting: FeedSetting) => settings[setting] !== undefined;
  return [
    ...(kind.settings.includes('username') && has('username') !== has('password_file')
      ? [`${place}: write username and password_file, or neither`]
      : []),
    ...OF_AN_ACCOUNT.filter((setting) => kind.settings.includes(setting) && !has(setting)).map(
      (setting) => `${place}: write ${setting} with ${scheme}://`,
    ),
    ...(kind.settings.includes('key_sha256') && !has('key_sha256')
      ? [`${place}: write key_sha256 with ${scheme}://: what station-key prints`]
      : []),
  ];
}

function usersOf(setting: FeedSetting, kinds: FeedKinds): string {
  const schemes = Object.keys(kinds).filter((scheme) => kinds[scheme]!.settings.includes(setting));
  return `It is for ${schemes.join('://, ')}://`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
