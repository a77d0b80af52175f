import 'server-only';
import { z } from 'zod';
import { failureReasonSchema } from '#lib/api/layer-reason.ts';
import { layerSchema } from '#lib/api/layer-schema.ts';
import { boxFromCorners, corners } from '#lib/geo/corners.ts';
import { epochMs, type LocalInstant, upstreamInstant } from '#lib/time/instant.ts';
import { areaOf } from '../live/live-plan.ts';
import type { RefreshJob } from '../live/refresh-job.ts';
import type { OperationState } from '../upstream/circuit.ts';
import type { Cooldown } from '../upstream/cooldown.ts';
import type { UpstreamClock } from '../upstream/upstream-clock.ts';
import { boxSchema } from './shared-demand.ts';

// Servers of two versions read it while they are exchanged. What a newer one adds is ignored, and may be missing; a reason that is not known here is
// left out, and the age of the picture says the rest. Another meaning of what is here needs another name of its key, and all servers stopped before.

const countSchema = z.int().nonnegative();
/** How many of something each operator has, or which place in line. */
const byOperatorSchema = z.array(z.tuple([z.string(), z.number()]));

const timedSchema = z.object({ kind: z.literal('timed'), reason: failureReasonSchema, until: z.number() });
const cooldownSchema = z.union([
  timedSchema,
  z.object({ kind: z.literal('latched'), reason: z.enum(['key_refused', 'request_rejected']) }),
  z.object({ kind: z.literal('reserved'), reason: z.literal('allowance_used_up') }),
]);
type SharedCooldown = z.infer<typeof cooldownSchema>;

const operationSchema = z
  .union([
    z.object({ kind: z.enum(['unproven', 'proven', 'wrong-path']) }),
    z.object({ kind: z.literal('denied'), cooldown: timedSchema }),
    z.object({ kind: z.literal('failing'), failures: countSchema, cooldown: timedSchema }),
  ])
  .catch({ kind: 'unproven' });

const jobSchema = z.object({
  layer: layerSchema,
  box: boxSchema,
  number: countSchema,
  refreshes: countSchema,
  apartFor: z.string().optional(),
  views: byOperatorSchema,
  cost: z.int().positive(),
  intervalMs: z.number().positive(),
  jitter: z.number().positive(),
  startedAt: z.number().optional(),
  spending: z.enum(['scheduled', 'first-view']),
  turn: z.object({ claims: byOperatorSchema, at: z.number().optional() }).optional(),
  isRunning: z.boolean().default(false),
  failure: z.object({ cooldown: cooldownSchema, since: z.number() }).optional().catch(undefined),
  /** Until when no request may be sent for it. */
  cooldownUntil: z.number().optional(),
});
type SharedJob = z.infer<typeof jobSchema>;

/** The plan of the server that plans for all. Instants are the upstream's, which all of them estimate. */
const sharedPlanSchema = z.object({
  /** The name of who plans. */
  planner: z.string(),
  jobs: z.array(jobSchema),
  ratePerS: z.number().nonnegative().optional(),
  viewers: countSchema,
  replicas: z.array(z.object({ name: z.string(), viewers: countSchema })).default([]),
  isKeyRefused: z.boolean().default(false),
  operations: z.object({ rid: operationSchema, adsb: operationSchema }),
  /** By the id of a server: the version of its demand that is planned for. */
  plannedFor: z.record(z.string(), countSchema),
  /** What only a successor needs; see `Inherited`. */
  successor: z
    .object({
      owed: byOperatorSchema,
      tokens: z.number(),
      profile: z.array(z.number()),
    })
    .optional(),
});

export type SharedPlan = z.infer<typeof sharedPlanSchema>;

/** One of the plans, in the order in which they hold: of two planners the one with the higher fence is the later. */
export interface Edition {
  readonly fence: number;
  readonly number: number;
}

export function isLater(one: Edition, other: Edition | undefined): boolean {
  if (other === undefined || one.fence !== other.fence) return one.fence > (other?.fence ?? -1);
  return one.number > other.number;
}

const messageSchema = z.object({
  fence: countSchema,
  number: countSchema,
  at: z.number(),
  plan: z.unknown().optional(),
});

export interface PlanMessage extends Edition {
  /** When it was published, by the planner's estimate of the upstream's clock: ms since 1970. */
  readonly at: number;
  /** `undefined` where nothing changed: the edition is the one before. */
  readonly plan: SharedPlan | undefined;
}

