import { parentPort, workerData } from 'node:worker_threads';
import type { Parser, RefusalCause } from '../../fix.ts';
import { makeKeyOf } from '../../make-key-of.ts';
import { FEED_KINDS } from '../feed-kinds.ts';
import type { FeedSettings } from '../feed-settings.ts';
import type { LargeAnswer, ParsedLarge } from './large-answers.ts';

// The thread of `LargeAnswers`: parses what is posted to it, in order.

const keyOf = makeKeyOf(workerData);
const parsers = new Map<string, Parser>();

parentPort?.on('message', ({ settings, body, receivedAt }: LargeAnswer) => {
  const { refused, ...parsed } = parserOf(settings).parse(body, receivedAt);
  const counts: Partial<Record<RefusalCause, number>> = {};
  for (const cause of refused) counts[cause] = (counts[cause] ?? 0) + 1;
  parentPort?.postMessage({ ...parsed, refused: counts } satisfies ParsedLarge);
});

/** Each feed has its own, which remembers its last answer; feeds with other settings are other feeds. */
function parserOf(settings: FeedSettings): Parser {
  const name = JSON.stringify(settings);
  let parser = parsers.get(name);
  if (parser === undefined) {
    const kind = FEED_KINDS[new URL(settings.url).protocol.slice(0, -1)];
    if (kind === undefined) throw new RangeError('settings that were not checked');
    parser = kind.open(settings, keyOf).parser;
    parsers.set(name, parser);
  }
  return parser;
}
