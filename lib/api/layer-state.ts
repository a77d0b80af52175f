import { z } from 'zod';
import { MINUTE_MS } from '../time/time-units.ts';

/**
 * The states of one live layer in one answer, never told apart by an array's length:
 * - `fresh`: read within the refresh interval. No records means that none were received in the area.
 * - `stale`: records are older than the refresh interval, or the latest refresh failed (`reason`); they age on.
 * - `waiting`: asked for, nothing read yet.
 * - `denied`: the account has no access to the layer.
 * - `limited`: paused by the account's allowance (until `until`); records read before age on.
 * - `failed`: refused or failed, and there is nothing to show from before; or refused for good, whatever there is to show.
 */
export const layerStateSchema = z.enum(['fresh', 'stale', 'waiting', 'denied', 'limited', 'failed']);

export type LayerState = z.infer<typeof layerStateSchema>;

/** However seldom a layer is refreshed, what was read longer ago is not called fresh: most positions live no longer. */
export const FRESH_MAX_MS = MINUTE_MS;
