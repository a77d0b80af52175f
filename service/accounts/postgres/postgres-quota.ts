import { nextMinute, nextUtcMidnight } from '#lib/time/calendar-edge.ts';
import { epochMs, msBetween, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { Query } from '../../postgres/query.ts';
import type { Account, Allowance } from '../account.ts';
import type { Quota, SpendResult } from '../quota.ts';

interface Waiting {
  readonly allowance: Allowance;
  readonly resolve: (spending: SpendResult) => void;
  readonly reject: (failure: unknown) => void;
}

type Spent = {
  readonly granted: number;
  readonly at: number;
  readonly minute: number;
  readonly in_minute: number;
  readonly in_day: number;
};

/**
 * Counters that any number of instances share. Every request is spent in the database before it is answered, so none is given back when an
 * instance is killed. Of an account one statement runs at a time; the requests that come meanwhile are spent by the next one, together.
 * @param now for tests; default: the database's clock, which is the same for all instances
 */
export function postgresQuota(query: Query, now?: () => UpstreamInstant): Quota {
  const waitingOf = new Map<string, Waiting[]>();

  async function spendAll(accountId: string): Promise<void> {
    for (;;) {
      const waiting = waitingOf.get(accountId)?.splice(0) ?? [];
      if (waiting.length === 0) break;
      try {
        const spendings = await spend(accountId, waiting.at(-1)!.allowance, waiting.length);
        for (const [index, { resolve }] of waiting.entries()) resolve(spendings[index]!);
      } catch (failure) {
        for (const { reject } of waiting) reject(failure);
      }
    }
    waitingOf.delete(accountId);
  }

  async function spend(accountId: string, { perMinute, perDay }: Allowance, wanted: number): Promise<SpendResult[]> {
    const [spent] = await query<Spent>('select * from lookout.spend($1, $2, $3, $4, $5)', [
      accountId,
      perMinute,
      perDay,
      wanted,
      now === undefined ? null : epochMs(now()),
    ]);
    const granted = spent?.granted ?? wanted;
    return Array.from({ length: wanted }, (_, index): SpendResult => {
      // The account was removed while its request was on the way: that one is answered.
      if (spent === undefined) return { granted: true, left: { minute: perMinute - 1, day: perDay - 1 } };
      const others = Math.max(0, granted - 1 - index);
      const left = {
        minute: Math.max(0, perMinute - spent.in_minute + others),
        day: Math.max(0, perDay - spent.in_day + others),
      };
      if (index < granted) return { granted: true, left };
      const at = upstreamInstant(spent.at);
      const resetsAt =
        spent.in_day >= perDay ? nextUtcMidnight(at) : nextMinute(upstreamInstant(spent.minute * MINUTE_MS));
      return { granted: false, left, retryAfterS: Math.max(1, Math.ceil(msBetween(at, resetsAt) / 1000)) };
    });
  }

  return {
    spend({ id, allowance }: Account) {
      return new Promise((resolve, reject) => {
        const waiting = waitingOf.get(id);
        if (waiting) waiting.push({ allowance, resolve, reject });
        else {
          waitingOf.set(id, [{ allowance, resolve, reject }]);
          void spendAll(id);
        }
      });
    },
  };
}
