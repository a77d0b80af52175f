import 'server-only';
import { z } from 'zod';
import { type RedisTarget, readRedisTarget } from '../redis/connection/redis-target.ts';
import { optionalText, type SettingProblem } from './setting-forms.ts';

/** Where several servers share what they know; none of it is set for a server alone. */
export const fleetSettings = z.object({
  /** The Redis or Valkey that they share. */
  REDIS_URL: optionalText,
  /** All Sentinels that watch it. */
  REDIS_SENTINELS: optionalText,
  /** A file that contains only its password. */
  REDIS_PASSWORD_FILE: optionalText,
});

type FleetSettings = z.infer<typeof fleetSettings>;

export interface FleetConfig {
  /** `undefined` for a server alone. */
  readonly redis: RedisTarget | undefined;
}

export function* fleetProblems(
  settings: FleetSettings & { readonly POSITIONS_EMBEDDED?: string | undefined },
): Generator<SettingProblem<FleetSettings>> {
  const read = readRedisTarget(settings);
  if ('problems' in read) yield* read.problems;
  if (settings.REDIS_URL !== undefined && settings.POSITIONS_EMBEDDED !== undefined)
    yield [
      'REDIS_URL',
      'is for servers that ask one upstream, and each would start an embedded service of its own: set POSITIONS_API_URL',
    ];
}

/** Of settings without a problem. */
export function fleetConfig(settings: FleetSettings): FleetConfig {
  const read = readRedisTarget(settings);
  return { redis: 'target' in read ? read.target : undefined };
}
