import type { DisplaySummary } from '#lib/client/display/display-summary.ts';
import { type ClockZone, clockText } from '#lib/model/clock-text.ts';

export interface Notice {
  /** Stays the same while the notice does. */
  readonly key: string;
  readonly tone: 'warning' | 'bad';
  readonly sentence: string;
  /** Whether to offer signing in again. */
  readonly signIn: boolean;
}

/** Notices shown above the map while they apply: connection problems first, then that the view is cut. The layers tell their own states. */
export function noticeText({ connection, capped, isPast }: DisplaySummary, zone: ClockZone): readonly Notice[] {
  const notices: Notice[] = [];
  const add = (key: string, tone: Notice['tone'], sentence: string, signIn = false) =>
    notices.push({ key, tone, sentence, signIn });

  if (isPast) {
    // The state of the live layers does not apply to the past; the replay bar shows what is loaded.
    if (capped) add('capped', 'warning', 'Only the framed area is loaded.');
    return notices;
  }
  if (connection.kind === 'unreachable' || connection.kind === 'store-lost') {
    const since = connection.since === undefined ? '' : ` since ${clockText(connection.since, zone)}`;
    const what =
      connection.kind === 'unreachable'
        ? 'No answer from Lookout’s own server'
        : 'The servers’ shared store does not answer';
    add(connection.kind, 'bad', `${what}${since}; positions shown are ageing.`);
  }
  if (connection.kind === 'offline') {
    add('offline', 'bad', 'This browser is offline; positions shown are ageing.');
  }
  if (connection.kind === 'signed-out') {
    add('signed-out', 'bad', 'Signed out; positions shown are ageing.', true);
  }
  if (capped) {
    add('capped', 'warning', 'Zoomed out too far: only the framed area is live.');
  }
  return notices;
}
