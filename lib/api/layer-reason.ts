/**
 * Why a layer is not what was hoped for: the closed set of `reason` codes in an answer of `/api/live`, each with what an
 * operator reads.
 */
export const LAYER_REASONS = {
  key_refused: 'the service refuses this key',
  layer_not_approved: 'this account has no live access to this layer',
  allowance_used_up: 'paused by the account’s allowance',
  service_busy: 'the service says it is busy',
  service_unreachable: 'no answer from the service',
  service_timeout: 'the service did not answer in time',
  answer_unreadable: 'the service’s answer could not be read',
  answer_too_large: 'the service’s answer was too large',
  redirected: 'the service pointed to another address, which is not followed',
  request_rejected: 'the service rejected our request; this is a defect of Lookout',
  pages_endless: 'the service’s pages did not end; what was read is shown',
  pages_interrupted: 'not every page of the answer could be read',
  pages_pending: 'further pages are still being read',
  not_read_yet: 'not read yet',
  too_dense: 'more was received in one second and place than the service gives',
  not_asked: 'not asked for: no more requests than were told',
  no_room: 'more than this page can hold',
  outside_lookback: 'outside of the account’s history',
} as const;

export type LayerReason = keyof typeof LAYER_REASONS;
