import { makeDice } from '#lib/random/dice.fixture.ts';
import type { PastPart } from '../parts/history-part.ts';
import type { ModelRecord, ModelSource } from './model-source.fixture.ts';
import { Splitter, type SplitterOptions } from './splitter.ts';

export interface SplitRun {
  readonly splitter: Splitter;
  readonly answers: readonly { readonly part: PastPart; readonly truncated: boolean }[];
  /** A record on a shared edge comes twice. */
  readonly records: ReadonlyMap<string, ModelRecord>;
}

export interface RunOptions {
  readonly inFlight?: number;
  readonly seed?: number;
  /** Share of requests; some are halved, others retried. */
  readonly failing?: number;
  readonly check?: (splitter: Splitter) => void;
}

export function recordKey({ track, observedAt }: ModelRecord): string {
  return `${track} ${observedAt}`;
}

export function runSplit(source: ModelSource, options: SplitterOptions, run: RunOptions = {}): SplitRun {
  const { inFlight = 4, seed = 1, failing = 0, check } = run;
  const dice = makeDice(seed);
  const splitter = new Splitter(options);
  const loading: PastPart[] = [];
  const answers: { part: PastPart; truncated: boolean }[] = [];
  const records = new Map<string, ModelRecord>();
  for (;;) {
    loading.push(...splitter.next(inFlight - loading.length));
    const [part] = loading.splice(dice.integer(0, loading.length - 1), 1);
    if (!part) return { splitter, answers, records };
    if (dice.chance(failing)) {
      const halves = dice.chance(0.3) ? splitter.halve(part) : [];
      loading.push(...halves);
      if (halves.length === 0) splitter.failed(part);
      if (dice.chance(0.5)) splitter.retry();
    } else {
      const { records: came, truncated } = source.answer(part);
      answers.push({ part, truncated });
      if (!truncated) for (const record of came) records.set(recordKey(record), record);
      splitter.answered(part, {
        records: came.length,
        truncated,
        observedAts: came.map(({ observedAt }) => observedAt),
      });
    }
    check?.(splitter);
  }
}
