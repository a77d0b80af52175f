import 'server-only';
import type { LocalInstant } from '#lib/time/instant.ts';
import type { Wait } from '../upstream/may-request.ts';
import type { FirstViewTerms } from './pace/refresh-pace.ts';
import { TokenBucket } from './pace/token-bucket.ts';
import type { RefreshJob } from './refresh-job.ts';

/** First views of one operator that are read at the same time: a connection is left for all others. */
const READ_AT_ONCE = 3;

/** The operator who owes a first view, and how many requests were charged for it so far. */
interface Charged {
  readonly operator: string;
  readonly requests: number;
}

/**
 * Decides when new places are read. The first operator of a new place owes it. If that operator owes too much, another
 * one who waits for it can owe it instead.
 */
export class NewPlaces {
  readonly #owed = new Map<string, TokenBucket>();
  /** First views that were let through, until they were read. */
  readonly #charged = new Map<RefreshJob, Charged>();
  #waiting: ReadonlySet<string> = new Set();

  /** Operators with new places that have to wait. */
  get waiting(): ReadonlySet<string> {
    return this.#waiting;
  }

  /** Operators who owe first views, and how much of what they may owe that is, up to 1. */
  owing(now: LocalInstant): ReadonlyMap<string, number> {
    const parts = Array.from(this.#owed, ([operator, bucket]) => [operator, bucket.lackingFraction(now)] as const);
    return new Map(parts.filter(([, part]) => part > 0));
  }

  /** @param operators who look at something now */
  setTerms({ ratePerS, atOnce }: FirstViewTerms, operators: ReadonlySet<string>, now: LocalInstant): void {
    const owing = this.owing(now);
    for (const operator of this.#owed.keys())
      if (!operators.has(operator) && !owing.has(operator)) this.#owed.delete(operator);
    for (const operator of operators) if (!this.#owed.has(operator)) this.#owed.set(operator, new TokenBucket());
    for (const bucket of this.#owed.values()) bucket.set(ratePerS, atOnce, now);
  }

  /**
   * Lets through new places, and estimates for the others when their turn is.
   * @param jobs all jobs of the plan
   * @param mayStart whether a request would be sent for this job now
   */
  follow(jobs: readonly RefreshJob[], mayStart: (job: RefreshJob) => boolean, now: LocalInstant): void {
    this.#giveBackForgotten(jobs, now);
    const waiting = jobs.filter((job) => job.turn && !job.running && mayStart(job));
    for (const job of waiting) if (job.turn) job.turn = { ...job.turn, at: undefined };
    for (const [operator, views] of viewsByOperator(waiting)) this.#followQueue(operator, views, now);
    this.#waiting = new Set(waiting.flatMap(({ turn }) => [...(turn?.claims.keys() ?? [])]));
  }

  /** The operator who owes a first view. */
  payerOf(job: RefreshJob): string | undefined {
    return this.#charged.get(job)?.operator;
  }

  /** Why it has to wait although it was let through: enough first views are being read for the operator who owes it. */
  wait(job: RefreshJob): Wait | undefined {
    const payer = this.payerOf(job);
    if (payer === undefined) return undefined;
    let running = 0;
    for (const [other, { operator }] of this.#charged) if (operator === payer && other.running) running++;
    return running < READ_AT_ONCE ? undefined : { kind: 'waits', reason: 'waits_its_turn', until: undefined };
  }

  /** A first view took so many requests. Unless it was read, it will be tried again. */
  ended(job: RefreshJob, requests: number, isRead: boolean, now: LocalInstant): void {
    const charged = this.#charged.get(job);
    if (!charged) return;
    this.#owed.get(charged.operator)?.take(requests - charged.requests, now);
    if (isRead) this.#charged.delete(job);
    else this.#charged.set(job, { ...charged, requests: 0 });
  }

  /** @param views the jobs of each view, first come first */
  #followQueue(operator: string, views: readonly (readonly RefreshJob[])[], now: LocalInstant): void {
    const bucket = this.#owed.get(operator);
    if (!bucket) return;
    let before = 0;
    for (const view of views) {
      // An operator who came earlier may owe some of it already.
      const jobs = view.filter(({ turn }) => turn);
      if (jobs.length === 0) continue;
      const requests = jobs.reduce((sum, { cost }) => sum + cost, 0);
      const at = bucket.availableAt(requests, now, before);
      if (at !== undefined && at <= now) for (const job of jobs) this.#letThrough(job, operator, bucket, now);
      else before += requests;
      for (const job of jobs) if (job.turn) job.turn = { ...job.turn, at: earlier(job.turn.at, at) };
    }
  }

  #letThrough(job: RefreshJob, operator: string, bucket: TokenBucket, now: LocalInstant): void {
    bucket.take(job.cost, now);
    this.#charged.set(job, { operator, requests: job.cost });
    job.turn = undefined;
    job.spending = 'first-view';
    job.startedAt = undefined;
  }

  /** A place that left the plan before it was requested costs nothing. */
  #giveBackForgotten(jobs: readonly RefreshJob[], now: LocalInstant): void {
    const planned = new Set(jobs);
    for (const [job, { operator, requests }] of this.#charged) {
      if (planned.has(job) || job.running) continue;
      this.#owed.get(operator)?.take(-requests, now);
      this.#charged.delete(job);
    }
  }
}

/** For each operator the jobs of each view that waits, first come first; the operator who came first before the others. */
function viewsByOperator(waiting: readonly RefreshJob[]): readonly (readonly [string, readonly RefreshJob[][]])[] {
  const claims = waiting
    .flatMap((job) => Array.from(job.turn?.claims ?? [], ([operator, place]) => ({ operator, place, job })))
    .sort((a, b) => a.place - b.place);
  return [...Map.groupBy(claims, ({ operator }) => operator)].map(([operator, own]) => {
    const views = Map.groupBy(own, ({ place }) => place).values();
    return [operator, [...views].map((view) => view.map(({ job }) => job))];
  });
}

function earlier(one: LocalInstant | undefined, other: LocalInstant | undefined): LocalInstant | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one < other ? one : other;
}
