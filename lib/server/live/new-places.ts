import 'server-only';
import type { LocalInstant } from '#lib/time/instant.ts';
import type { Wait } from '../upstream/may-request.ts';
import type { FirstViewTerms } from './pace/refresh-pace.ts';
import { TokenBucket } from './pace/token-bucket.ts';
import type { RefreshJob } from './refresh-job.ts';

/** Leaves a connection for all others. */
const READ_AT_ONCE = 3;

interface Charged {
  readonly operator: string;
  readonly requests: number;
}

/** A place's first operator owes its first view; another one who waits for it can instead. */
export class NewPlaces {
  readonly #owed = new Map<string, TokenBucket>();
  /** Let through, but not read yet. */
  readonly #charged = new Map<RefreshJob, Charged>();
  #waiting: ReadonlySet<string> = new Set();

  get waiting(): ReadonlySet<string> {
    return this.#waiting;
  }

  /** By operator, as a part of what they may owe, up to 1. */
  owing(now: LocalInstant): ReadonlyMap<string, number> {
    const parts = Array.from(this.#owed, ([operator, bucket]) => [operator, bucket.lackingFraction(now)] as const);
    return new Map(parts.filter(([, part]) => part > 0));
  }

  setTerms({ ratePerS, atOnce }: FirstViewTerms, operators: ReadonlySet<string>, now: LocalInstant): void {
    const owing = this.owing(now);
    for (const operator of this.#owed.keys())
      if (!operators.has(operator) && !owing.has(operator)) this.#owed.delete(operator);
    for (const operator of operators) if (!this.#owed.has(operator)) this.#owed.set(operator, new TokenBucket());
    for (const bucket of this.#owed.values()) bucket.set(ratePerS, atOnce, now);
  }

  /** @param jobs all of the plan */
  follow(jobs: readonly RefreshJob[], mayStart: (job: RefreshJob) => boolean, now: LocalInstant): void {
    this.#giveBackForgotten(jobs, now);
    const waiting = jobs.filter((job) => job.turn && !job.running && mayStart(job));
    for (const job of waiting) if (job.turn) job.turn = { ...job.turn, at: undefined };
    for (const [operator, views] of viewsByOperator(waiting)) this.#followQueue(operator, views, now);
    this.#waiting = new Set(waiting.flatMap(({ turn }) => [...(turn?.claims.keys() ?? [])]));
  }

  payerOf(job: RefreshJob): string | undefined {
    return this.#charged.get(job)?.operator;
  }

  wait(job: RefreshJob): Wait | undefined {
    const payer = this.payerOf(job);
    if (payer === undefined) return undefined;
    let running = 0;
    for (const [other, { operator }] of this.#charged) if (operator === payer && other.running) running++;
    return running < READ_AT_ONCE ? undefined : { kind: 'waits', reason: 'waits_its_turn', until: undefined };
  }

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
      // An earlier operator may owe some already.
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

  /** A place that left the plan unrequested costs nothing. */
  #giveBackForgotten(jobs: readonly RefreshJob[], now: LocalInstant): void {
    const planned = new Set(jobs);
    for (const [job, { operator, requests }] of this.#charged) {
      if (planned.has(job) || job.running) continue;
      this.#owed.get(operator)?.take(-requests, now);
      this.#charged.delete(job);
    }
  }
}

/** First come first. */
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
