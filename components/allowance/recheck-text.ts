import type { AskError } from '#lib/client/request/ask-lookout.ts';
import { type ClockZone, clockText } from '#lib/model/clock-text.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';

/** What came of asking for a check, and when that was. */
export interface RecheckNote {
  /** `undefined` where it was asked for. */
  readonly error: Pick<AskError, 'kind' | 'code' | 'retryAfterS'> | undefined;
  /** `undefined` where that was not known. */
  readonly at: UpstreamInstant | undefined;
}

/** When a check may be asked for again; `undefined` where it may be now, as far as is known. */
export function recheckBlockedUntil(
  { error, at }: RecheckNote,
  now: UpstreamInstant | undefined,
): UpstreamInstant | undefined {
  if (!error || !isTooSoon(error) || error.retryAfterS === undefined) return undefined;
  if (at === undefined || now === undefined) return undefined;
  const until = addMs(at, error.retryAfterS * 1000);
  return now < until ? until : undefined;
}

const TOO_SOON = 'Checked too recently.';

/** Said aloud whenever it changes, so it counts nothing down. */
export function recheckText(note: RecheckNote, now: UpstreamInstant | undefined, zone: ClockZone): string {
  const { error, at } = note;
  if (!error)
    return `Asked for${at === undefined ? '' : ` at ${clockText(at, zone)}`}; what comes of it is shown here.`;
  if (isTooSoon(error)) {
    const until = recheckBlockedUntil(note, now);
    if (until !== undefined) return `${TOO_SOON} It can be checked again at ${clockText(until, zone)}.`;
    if (error.retryAfterS === undefined) return `${TOO_SOON} Try again later.`;
    return at === undefined || now === undefined
      ? `${TOO_SOON} It can be checked again in ${durationText(error.retryAfterS * 1000)}.`
      : 'It can be checked again now.';
  }
  switch (error.kind) {
    case 'signed-out':
      return 'Not asked for: signed out.';
    case 'refused':
    case 'unreadable':
      return 'Not asked for: Lookout answers with an error. Try again.';
    case 'unreachable':
      return 'Not asked for: no answer from Lookout. Try again.';
  }
}

function isTooSoon({ code }: Pick<AskError, 'code'>): boolean {
  return code === 'too_many_attempts';
}
