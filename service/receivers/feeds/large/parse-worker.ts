import { parentPort, workerData } from 'node:worker_threads';
import { makeKeyOf } from '#service/receivers/fix.ts';
import { countRefusals, type Parser } from '../../fix.ts';
import type { FeedSettings } from '../feed.ts';
import { feedKindOf } from '../feed-kinds.ts';
import type { LargeAnswer } from './large-answers.ts';

const keyOf = makeKeyOf(workerData);
const parsers = new Map<string, Parser>();

parentPort?.on('message', ({ settings, body, receivedAt }: LargeAnswer) => {
  parentPort?.postMessage(countRefusals(parserOf(settings).parse(body, receivedAt)));
});

/** One parser per feed, since it remembers the last answer. */
function parserOf(settings: FeedSettings): Parser {
  const name = JSON.stringify(settings);
  let parser = parsers.get(name);
  if (parser === undefined) {
    const kind = feedKindOf(settings.url);
    if (kind === undefined) throw new RangeError('settings that were not checked');
    parser = kind.open(settings, keyOf).parser;
    parsers.set(name, parser);
  }
  return parser;
}
