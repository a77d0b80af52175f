import type { RecheckOutcome } from '#lib/client/recheck-layer.ts';
import { type ClockZone, clockWords } from '#lib/model/clock-words.ts';
import { durationWords } from '#lib/model/duration-words.ts';

/** What came of asking for a check, and when that was. */
export interface RecheckNote {
  readonly outcome: RecheckOutcome;
  /** On the upstream's clock; `undefined` where that was not known. */
  readonly atMs: number | undefined;
}

/** When a check may be asked for again; `undefined` where it may be now, as far as is known. */
export function recheckBlockedUntilMs({ outcome, atMs }: RecheckNote, nowMs: number | undefined): number | undefined {
  if (outcome.kind !== 'too-soon' || outcome.retryAfterS === undefined) return undefined;
  if (atMs === undefined || nowMs === undefined) return undefined;
  const untilMs = atMs + outcome.retryAfterS * 1000;
  return nowMs < untilMs ? untilMs : undefined;
}

const TOO_SOON = 'Checked too recently.';

/** Said aloud whenever it changes, so it counts nothing down. */
export function recheckWords(note: RecheckNote, nowMs: number | undefined, zone: ClockZone): string {
  const { outcome, atMs } = note;
  switch (outcome.kind) {
    case 'asked':
      return `Asked for${atMs === undefined ? '' : ` at ${clockWords(atMs, zone)}`}; what comes of it is shown here.`;
    case 'too-soon': {
      const untilMs = recheckBlockedUntilMs(note, nowMs);
      if (untilMs !== undefined) return `${TOO_SOON} It can be checked again at ${clockWords(untilMs, zone)}.`;
      if (outcome.retryAfterS === undefined) return `${TOO_SOON} Try again later.`;
      return atMs === undefined || nowMs === undefined
        ? `${TOO_SOON} It can be checked again in ${durationWords(outcome.retryAfterS * 1000)}.`
        : 'It can be checked again now.';
    }
    case 'signed-out':
      return 'Not asked for: signed out.';
    case 'failed':
      return 'Not asked for: Lookout answers with an error. Try again.';
    case 'unreachable':
      return 'Not asked for: no answer from Lookout. Try again.';
  }
}