/** @param plan as JSON; `undefined` where it has not changed */
export function planMessageText({ fence, number, at }: Edition & { readonly at: number }, plan?: string): string {
  const head = JSON.stringify({ fence, number, at });
  return plan === undefined ? head : `${head.slice(0, -1)},"plan":${plan}}`;
}

/** How every message of a planner begins. */
export function planMessageStart(fence: number): string {
  return `{"fence":${fence},`;
}

/** `undefined` where it cannot be read. */
export function parsePlanMessage(text: string): PlanMessage | undefined {
  try {
    const { plan, ...message } = messageSchema.parse(JSON.parse(text));
    return { ...message, plan: plan === undefined ? undefined : sharedPlanSchema.parse(plan) };
  } catch {
    return undefined;
  }
}

/** Of the intervals only as many digits as matter: they change a little all the time. */
const INTERVAL_DIGITS = 3;

/** @param cooldown of its work now */
export function sharedJob(job: RefreshJob, cooldown: Cooldown | undefined, clock: UpstreamClock): SharedJob {
  const { area, apartFor, views, startedAt, turn, running, failure } = job;
  const at = (instant: LocalInstant) => epochMs(clock.fromLocal(instant));
  return {
    layer: area.layer,
    box: corners(area.bbox),
    number: job.number,
    refreshes: job.refreshes,
    ...(apartFor === undefined ? {} : { apartFor }),
    views: [...views],
    cost: job.cost,
    intervalMs: Number(job.intervalMs.toPrecision(INTERVAL_DIGITS)),
    jitter: job.jitter,
    ...(startedAt === undefined ? {} : { startedAt: at(startedAt) }),
    spending: job.spending === 'first-view' ? 'first-view' : 'scheduled',
    ...(turn ? { turn: { claims: [...turn.claims], ...(turn.at === undefined ? {} : { at: at(turn.at) }) } } : {}),
    isRunning: running !== undefined,
    ...(failure
      ? { failure: { cooldown: sharedCooldown(failure.cooldown, clock), since: epochMs(failure.since) } }
      : {}),
    ...(cooldown?.kind === 'timed' ? { cooldownUntil: at(cooldown.until) } : {}),
  };
}

/** Without what is running: that is up to whoever it runs at. */
export function jobOf(job: SharedJob, clock: UpstreamClock): RefreshJob {
  const { layer, box, number, refreshes, apartFor, views, cost, intervalMs, jitter, startedAt, turn, failure } = job;
  const local = (at: number) => clock.toLocal(upstreamInstant(at));
  return {
    area: areaOf(layer, boxFromCorners(box)),
    number,
    refreshes,
    apartFor,
    views: new Map(views),
    cost,
    intervalMs,
    jitter,
    startedAt: startedAt === undefined ? undefined : local(startedAt),
    spending: job.spending,
    turn: turn && { claims: new Map(turn.claims), at: turn.at === undefined ? undefined : local(turn.at) },
    running: undefined,
    isElsewhere: false,
    isChanged: true,
    failure: failure && { cooldown: cooldownOf(failure.cooldown, clock), since: upstreamInstant(failure.since) },
  };
}

export function sharedOperation(state: OperationState, clock: UpstreamClock): z.infer<typeof operationSchema> {
  if (state.kind !== 'denied' && state.kind !== 'failing') return state;
  const { reason, until } = state.cooldown;
  const cooldown = { kind: 'timed' as const, reason, until: epochMs(clock.fromLocal(until)) };
  return { ...state, cooldown };
}

export function operationOf(state: z.infer<typeof operationSchema>, clock: UpstreamClock): OperationState {
  if (state.kind !== 'denied' && state.kind !== 'failing') return state as OperationState;
  const { reason, until } = state.cooldown;
  return { ...state, cooldown: { kind: 'timed', reason, until: clock.toLocal(upstreamInstant(until)) } };
}

function sharedCooldown(cooldown: Cooldown, clock: UpstreamClock): SharedCooldown {
  return cooldown.kind === 'timed' ? { ...cooldown, until: epochMs(clock.fromLocal(cooldown.until)) } : cooldown;
}

function cooldownOf(cooldown: SharedCooldown, clock: UpstreamClock): Cooldown {
  return cooldown.kind === 'timed' ? { ...cooldown, until: clock.toLocal(upstreamInstant(cooldown.until)) } : cooldown;
}
