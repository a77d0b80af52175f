import { UNWATCHED_REASONS } from '../alarm.ts';

/** The states of a zone in a window. `absent`: not made yet, or removed. */
export const WINDOW_STATES = ['watched', 'partly', 'not_watched', 'outside_hours', 'absent'] as const;
/** `no_rule`: nothing is read for the zone. `no_record`: within its hours, but without a stretch. */
export const WINDOW_REASONS = [...UNWATCHED_REASONS, 'no_rule', 'no_record'] as const;
