import 'server-only';
import { type LocalInstant, msBetween } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { Wait } from '../upstream/may-request.ts';
import { type FirstViewAllowance, FirstViewBudget } from './pace/first-view-budget.ts';
import type { RefreshJob } from './refresh-job.ts';

/** New places of one operator that are read at the same time: a connection is left for everybody else. */
const READ_AT_ONCE = 3;

/** What was announced to the first in line holds, and to others once it is this close. Before, their turn may still move. */
const FIRM_MS = MINUTE_MS;

/** Who pays for a first view, and how many requests were charged for it. */
interface Charged {
  readonly operator: string;
  readonly requests: number;
}

/** The new places of one view that wait for one operator's budget, read together. */
interface Group {
  /** Of its view among all unread ones. */
  readonly place: number;
  readonly jobs: RefreshJob[];
}

/**
 * Decides when new places are read. Each operator has a budget for them. A new place is paid by whoever came to it first; where theirs
 * does not suffice, another who waits for it can pay sooner.
 */
export class NewPlaces {
  readonly #budgets = new Map<string, FirstViewBudget>();
  /** First views that were let through, until they have ended. */
  readonly #charged = new Map<RefreshJob, Charged>();
  /** What was announced to each operator, by place in line: it is kept, whatever others do meanwhile. */
  readonly #promises = new Map<string, ReadonlyMap<number, LocalInstant>>();

  #waiting: ReadonlySet<string> = new Set();

  /** Operators with new places that their budget does not allow yet. */
  get waiting(): ReadonlySet<string> {
    return this.#waiting;
  }

  /** Of operators with first views that are not worked off yet, how much of what they may use at once that is, 0 to 1. */
  owing(now: LocalInstant): ReadonlyMap<string, number> {
    const parts = [...this.#budgets].map(([operator, budget]) => [operator, budget.owedPart(now)] as const);
    return new Map(parts.filter(([, part]) => part > 0));
  }

  setAllowances(allowances: ReadonlyMap<string, FirstViewAllowance>, now: LocalInstant): void {
    for (const [operator, budget] of this.#budgets) {
      if (allowances.has(operator) || budget.owed(now) > 0) continue;
      this.#budgets.delete(operator);
      this.#promises.delete(operator);
    }
    for (const [operator, allowance] of allowances) {
      const budget = this.#budgets.get(operator);
      if (budget) budget.setAllowance(allowance, now);
      else this.#budgets.set(operator, new FirstViewBudget(allowance, now));
    }
  }

  /**
   * Lets through the waiting jobs whose turn has come, and announces to the others when theirs is.
   * @param jobs all jobs of the plan
   * @param mayStart whether the upstream would be asked for this job now
   */
  follow(jobs: readonly RefreshJob[], mayStart: (job: RefreshJob) => boolean, now: LocalInstant): void {
    this.#giveBackForgotten(jobs, now);
    const waiting = jobs.filter((job) => job.turn && !job.running && mayStart(job));
    for (const job of waiting) if (job.turn) job.turn = { ...job.turn, at: undefined };
    for (const [operator, groups] of linesOf(waiting)) this.#followLine(operator, groups, now);
    this.#waiting = new Set(waiting.flatMap(({ turn }) => [...(turn?.claims.keys() ?? [])]));
  }

  /** The operator whose budget a first view is paid from. */
  payerOf(job: RefreshJob): string | undefined {
    return this.#charged.get(job)?.operator;
  }

  /** Why it has to wait although it was let through: as many first views as may be read at once are read for the operator who pays. */
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
    const budget = this.#budgets.get(charged.operator);
    if (requests > charged.requests) budget?.charge(requests - charged.requests, now);
    if (isRead) budget?.giveBack(Math.max(0, charged.requests - requests), now);
    if (isRead) this.#charged.delete(job);
    else this.#charged.set(job, { ...charged, requests: Math.max(0, charged.requests - requests) });
  }

  #followLine(operator: string, groups: readonly Group[], now: LocalInstant): void {
    const budget = this.#budgets.get(operator);
    if (!budget) return;
    // What another operator pays for meanwhile is not in this line any more.
    const line = groups
      .map(({ place, jobs }) => ({ place, jobs: jobs.filter(({ turn }) => turn) }))
      .filter(({ jobs }) => jobs.length > 0);
    const turns = budget.turns(
      line.map(({ jobs }) => costOf(jobs)),
      now,
    );
    const promised = this.#promises.get(operator);
    const promises = new Map<number, LocalInstant>();
    for (const [index, { place, jobs }] of line.entries()) {
      const at = earlier(promised?.get(place), turns[index]);
      for (const job of jobs) {
        if (at !== undefined && at <= now) this.#letThrough(job, operator, budget, now);
        else if (job.turn) job.turn = { ...job.turn, at: earlier(job.turn.at, at) };
      }
      if (at === undefined || at <= now) continue;
      if (promises.size === 0 || msBetween(now, at) <= FIRM_MS) promises.set(place, at);
    }
    this.#promises.set(operator, promises);
  }

  #letThrough(job: RefreshJob, operator: string, budget: FirstViewBudget, now: LocalInstant): void {
    budget.charge(job.cost, now);
    this.#charged.set(job, { operator, requests: job.cost });
    job.turn = undefined;
    job.spending = 'first-view';
    job.startedAt = undefined;
  }

  /** A place that nobody looks at any more, and that was not asked for, costs nothing. */
  #giveBackForgotten(jobs: readonly RefreshJob[], now: LocalInstant): void {
    const planned = new Set(jobs);
    for (const [job, { operator, requests }] of this.#charged) {
      if (planned.has(job) || job.running) continue;
      this.#budgets.get(operator)?.giveBack(requests, now);
      this.#charged.delete(job);
    }
  }
}

/** For each operator the groups that wait for their budget, first come first. */
function linesOf(waiting: readonly RefreshJob[]): ReadonlyMap<string, readonly Group[]> {
  const lines = new Map<string, Map<number, Group>>();
  for (const job of waiting) {
    for (const [operator, place] of job.turn?.claims ?? []) {
      const line = lines.get(operator) ?? new Map<number, Group>();
      lines.set(operator, line);
      const group = line.get(place) ?? { place, jobs: [] };
      line.set(place, group);
      group.jobs.push(job);
    }
  }
  return new Map(
    [...lines]
      .map(([operator, line]) => [operator, [...line.values()].sort((a, b) => a.place - b.place)] as const)
      // Who came first pays.
      .sort(([, a], [, b]) => (a[0]?.place ?? 0) - (b[0]?.place ?? 0)),
  );
}

function costOf(jobs: readonly RefreshJob[]): number {
  return jobs.reduce((sum, { cost }) => sum + cost, 0);
}

function earlier(one: LocalInstant | undefined, other: LocalInstant | undefined): LocalInstant | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one < other ? one : other;
}
