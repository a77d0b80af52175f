/** How the selected track is watched. Ends with the selection. */
export interface WatchState {
  /** `paused`: the operator moved the map; it stays where it is until following is resumed. */
  readonly following: 'off' | 'on' | 'paused';
  /** Whether all other tracks are faint. */
  readonly isolated: boolean;
}

export const NOT_WATCHED: WatchState = { following: 'off', isolated: false };

/** A paused following is resumed. */
export function afterFollowKey({ following, ...rest }: WatchState): WatchState {
  return { ...rest, following: following === 'on' ? 'off' : 'on' };
}

export function afterIsolateKey({ isolated, ...rest }: WatchState): WatchState {
  return { ...rest, isolated: !isolated };
}

/** After the operator moved the map by hand. */
export function afterDrag(state: WatchState): WatchState {
  return state.following === 'on' ? { ...state, following: 'paused' } : state;
}
