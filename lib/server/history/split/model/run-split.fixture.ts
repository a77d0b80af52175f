import { formatInstant } from '#lib/time/instant.ts';
import { makeDice } from '#service/sources/simulator/seeded-random.ts';
import type { Part } from '../part.ts';
import { Splitter, type SplitterOptions } from '../splitter.ts';
import type { ModelRecord, ModelSource } from './model-source.fixture.ts';

export interface Run {
  readonly splitter: Splitter;
  /** De-duplicated by (track, observed_at): boxes are closed, so that a shared edge is answered twice. */
  readonly records: ReadonlyMap<string, ModelRecord>;
  readonly requests: number;
  readonly log: string[];
}

/** Asks for all parts with so many in flight at once; answers come in an order drawn from the seed. */
export function runSplit(source: ModelSource, options: SplitterOptions, { inFlight = 4, seed = 1 } = {}): Run {
  const dice = makeDice(seed);
  const splitter = new Splitter(options);
  const loading: Part[] = [];
  const records = new Map<string, ModelRecord>();
  let requests = 0;
  const log: string[] = [];
  for (;;) {
    loading.push(...splitter.next(inFlight - loading.length));
    if (loading.length === 0) break;
    const [part] = loading.splice(dice.integer(0, loading.length - 1), 1) as [Part];
    const answer = source.answer(part);
    requests += 1;
    log.push(`${formatInstant(part.window.start).slice(11,22)} ${((part.window.end-part.window.start)/1000).toFixed(0)}s ${answer.records.length}${answer.truncated ? ' TRUNC' : ''} ${JSON.stringify(part.bbox)}`);
    if (!answer.truncated) for (const record of answer.records) records.set(`${record.track} ${record.observedAt}`, record);
    splitter.answered(part, {
      records: answer.records.length,
      truncated: answer.truncated,
      ...(process.env.NOAT && !answer.truncated ? {} : { observedAts: answer.records.map(({ observedAt }) => observedAt) }),
    });
  }
  return { log, splitter, records, requests };
}
