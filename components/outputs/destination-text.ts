import { kindRow } from '#lib/api/outputs/destination-kinds.ts';
import type { Destination } from '#lib/api/outputs/destinations.ts';
import { type DeliveryTimes, deliveryTimeText, deliveryUntilText } from '#lib/client/outputs/delivery-text.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { groupedNumber } from '#lib/model/grouped-number.ts';
import { msBetween, parseInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { MarkedTone } from '../ui/tone-mark.tsx';

/** Alarms that arrive later are not news. */
const LATE_MS = MINUTE_MS;

/** `12:04:31Z, 3 min ago` */
function pastText(text: string, times: DeliveryTimes): string {
  const at = parseInstant(text);
  const ago = at === undefined || times.now === undefined ? '' : `, ${durationText(msBetween(at, times.now))} ago`;
  return `${deliveryTimeText(text, times)}${ago}`;
}

interface ArrivalText {
  readonly tone: MarkedTone;
  readonly text: string;
}

export function arrivalText(destination: Destination, times: DeliveryTimes): ArrivalText {
  const { is_on, switched_off, problem, last_arrived_at, config } = destination;
  if (switched_off)
    return { tone: 'bad', text: `Lookout switched it off ${pastText(switched_off.at, times)}: ${switched_off.reason}` };
  if (!is_on) return { tone: 'neutral', text: 'Off: nothing is sent to it' };
  if (problem) return { tone: 'bad', text: `Does not arrive since ${pastText(problem.since, times)}: ${problem.text}` };
  if (last_arrived_at === null) {
    const next = kindRow(config).takesNotices ? '. A trial shows whether it works' : '';
    return { tone: 'neutral', text: `Nothing has arrived yet${next}` };
  }
  return {
    tone: waitsMs(destination, times) > LATE_MS ? 'warning' : 'good',
    text: `Arrives: last ${pastText(last_arrived_at, times)}`,
  };
}

/** Of the first that waits; below 0 if it is not due yet. */
function waitsMs({ waiting_since }: Destination, { now }: DeliveryTimes): number {
  const since = waiting_since === null ? undefined : parseInstant(waiting_since);
  return since === undefined || now === undefined ? 0 : msBetween(since, now);
}

function lateText(destination: Destination, times: DeliveryTimes): string {
  const ms = waitsMs(destination, times);
  return ms > LATE_MS ? `, the first for ${durationText(ms)}` : '';
}

/** Counts and times apart from the state; empty if there are none. */
export function arrivalFacts(destination: Destination, times: DeliveryTimes): readonly string[] {
  const { is_on, switched_off, problem, last_arrived_at, next_try_at, waiting, given_up } = destination;
  const isGood = is_on && !switched_off && !problem;
  return [
    !isGood && last_arrived_at !== null ? `last arrival ${pastText(last_arrived_at, times)}` : [],
    waiting > 0 ? `${groupedNumber(waiting)} waiting${lateText(destination, times)}` : [],
    next_try_at !== null ? `next try ${deliveryUntilText(next_try_at, times)}` : [],
    given_up > 0 ? `${groupedNumber(given_up)} given up` : [],
  ].flat();
}

export function switchText(naming: readonly string[], waiting: number): string {
  const rules =
    naming.length === 0
      ? 'No rule names it.'
      : naming.length === 1
        ? '1 rule names it.'
        : `${naming.length} rules name it.`;
  return waiting === 0 ? rules : `${rules} Off gives up those that wait.`;
}
