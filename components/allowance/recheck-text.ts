import type { AskError } from '#lib/client/request/ask-lookout.ts';
import { type ClockZone, clockText } from '#lib/model/clock-text.ts';
import { durationText } from '#lib/model/duration-text.ts';

/** What came of asking for a check, and when that was. */
export interface RecheckNote {
  /** `undefined` where it was asked for. */
  readonly error: Pick<AskError, 'kind' | 'code' | 'retryAfterS'> | undefined;
  /** On the upstream's clock; `undefined` where that was not known. */
  readonly atMs: number | undefined;
}

/** When a check may be asked for again; `undefined` where it may be now, as far as is known. */
export function recheckBlockedUntilMs({ error, atMs }: RecheckNote, nowMs: number | undefined): number | undefined {
  if (!error || !isTooSoon(error) || error.retryAfterS === undefined) return undefined;
  if (atMs === undefined || nowMs === undefined) return undefined;
  const untilMs = atMs + error.retryAfterS * 1000;
  return nowMs < untilMs ? untilMs : undefined;
}

const TOO_SOON = 'Checked too recently.';

/** Said aloud whenever it changes, so it counts nothing down. */
export function recheckText(note: RecheckNote, nowMs: number | undefined, zone: ClockZone): string {
  const { error, atMs } = note;
  if (!error)
    return `Asked for${atMs === undefined ? '' : ` at ${clockText(atMs, zone)}`}; what comes of it is shown here.`;
  if (isTooSoon(error)) {
    const untilMs = recheckBlockedUntilMs(note, nowMs);
    if (untilMs !== undefined) return `${TOO_SOON} It can be checked again at ${clockText(untilMs, zone)}.`;
    if (error.retryAfterS === undefined) return `${TOO_SOON} Try again later.`;
    return atMs === undefined || nowMs === undefined
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
