import type { DisplaySummary } from '#lib/client/display/display-summary.ts';
import type { ServerConnection } from '#lib/client/live/live-feed.ts';
import {
  DATABASE_LOST,
  type FailureRemedy,
  isPageFailure,
  PAGE_FAILURES,
  refusedMessage,
  SERVER_LOST,
} from '#lib/client/request/refusal-message.ts';
import { type ClockZone, clockText, dateTimeText } from '#lib/model/clock-text.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { LAYERS } from '#lib/model/position.ts';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS } from '#lib/time/time-units.ts';

export interface PageNotice {
  readonly key: string;
  readonly tone: 'warning' | 'bad';
  readonly sentence: string;
  readonly age?: string;
  readonly remedy: FailureRemedy;
}

type NoticeSource = Pick<DisplaySummary, 'connection' | 'capped' | 'isPast' | 'layers' | 'now'>;

/** No two instants within this time have the same time of day, even across midnight. */
const RECENT_MS = 12 * HOUR_MS;

const LOST_TEXT: Readonly<Record<Exclude<ServerConnection['kind'], 'connected' | 'connecting' | 'refused'>, string>> = {
  ...PAGE_FAILURES,
  offline: 'You are offline.',
  unreachable: SERVER_LOST,
  'database-lost': DATABASE_LOST,
  'signed-out': 'You are signed out.',
};

/** The age of the newest layer; `undefined` if none was read. */
function lastUpdateText(layers: NoticeSource['layers'], now: NoticeSource['now']): string | undefined {
  const read = LAYERS.flatMap((layer) => layers[layer].fetchedAt ?? []);
  if (now === undefined || read.length === 0) return undefined;
  return `Last update ${durationText(Math.min(...read.map((at) => msBetween(at, now))))} ago.`;
}

/** The notices above the map: a problem of the connection first, then a capped view. */
export function pageNotices({ connection, capped, isPast, layers, now }: NoticeSource): readonly PageNotice[] {
  const notices: PageNotice[] = [];
  const add = (key: string, tone: PageNotice['tone'], sentence: string) =>
    notices.push({ key, tone, sentence, remedy: undefined });

  if (isPast) {
    // The live layers' state does not apply to the past.
    if (capped) add('capped', 'warning', 'Only the framed area is loaded.');
    return notices;
  }
  if (connection.kind !== 'connected' && connection.kind !== 'connecting') {
    const { kind } = connection;
    const age = lastUpdateText(layers, now);
    notices.push({
      key: kind,
      tone: 'bad',
      sentence: connection.kind === 'refused' ? refusedMessage(connection.status) : LOST_TEXT[connection.kind],
      ...(age !== undefined && { age }),
      remedy: kind === 'signed-out' ? 'sign-in' : isPageFailure(kind) ? 'reload' : undefined,
    });
  }
  if (capped) {
    add('capped', 'warning', 'Zoomed out too far: only the framed area is live.');
  }
  return notices;
}

/** @param cutAt the link's last parameter, if its value is incomplete */
export function ignoredText(ignored: readonly string[], cutAt: string | undefined): string {
  const others = ignored.filter((name) => name !== cutAt?.split('=')[0]);
  const texts: string[] = [];
  if (cutAt !== undefined) {
    texts.push(
      `The link’s last value is incomplete or unknown: “${cutAt}”. If the link was cut, ask for the whole one.`,
    );
  }
  if (others.length > 0) texts.push(`Ignored in the address (unknown or invalid): ${others.join(', ')}.`);
  return texts.join(' ');
}

/**
 * `2026-11-20 10:37:42Z · 1 d ago`, also in local time. Without a date where the age says the day.
 * @param now `undefined` while unknown
 */
export function replayTimeText(shownAt: UpstreamInstant, now: UpstreamInstant | undefined, zone: ClockZone): string {
  const isRecent = now !== undefined && msBetween(shownAt, now) < RECENT_MS;
  const utc = isRecent ? clockText(shownAt, 'utc') : dateTimeText(shownAt, 'utc');
  const local = zone === 'local' ? [clockText(shownAt, 'local')] : [];
  const ago = now === undefined ? [] : [`${durationText(msBetween(shownAt, now))} ago`];
  return [utc, ...local, ...ago].join(' · ');
}
