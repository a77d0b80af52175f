import { addMs, formatInstant, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS } from '#lib/time/time-units.ts';
import type { AccountBook } from '../ports/account-book.ts';

/** Days before the end of a key or a grant at which it is announced. */
const NOTICE_DAYS = [30, 7, 1] as const;
export type NoticeDays = (typeof NOTICE_DAYS)[number];

/** The notice that is due, if any: the last one whose time has come. What has ended needs none. */
export function dueNotice(end: UpstreamInstant, now: UpstreamInstant): NoticeDays | undefined {
  const leftMs = msBetween(now, end);
  if (leftMs <= 0) return undefined;
  return NOTICE_DAYS.findLast((days) => leftMs <= days * DAY_MS);
}

/** `in 6 days`, rounded down: never more time than there is. */
export function timeLeftText(end: UpstreamInstant, now: UpstreamInstant): string {
  const days = Math.floor(msBetween(now, end) / DAY_MS);
  if (days >= 2) return `in ${days} days`;
  return days === 1 ? 'in a day' : 'in less than a day';
}

/** Each notice once: what was announced is kept, so a restart announces nothing again. @returns one line for each */
export function takeNotices(book: AccountBook, now: UpstreamInstant): Promise<readonly string[]> {
  return book.change(async (rows) => {
    const { keys, grants } = await rows.ending(now, addMs(now, NOTICE_DAYS[0] * DAY_MS + 1));
    const notices: string[] = [];
    for (const { account, key } of keys) {
      const due = newNotice(key.expiresAt, key.noticedDays, now);
      // Whoever rotated the key knows.
      if (due === undefined || key.replacedAt !== null) continue;
      await rows.replaceKey({ ...key, noticedDays: due });
      notices.push(
        `The key ${key.name} of ${account.name} ends ${timeLeftText(key.expiresAt, now)}, at ${formatInstant(key.expiresAt)}: replace it with key rotate.`,
      );
    }
    for (const account of grants) {
      const { grant } = account;
      if (grant === null || grant.until === null) continue;
      const due = newNotice(grant.until, grant.noticedDays, now);
      if (due === undefined) continue;
      await rows.replaceAccount({ ...account, grant: { ...grant, noticedDays: due } });
      notices.push(
        `The grant of ${account.name} ends ${timeLeftText(grant.until, now)}, at ${formatInstant(grant.until)}, and its keys with it: extend it with grant approve.`,
      );
    }
    return notices;
  });
}

/**
 * Writes to the log what ends soon, now and every hour.
 * @returns stops it
 */
export function startNotices(book: AccountBook, now: () => UpstreamInstant, log: (entry: string) => void): () => void {
  const announce = () =>
    takeNotices(book, now()).then(
      (notices) => notices.forEach(log),
      (error: unknown) => log(`What ends soon could not be read: ${String(error)}`),
    );
  void announce();
  const timer = setInterval(announce, HOUR_MS).unref();
  return () => clearInterval(timer);
}

function newNotice(end: UpstreamInstant, noticed: number | null, now: UpstreamInstant): NoticeDays | undefined {
  const due = dueNotice(end, now);
  return due !== undefined && (noticed === null || due < noticed) ? due : undefined;
}
