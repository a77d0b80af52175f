import { makePushRows } from '../parsers/push-rows.ts';
import type { FeedKind } from './feed-kind.ts';
import { PUSH_WORDS } from './feed-words.ts';

export function isPush(url: string): boolean {
  return /^\s*push:/i.test(url);
}

export const pushKind: FeedKind = {
  example: 'push://hill',
  layers: ['rid', 'adsb'],
  signs: {},
  settings: ['key_sha256', 'emergency'],
  words: PUSH_WORDS,
  check(url) {
    const isName = url.hostname !== '' && url.port === '' && url.pathname === '' && url.search === '';
    return isName ? undefined : 'write the name of the station after two slashes, and nothing else';
  },
  places: (url) => [url.href],
  open(settings, keyOf, pushDesk) {
    if (pushDesk) return pushDesk.open(settings, keyOf);
    return {
      parser: makePushRows({ feed: settings.id, keyOf, policy: settings.policy }),
      connect(inlet) {
        inlet.lost('nothing listens for it: start the service with --push-port');
        return { close: async () => {} };
      },
    };
  },
};
