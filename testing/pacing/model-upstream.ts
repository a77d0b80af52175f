import { type Dice, makeDice } from '#lib/random/seeded-random.ts';
import { epochMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS } from '#lib/time/time-units.ts';
import { makeQuota, type SpendResult } from '#service/accounts/quota.ts';
import { fullAccessAccount } from '#service/server/start-service.ts';
import type { EventQueue } from './event-queue.ts';
import type { Scenario } from './scenario.ts';

/** How a request ended, as the client sees it. */
export interface Answer {
  readonly status: 200 | 429 | 503 | 'lost';
  readonly minuteRemaining: number | undefined;
  readonly dayRemaining: number | undefined;
  readonly retryAfterMs: number | undefined;
  /** When the upstream read its data. */
  readonly readAt: UpstreamInstant;
}

/** A client gives up after this long without an answer. */
const TIMEOUT_MS = 10_000;
const NO_HEADERS = { minuteRemaining: undefined, dayRemaining: undefined, retryAfterMs: undefined };

/** An upstream that counts like the service, behind a network that delays, reorders and loses, and an edge. */
export class ModelUpstream {
  readonly #queue: EventQueue;
  readonly #scenario: Scenario;
  readonly #dice: Dice;
  readonly #spend: () => SpendResult;
  #now: UpstreamInstant;
  /** Our requests that counted, by UTC day since 1970. */
  readonly counted = new Map<number, number>();
  /** Our requests that came while the account was empty. */
  refused = 0;

  constructor(queue: EventQueue, scenario: Scenario) {
    const { perMinute, perDay, startAt } = scenario;
    this.#queue = queue;
    this.#scenario = scenario;
    this.#dice = makeDice(scenario.seed ^ 0x5eed);
    this.#now = startAt;
    const account = fullAccessAccount('model', { perMinute, perDay }, startAt);
    const quota = makeQuota(() => this.#now);
    this.#spend = () => quota.spend(account);
    if (scenario.othersPerDay > 0) this.#otherConsumerRequests(epochMs(startAt));
  }

  /** Sends a request; answers come later, and in any order. */
  request(sentAt: number, answered: (answer: Answer, at: number) => void | Promise<void>): void {
    const { edge, lost, busy } = this.#scenario.faults;
    const dice = this.#dice;
    const fate = dice.between(0, 1);
    const arrivesAt = Math.round(sentAt + this.#wayMs());
    this.#queue.add(arrivesAt, (at) => {
      const readAt = upstreamInstant(at);
      const timeoutAt = sentAt + TIMEOUT_MS;
      const lose = () =>
        this.#queue.add(timeoutAt, (then) => answered({ ...NO_HEADERS, status: 'lost', readAt }, then));
      const reply = (answer: Omit<Answer, 'readAt'>) => {
        const backAt = Math.round(at + this.#wayMs());
        if (backAt < timeoutAt) this.#queue.add(backAt, (then) => answered({ ...answer, readAt }, then));
        else lose();
      };
      if (fate < edge) {
        reply({
          ...NO_HEADERS,
          status: 429,
          retryAfterMs: dice.chance(0.5) ? 1000 * dice.integer(1, 90) : undefined,
        });
        return;
      }
      const isLost = fate < edge + lost;
      // Half of the lost requests are lost on their way there, and never counted.
      const spent = isLost && dice.chance(0.5) ? undefined : this.#take(readAt);
      if (isLost || !spent) {
        lose();
        return;
      }
      const remaining = { minuteRemaining: spent.left.minute, dayRemaining: spent.left.day };
      if (spent.granted) {
        const isBusy = fate < edge + lost + busy;
        reply({ ...remaining, status: isBusy ? 503 : 200, retryAfterMs: undefined });
      } else {
        const retryAfterMs = dice.chance(0.5) ? 1000 * spent.retryAfterS : undefined;
        reply({ ...(dice.chance(0.5) ? remaining : NO_HEADERS), status: 429, retryAfterMs });
      }
    });
  }

  #take(now: UpstreamInstant): SpendResult {
    this.#now = now;
    const spent = this.#spend();
    if (spent.granted) {
      const day = Math.floor(epochMs(now) / DAY_MS);
      this.counted.set(day, (this.counted.get(day) ?? 0) + 1);
    } else {
      this.refused++;
    }
    return spent;
  }

  /** Another consumer of the same account, which sends a few requests in a row and then pauses. */
  #otherConsumerRequests(from: number): void {
    const inRow = this.#dice.integer(1, 8);
    const meanMs = (DAY_MS / this.#scenario.othersPerDay) * inRow;
    this.#queue.add(Math.round(from - meanMs * Math.log(1 - this.#dice.between(0, 1))), (at) => {
      this.#now = upstreamInstant(at);
      for (let i = 0; i < inRow; i++) this.#spend();
      this.#otherConsumerRequests(at);
    });
  }

  /** Time of one way: mostly about half of the latency, occasionally ten times as long. */
  #wayMs(): number {
    return this.#scenario.latencyMs / 4 / (1 - 0.95 * this.#dice.between(0, 1));
  }
}
