import 'server-only';
import type { LayerReason } from '#lib/api/layer-reason.ts';
import type { LayerState } from '#lib/api/live-answer.ts';

/** From worst to best: a layer that is read in several areas stands as badly as the worst of them. */
const worstFirst: readonly LayerState[] = ['failed', 'denied', 'limited', 'stale', 'waiting', 'fresh'];

/** `undefined` of no states. */
export function worstState(states: readonly LayerState[]): LayerState | undefined {
  return worstFirst.find((state) => states.includes(state));
}

/** @param hasRecords whether there is something to show from before, or from elsewhere in the view */
export function stateOfFailure(reason: LayerReason, hasRecords: boolean): LayerState {
  switch (reason) {
    case 'layer_not_approved':
      return 'denied';
    case 'allowance_used_up':
      return 'limited';
    case 'key_refused':
    case 'request_rejected':
      return 'failed';
    case 'service_busy':
    case 'service_unreachable':
    case 'service_timeout':
    case 'answer_unreadable':
    case 'answer_too_large':
    case 'redirected':
    case 'pages_endless':
    case 'pages_interrupted':
    case 'pages_pending':
    case 'not_read_yet':
    case 'too_dense':
    case 'no_room':
    case 'not_asked':
    case 'outside_lookback':
      return hasRecords ? 'stale' : 'failed';
  }
}
