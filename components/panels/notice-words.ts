import { LAYER_REASONS, type LayerReason } from '#lib/api/layer-reason.ts';
import { LAYER_NAME } from '#lib/client/layer-words.ts';
import type { LiveSummary } from '#lib/client/live-summary.ts';
import { type ClockZone, clockWords } from '#lib/model/clock-words.ts';
import { LAYERS } from '#lib/model/position.ts';

export interface Notice {
  /** The same for as long as it is the same notice. */
  readonly key: string;
  readonly tone: 'warning' | 'bad';
  readonly sentence: string;
  /** Whether the way out is to sign in again. */
  readonly signIn: boolean;
}

/** Reasons that say what is missing; any other says why a layer is old, which its state tells already. */
const pageReasons: ReadonlySet<LayerReason> = new Set(['pages_endless', 'pages_interrupted', 'pages_pending']);

/** What stands over the map for as long as it is so: trouble with the connection first, then what is incomplete. */
export function noticeWords({ connection, capped, layers, isPast }: LiveSummary, zone: ClockZone): readonly Notice[] {
  const notices: Notice[] = [];
  const add = (key: string, tone: Notice['tone'], sentence: string, signIn = false) =>
    notices.push({ key, tone, sentence, signIn });

  if (isPast) {
    // How the live layers stood says nothing of the past; what is known of that stands in the replay bar.
    if (capped) add('capped', 'warning', 'Only the framed area is loaded.');
    return notices;
  }
  if (connection.kind === 'unreachable') {
    const since = connection.sinceMs === undefined ? '' : ` since ${clockWords(connection.sinceMs, zone)}`;
    add('unreachable', 'bad', `Lookout’s own server does not answer${since}; positions shown are ageing.`);
  }
  if (connection.kind === 'offline') {
    add('offline', 'bad', 'This browser is offline; positions shown are ageing.');
  }
  if (connection.kind === 'signed-out') {
    add('signed-out', 'bad', 'Signed out; positions shown are ageing.', true);
  }
  if (capped) {
    add('capped', 'warning', 'Only the framed area is watched: 30° × 30° around the middle.');
  }
  for (const layer of LAYERS) {
    const { on, partial, reason } = layers[layer];
    if (!on || !partial) continue;
    const why = reason !== undefined && pageReasons.has(reason) ? ` (${LAYER_REASONS[reason]})` : '';
    add(`partial-${layer}`, 'warning', `${LAYER_NAME[layer]}: what is shown is incomplete${why}.`);
  }
  return notices;
}
