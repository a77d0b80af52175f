import { DESTINATION_KINDS, type DestinationKind } from '#lib/api/outputs/destination-kinds.ts';
import type { NoticeDelivery } from '#lib/api/outputs/destinations.ts';
import { type ClockZone, recentTimeText } from '#lib/model/clock-text.ts';
import { countdownText } from '#lib/model/duration-text.ts';
import { msBetween, parseInstant, type UpstreamInstant } from '#lib/time/instant.ts';

export interface DeliveryTimes {
  readonly now: UpstreamInstant | undefined;
  readonly zone: ClockZone;
}

/** A server of a newer build may have other kinds. */
export function kindText(kind: string): string {
  return Object.hasOwn(DESTINATION_KINDS, kind) ? DESTINATION_KINDS[kind as DestinationKind].text : kind;
}

export const TYPE_TEXT: Readonly<Record<NoticeDelivery['type'], string>> = {
  opened: 'Opened',
  reopened: 'Opened again',
  unknown: 'Lost',
  known: 'Back',
  ended: 'Ended',
  flight_not_received: 'Expected flight not received',
  escalated: 'Escalated, as no operator acknowledged',
  summary: 'Summary of grouped alarms',
  trial: 'Trial',
  receiver: 'Own receiver',
};

/** The type of a notice, such as `Opened, 12 alarms in one notice`. */
export function noticeTypeText({ type, alarms }: Pick<NoticeDelivery, 'type' | 'alarms'>): string {
  return alarms > 1 ? `${TYPE_TEXT[type]}, ${alarms} alarms in one notice` : TYPE_TEXT[type];
}

export function deliveryStateText(delivery: NoticeDelivery, times: DeliveryTimes): string {
  const { state, arrived_at, tries, next_try_at, problem } = delivery;
  const why = problem === null ? '' : `: ${problem}`;
  const tried = tries === 1 ? '1 try' : `${tries} tries`;
  switch (state) {
    case 'arrived': {
      const at = arrived_at === null ? 'at an unknown time' : deliveryTimeText(arrived_at, times);
      return tries > 1 ? `arrived ${at}, after ${tried}` : `arrived ${at}`;
    }
    case 'waiting': {
      if (tries === 0) return 'waiting to be sent';
      const next = next_try_at === null ? '' : `, next try ${deliveryUntilText(next_try_at, times)}`;
      return `waiting after ${tried}${next}${why}`;
    }
    case 'grouped':
      return 'grouped with others into one notice';
    case 'given_up':
      return `given up after ${tried}${why}`;
  }
}

/** A time, such as `12:04:31Z`, with the date on another day. */
export function deliveryTimeText(text: string, { now, zone }: DeliveryTimes): string {
  const at = parseInstant(text);
  return at === undefined ? text : recentTimeText(at, now, zone);
}

/** A time ahead, such as `in 12 s`, or the time itself if the present one is not known. */
export function deliveryUntilText(text: string, times: DeliveryTimes): string {
  const at = parseInstant(text);
  return at === undefined || times.now === undefined
    ? `at ${deliveryTimeText(text, times)}`
    : countdownText(msBetween(times.now, at));
}
