import { LIMIT_MAX } from '#lib/contract/limits.ts';
import { ModelSource, ORDERS } from '#lib/server/history/split/model-source.fixture.ts';
import { plainHalving } from '#lib/server/history/split/plain-halving.fixture.ts';
import { recordKey, runSplit } from '#lib/server/history/split/run-split.fixture.ts';
import { addMs } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { mean, rounded } from './figures.ts';
import { type SplitCase, splitCases } from './split-cases.ts';

const GOAL = { swiss: 1.4, hub: 1.4, bursts: 2 };
/** In smaller jobs a single request dominates the ratio. */
const RECORDS_MIN = 2000;
const REQUESTS_MAX = 10_000;

type Figure = ReturnType<typeof measure>[number];

export async function bench(): Promise<object> {
  const figures = splitCases().flatMap(measure);
  const of = (kind: SplitCase['kind']) => summary(figures.filter((figure) => figure.kind === kind));
  const kinds = { swiss: of('swiss'), hub: of('hub'), bursts: of('bursts') };
  return {
    what: `requests / ceil(records / 1000) of jobs of ${RECORDS_MIN} records and more, truncated answers in four orders, four parts in flight. The rate of the window's last minute is given, as from the live picture`,
    goal: GOAL,
    reached: (['swiss', 'hub', 'bursts'] as const).every((kind) => kinds[kind].splitter.mean <= GOAL[kind]),
    ...kinds,
  };
}

/** In requests per page of 1000. */
function measure({ kind, records, job }: SplitCase) {
  const inJob = new ModelSource(records).all(job);
  if (inJob.length < RECORDS_MIN) return [];
  const pages = Math.ceil(inJob.length / LIMIT_MAX);
  const lastMinute = { ...job.window, start: addMs(job.window.end, -MINUTE_MS) };
  const expectedPerSecond = new ModelSource(inJob).all({ ...job, window: lastMinute }).length / 60;
  const distinct = new Set(inJob.map(recordKey)).size;
  const ratios = ORDERS.map((order) => {
    const source = new ModelSource(inJob, { order });
    const run = runSplit(source, { ...job, expectedPerSecond, maxRequests: REQUESTS_MAX });
    if (run.records.size !== distinct) throw new Error(`${run.records.size} of ${distinct} records arrived`);
    return run.answers.length / pages;
  });
  const halving = plainHalving(new ModelSource(inJob), job) / pages;
  return [{ kind, ratios, halving }];
}

function summary(figures: readonly Figure[]) {
  const of = (ratios: readonly number[]) => ({ mean: rounded(mean(ratios)), worst: rounded(Math.max(...ratios)) });
  return {
    jobs: figures.length,
    splitter: of(figures.flatMap(({ ratios }) => ratios)),
    halving: of(figures.map(({ halving }) => halving)),
  };
}
