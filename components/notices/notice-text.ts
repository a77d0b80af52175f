import { isLiveGap, LIVE_GAPS } from '#lib/api/layer-reason.ts';
import type { DisplaySummary } from '#lib/client/display/display-summary.ts';
import { LAYER_NAME } from '#lib/client/display/layer-text.ts';
import { LIVE_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import { type ClockZone, clockText } from '#lib/model/clock-text.ts';
import { LAYERS } from '#lib/model/position.ts';

export interface Notice {
  /** Stays the same while the notice does. */
  readonly key: string;
  readonly tone: 'warning' | 'bad';
  readonly sentence: string;
  /** Whether to offer signing in again. */
  readonly signIn: boolean;
}

/** Notices shown over the map while they apply: connection problems first, then what is incomplete. */
export function noticeText({ connection, capped, layers, isPast }: DisplaySummary, zone: ClockZone): readonly Notice[] {
  const notices: Notice[] = [];
  const add = (key: string, tone: Notice['tone'], sentence: string, signIn = false) =>
    notices.push({ key, tone, sentence, signIn });

  if (isPast) {
    // The state of the live layers does not apply to the past; the replay bar shows what is loaded.
    if (capped) add('capped', 'warning', 'Only the framed area is loaded.');
    return notices;
  }
  if (connection.kind === 'unreachable') {
    const since = connection.since === undefined ? '' : ` since ${clockText(connection.since, zone)}`;
    add('unreachable', 'bad', `No answer from Lookout’s own server${since}; positions shown are ageing.`);
  }
  if (connection.kind === 'offline') {
    add('offline', 'bad', 'This browser is offline; positions shown are ageing.');
  }
  if (connection.kind === 'signed-out') {
    add('signed-out', 'bad', 'Signed out; positions shown are ageing.', true);
  }
  if (capped) {
    const side = `${LIVE_MAX_SPAN_DEG}°`;
    add('capped', 'warning', `Only the framed area is watched: at most ${side} × ${side} around the middle.`);
  }
  for (const layer of LAYERS) {
    const { on, partial, reason } = layers[layer];
    if (!on || !partial) continue;
    // Any other reason says why the layer is old, which its state already shows.
    const why = reason !== undefined && isLiveGap(reason) ? ` (${LIVE_GAPS[reason].live})` : '';
    add(`partial-${layer}`, 'warning', `${LAYER_NAME[layer]}: what is shown is incomplete${why}.`);
  }
  return notices;
}
