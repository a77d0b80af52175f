import type { FeedSettings, ReadFeeds } from './feed.ts';
import { feedKindOf, feedUrlProblem, normalFeedUrl, sameStations } from './feed-kinds.ts';

/** It leaves four characters of an id for a number. */
const ID_MAX = 36;

/** Reads addresses separated by commas. Reports all problems at once. */
export function readReceivers(text: string): ReadFeeds {
  const urls = text
    .split(',')
    .map(normalFeedUrl)
    .filter((url) => url !== '');
  const sames = sameStations(urls);
  const problems = urls.flatMap((url, index) => {
    const same = sames[index];
    const settings = feedKindOf(url)?.settings ?? [];
    const problem = settings.some((setting) => setting.startsWith('key_'))
      ? 'it needs a key: write it in a file of feeds'
      : (feedUrlProblem(url) ?? (same === undefined ? undefined : alreadyThere(url, urls[same] as string)));
    return problem === undefined ? [] : [`${shown(url)}: ${problem}`];
  });
  if (urls.length === 0) problems.push('write the address of a receiver, such as http://pi.local/tar1090');
  if (problems.length > 0) return { ok: false, problems };
  const ids = new Set<string>();
  return { ok: true, feeds: urls.map((url) => settingsOf(url, ids)) };
}

function alreadyThere(url: string, same: string): string {
  return url === same ? 'leave it out: it is there already' : `leave it out: it is the same station as ${shown(same)}`;
}

function settingsOf(url: string, ids: Set<string>): FeedSettings {
  const name = placeOf(url)
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[-._]+|[-._]+$/g, '');
  let id = name.slice(0, ID_MAX) || 'feed';
  for (let number = 2; ids.has(id); number += 1) id = `${name.slice(0, ID_MAX)}-${number}`;
  ids.add(id);
  return {
    id,
    url,
    aggregates: feedKindOf(url)?.aggregates ?? false,
    simulated: false,
    policy: {},
    sbsTimes: 'arrival',
    username: undefined,
    passwordFile: undefined,
    caFile: undefined,
    keyDigests: [],
  };
}

function placeOf(url: string): string {
  const { hostname, pathname } = new URL(url);
  return hostname || pathname.split('/').at(-1) || 'feed';
}

/** The address without a possible password. */
function shown(url: string): string {
  return url.replace(/\/\/[^/@]*@/, '//…@');
}
