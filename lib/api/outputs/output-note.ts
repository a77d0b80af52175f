/** Every output that has positions contains it. */
export const RECEIVED_ONLY =
  'Received positions only, where Lookout watches now: an empty answer or area does not mean that nothing is there. Not for collision avoidance. Redistribution needs the agreement of the upstream.';
