import 'server-only';
import { hostname } from 'node:os';
import { z } from 'zod';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { type RedisTarget, readRedisTarget } from '../redis/connection/redis-target.ts';
import { optionalText, type SettingProblem } from './setting-forms.ts';

/** Beside others a server leaves in this time: load balancers ask each few seconds who is ready. */
const DRAIN_S = 5;

/** Where several servers share what they know; none of it is set for a server alone. */
export const fleetSettings = z.object({
  /** The Redis or Valkey that they share. */
  REDIS_URL: optionalText,
  /** All Sentinels that watch it. */
  REDIS_SENTINELS: optionalText,
  /** A file that contains only its password. */
  REDIS_PASSWORD_FILE: optionalText,
  /** What the others and the Allowance page call this server. */
  REPLICA_NAME: optionalText.refine((text) => text === undefined || /^[\w.:-]{1,64}$/.test(text), {
    error: 'must be 1 to 64 letters, digits, dots, colons, underscores or hyphens',
  }),
  /** How long it goes on answering, no longer ready, after it was asked to stop. */
  DRAIN_SECONDS: optionalText.refine((text) => text === undefined || (/^\d{1,3}$/.test(text) && Number(text) <= 300), {
    error: 'must be a whole number of seconds from 0 to 300',
  }),
});

type FleetSettings = z.infer<typeof fleetSettings>;

export interface FleetConfig {
  /** `undefined` for a server alone. */
  readonly redis: RedisTarget | undefined;
  readonly replicaName: string;
  readonly drainMs: number;
}

export function* fleetProblems(settings: FleetSettings): Generator<SettingProblem<FleetSettings>> {
  const read = readRedisTarget(settings);
  if ('problems' in read) yield* read.problems;
}

/** Of settings without a problem. */
export function fleetConfig(settings: FleetSettings): FleetConfig {
  const read = readRedisTarget(settings);
  const redis = 'target' in read ? read.target : undefined;
  return {
    redis,
    replicaName: settings.REPLICA_NAME ?? `${hostname().slice(0, 48)}:${process.env.PORT ?? '3000'}`,
    drainMs: Number(settings.DRAIN_SECONDS ?? (redis ? DRAIN_S : 0)) * SECOND_MS,
  };
}
