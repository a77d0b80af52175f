/** No more than this of a view is watched on either axis: no live request may span more. */
export const WATCHED_MAX_SPAN_DEG = 30;
