import 'server-only';
import type { LocalInstant } from '#lib/time/instant.ts';
import type { Wait } from '../upstream/may-request.ts';
import type { FirstViewTerms } from './pace/refresh-pace.ts';
import { TokenBucket } from './pace/token-bucket.ts';
import { earlier, type OwnJob, type RefreshJob } from './refresh-job.ts';

/** New places of one operator that are read at once: the others have a connection left. */
const READ_AT_ONCE = 3;

interface Charged {
  readonly operator: string;
  readonly requests: number;
}

/**
 * Queues first views. An operator who opens a new place owes its requests, and pays them off from the share that all
 * operators have; one who owes too much waits. Any operator who waits for a place can pay for it.
 */
export class NewPlaces {
  readonly #owed = new Map<string, TokenBucket>();
  /** Places that are admitted, but not read yet. */
  readonly #charged = new Map<RefreshJob, Charged>();
  #waiting: ReadonlySet<string> = new Set();

  get waiting(): ReadonlySet<string> {
    return this.#waiting;
  }

  /** The debt of each operator as a part of the largest one, up to 1. */
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

  /** Admits the places that are due. @param plan all of its jobs */
  follow(plan: readonly OwnJob[], mayStart: (own: OwnJob) => boolean, now: LocalInstant): void {
    this.#giveBackForgotten(plan, now);
    const waiting = plan.filter((own) => own.job.queued && !own.job.running && mayStart(own));
    for (const own of waiting) own.queuedUntil(undefined);
    for (const [operator, views] of viewsByOperator(waiting)) this.#followQueue(operator, views, now);
    this.#waiting = new Set(waiting.flatMap(({ job }) => [...(job.queued?.claims.keys() ?? [])]));
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
  #followQueue(operator: string, views: readonly (readonly OwnJob[])[], now: LocalInstant): void {
    const bucket = this.#owed.get(operator);
    if (!bucket) return;
    let before = 0;
    for (const view of views) {
      // An earlier operator may owe some already.
      const queued = view.filter(({ job }) => job.queued);
      if (queued.length === 0) continue;
      const requests = queued.reduce((sum, { job }) => sum + job.cost, 0);
      const at = bucket.availableAt(requests, now, before);
      if (at !== undefined && at <= now) for (const own of queued) this.#admit(own, operator, bucket, now);
      else before += requests;
      for (const own of queued) own.queuedUntil(earlier(own.job.queued?.at, at));
    }
  }

  #admit(own: OwnJob, operator: string, bucket: TokenBucket, now: LocalInstant): void {
    const { cost } = own.job;
    bucket.take(cost, now);
    this.#charged.set(own.job, { operator, requests: cost });
    own.admitted();
  }

  /** A place that left the plan unrequested costs nothing. */
  #giveBackForgotten(plan: readonly OwnJob[], now: LocalInstant): void {
    const planned = new Set(plan.map(({ job }) => job));
    for (const [job, { operator, requests }] of this.#charged) {
      if (planned.has(job) || job.running) continue;
      this.#owed.get(operator)?.take(-requests, now);
      this.#charged.delete(job);
    }
  }
}

/** For each operator the jobs of each view, first come first. */
function viewsByOperator(waiting: readonly OwnJob[]): readonly (readonly [string, readonly OwnJob[][]])[] {
  const claims = waiting
    .flatMap((own) => Array.from(own.job.queued?.claims ?? [], ([operator, place]) => ({ operator, place, own })))
    .sort((a, b) => a.place - b.place);
  return [...Map.groupBy(claims, ({ operator }) => operator)].map(([operator, ofOperator]) => {
    const views = Map.groupBy(ofOperator, ({ place }) => place).values();
    return [operator, [...views].map((view) => view.map(({ own }) => own))];
  });
}
