import type { LookoutRequestError } from '#lib/client/request/fetch-lookout.ts';
import { NO_ANSWER } from '#lib/client/request/refusal-message.ts';
import { type ClockZone, clockText } from '#lib/model/clock-text.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';

export interface RecheckNote {
  /** `undefined` if Lookout accepted the request. */
  readonly error: Pick<LookoutRequestError, 'kind' | 'code' | 'retryAfterS'> | undefined;
  readonly at: UpstreamInstant | undefined;
}

/** `undefined` if now or unknown. */
export function recheckBlockedUntil(
  { error, at }: RecheckNote,
  now: UpstreamInstant | undefined,
): UpstreamInstant | undefined {
  if (!error || !isTooSoon(error) || error.retryAfterS === undefined) return undefined;
  if (at === undefined || now === undefined) return undefined;
  const until = addMs(at, error.retryAfterS * 1000);
  return now < until ? until : undefined;
}

export const MAY_NOT_RECHECK = 'It is checked again by itself. Your role may not have it checked sooner.';
const TOO_SOON = 'Checked too recently.';

export function recheckText(note: RecheckNote, now: UpstreamInstant | undefined, zone: ClockZone): string {
  const { error, at } = note;
  if (!error)
    return `Check requested${at === undefined ? '' : ` at ${clockText(at, zone)}`}. The result is shown here.`;
  if (isTooSoon(error)) {
    const until = recheckBlockedUntil(note, now);
    if (until !== undefined) return `${TOO_SOON} It can be checked again at ${clockText(until, zone)}.`;
    if (error.retryAfterS === undefined) return `${TOO_SOON} Try again later.`;
    return at === undefined || now === undefined
      ? `${TOO_SOON} It can be checked again in ${durationText(error.retryAfterS * 1000)}.`
      : 'It can be checked again now.';
  }
  if (error.code === 'not_permitted') return MAY_NOT_RECHECK;
  switch (error.kind) {
    case 'signed-out':
      return 'Not requested: signed out.';
    case 'refused':
    case 'unreadable':
      return 'Not requested: Lookout answered with an error. Try again.';
    case 'unreachable':
      return `Not requested: ${NO_ANSWER}. Try again.`;
  }
}

function isTooSoon({ code }: Pick<LookoutRequestError, 'code'>): boolean {
  return code === 'too_many_attempts';
}
