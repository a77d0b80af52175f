import { LIMIT_MAX } from '#lib/contract/limits.ts';
import { ModelSource, ORDERS } from '#lib/server/history/split/model-source.fixture.ts';
import { plainHalving } from '#lib/server/history/split/plain-halving.fixture.ts';
import { recordKey, runSplit } from '#lib/server/history/split/run-split.fixture.ts';
import { addMs } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { windowLengthMs } from '#lib/time/window.ts';
import { type Scenery, type SplitCase, splitCases } from './split-cases.ts';

/** On average, given the rate. */
const GOAL: Readonly<Record<Scenery, number>> = { swiss: 1.4, hub: 1.4, spiky: 2 };
/** Smaller jobs are reported separately: one request more or less dominates their ratio. */
const RATIO_RECORDS = 2000;
const REQUESTS_MAX = 10_000;
const PRIOR_MS = MINUTE_MS;
const SHIFT_MS = 15 * MINUTE_MS;

interface Figure {
  readonly scenery: Scenery;
  readonly name: string;
  readonly records: number;
  readonly pages: number;
  /** Requests per page of 1000, for each order of the records in a truncated answer. */
  readonly known: readonly number[];
  readonly unknown: readonly number[];
  readonly halving: number;
}

/** Requests of whole jobs per full page of records: the splitter, compared with plain halving. */
export async function split(): Promise<object> {
  const cases = splitCases();
  const all = cases.map(measure);
  const figures = all.filter(({ records }) => records >= RATIO_RECORDS);
  const sceneries: readonly Scenery[] = ['swiss', 'hub', 'spiky'];
  const of = (scenery: Scenery) => byScenery(figures.filter((figure) => figure.scenery === scenery));
  return {
    what:
      'requests / ceil(records / 1000) against a model of history mode in memory, each job with truncated answers in four orders, ' +
      'four parts at once; known: given the rate of the last minute of the window, as the live picture has it; unknown: given nothing',
    goal: GOAL,
    reached: sceneries.every((scenery) => of(scenery).known.mean <= GOAL[scenery]),
    known: summary(figures.flatMap((figure) => figure.known)),
    unknown: summary(figures.flatMap((figure) => figure.unknown)),
    plain_halving: summary(figures.map(({ halving }) => halving)),
    swiss: of('swiss'),
    hub: of('hub'),
    spiky: of('spiky'),
    second_operator: cases
      .filter(({ job }) => windowLengthMs(job.window) > 2 * SHIFT_MS)
      .slice(0, 4)
      .map(secondOperator),
    small_jobs: all
      .filter(({ records }) => records < RATIO_RECORDS)
      .map(({ name, records, pages, known, unknown, halving }) => ({
        name,
        records,
        requests_known: Math.max(...known) * pages,
        requests_unknown: Math.max(...unknown) * pages,
        requests_halving: halving * pages,
      })),
  };
}

function measure({ scenery, name, records, job }: SplitCase): Figure {
  const here = new ModelSource(records).all(job);
  const pages = Math.max(1, Math.ceil(here.length / LIMIT_MAX));
  const lastMinute = { ...job.window, start: addMs(job.window.end, -PRIOR_MS) };
  const perSecond = new ModelSource(here).all({ ...job, window: lastMinute }).length / (PRIOR_MS / 1000);
  const distinct = new Set(here.map(recordKey)).size;
  const ratios = (expectedPerSecond: number | undefined) =>
    ORDERS.map((order) => {
      const prior = expectedPerSecond === undefined ? {} : { expectedPerSecond };
      const { answers, records: came } = runSplit(new ModelSource(here, { order }), {
        ...job,
        ...prior,
        maxRequests: REQUESTS_MAX,
      });
      if (came.size !== distinct) throw new Error(`${name}: ${came.size} of ${distinct} records arrived`);
      return answers.length / pages;
    });
  return {
    scenery,
    name,
    records: here.length,
    pages,
    known: ratios(perSecond),
    unknown: ratios(undefined),
    halving: plainHalving(new ModelSource(here), job) / pages,
  };
}

/** The same box, a quarter of an hour later, for a caller that has cached the first load. */
function secondOperator({ name, records, job }: SplitCase): object {
  const { bbox, window } = job;
  const source = new ModelSource(records);
  const first = runSplit(source, { ...job, maxRequests: REQUESTS_MAX });
  const cached = first.answers
    .filter(({ truncated }) => !truncated)
    .map(({ part }) => {
      const observedAts = source.all(part).map(({ observedAt }) => observedAt);
      return { window: part.window, records: observedAts.length, observedAts };
    });
  const later = {
    start: addMs(window.start, SHIFT_MS),
    end: addMs(window.end, SHIFT_MS),
  };
  const second = runSplit(source, { bbox, window: later, cached, maxRequests: REQUESTS_MAX });
  const unseen = source.all({ bbox, window: { start: window.end, end: later.end } }).length;
  return {
    name,
    requests_first: first.answers.length,
    requests_second: second.answers.length,
    records_not_cached: unseen,
  };
}

function byScenery(figures: readonly Figure[]) {
  return {
    jobs: figures.length,
    records: figures.reduce((sum, { records }) => sum + records, 0),
    known: summary(figures.flatMap(({ known }) => known)),
    unknown: summary(figures.flatMap(({ unknown }) => unknown)),
    plain_halving: summary(figures.map(({ halving }) => halving)),
  };
}

function summary(ratios: readonly number[]) {
  const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
  return { mean: Math.round(mean * 100) / 100, worst: Math.round(Math.max(...ratios) * 100) / 100 };
}
