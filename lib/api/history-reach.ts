/** A replay is at most this long: no history request may span more. */
export const REPLAY_MOST_MS = 3_600_000;

/** No replay begins longer ago than this, whatever the account's own lookback is. */
export const REPLAY_REACH_MS = 30 * 86_400_000;
