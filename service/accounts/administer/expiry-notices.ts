import { errorMessage } from '#lib/text/error-message.ts';
import { addMs, formatInstant, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import type { AccountBook } from '../account-book.ts';

const NOTICE_DAYS = [30, 7, 1] as const;
export type NoticeDays = (typeof NOTICE_DAYS)[number];

/** The notice that is due; `undefined` before the first one and after the end. */
export function dueNotice(end: UpstreamInstant, now: UpstreamInstant): NoticeDays | undefined {
  const leftMs = msBetween(now, end);
  if (leftMs <= 0) return undefined;
  return NOTICE_DAYS.findLast((days) => leftMs <= days * DAY_MS);
}

/** The time until then in words, rounded down: `in 6 days`. */
export function timeLeftText(end: UpstreamInstant, now: UpstreamInstant): string {
  const days = Math.floor(msBetween(now, end) / DAY_MS);
  if (days >= 2) return `in ${days} days`;
  return days === 1 ? 'in a day' : 'in less than a day';
}

/** Further notices wait, so that answers are not delayed. */
export const NOTICES_AT_ONCE = 100;

/** @returns a line for each key and grant that ends soon */
export function takeNotices(book: AccountBook, now: UpstreamInstant): readonly string[] {
  return book.change((rows) => {
    const notices: string[] = [];
    // The nearest end comes first: a notice for a day replaces that for a week.
    for (const days of NOTICE_DAYS.toReversed()) {
      const limit = NOTICES_AT_ONCE - notices.length;
      if (limit <= 0) break;
      const { keys, grants } = rows.ending({ from: now, to: addMs(now, days * DAY_MS), days, limit });
      for (const { account, key } of keys) {
        rows.replaceKey({ ...key, noticedDays: days });
        notices.push(
          `The key ${key.name} of ${account.name} ends ${timeLeftText(key.expiresAt, now)}, at ${formatInstant(key.expiresAt)}: replace it with key rotate.`,
        );
      }
      for (const account of grants) {
        const { grant } = account;
        if (grant === null || grant.until === null) continue;
        rows.replaceAccount({ ...account, grant: { ...grant, noticedDays: days } });
        notices.push(
          `The grant of ${account.name} ends ${timeLeftText(grant.until, now)}, at ${formatInstant(grant.until)}, and its keys with it: extend it with grant approve.`,
        );
      }
    }
    return notices;
  });
}

/**
 * Gives due notices now and every hour.
 * @returns stops it
 */
export function startNotices(book: AccountBook, now: () => UpstreamInstant, log: (entry: string) => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  function announce(): void {
    let more = false;
    try {
      const notices = takeNotices(book, now());
      notices.forEach(log);
      more = notices.length >= NOTICES_AT_ONCE;
    } catch (error) {
      log(`What ends soon could not be read: ${errorMessage(error)}`);
    }
    if (!isStopped) timer = setTimeout(announce, more ? MINUTE_MS : HOUR_MS).unref();
  }
  announce();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
