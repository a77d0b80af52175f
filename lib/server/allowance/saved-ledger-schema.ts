import 'server-only';
import { z } from 'zod';
import { upstreamInstant } from '#lib/time/instant.ts';
import type { SavedLedger } from './allowance-ledger.ts';

const instantSchema = z.number().transform(upstreamInstant);
const countSchema = z.int().nonnegative();

const requestsSchema = z.object({ requests: countSchema, onHistory: countSchema });

const savedAllowanceSchema = z.object({
  startsAt: instantSchema,
  begunAt: instantSchema,
  reported: countSchema,
  reportedToSentAt: instantSchema,
  reportedAt: instantSchema,
  remaining: countSchema,
  size: countSchema,
  isSizePartial: z.boolean().optional(),
  recheckAt: instantSchema,
  check: z.object({ from: instantSchema, grantedAt: instantSchema.optional() }).optional(),
  unconfirmed: z.object({ lastAt: instantSchema, requests: countSchema }),
});

export const savedLedgerSchema: z.ZodType<SavedLedger> = z.object({
  minute: savedAllowanceSchema.optional(),
  day: savedAllowanceSchema.optional(),
  dayStartsAt: instantSchema,
  spentToday: countSchema,
  spentOnHistoryToday: countSchema,
  historyUses: z.array(z.object({ operator: z.string(), requests: countSchema, askedAt: instantSchema })).default([]),
  open: requestsSchema,
  lost: requestsSchema,
  asOf: instantSchema,
  pausedUntil: instantSchema.optional(),
  pausedFor: z.enum(['allowance_used_up', 'service_busy', 'service_unreachable']).optional(),
  refusedKey: z.object({ id: z.string(), until: instantSchema }).optional(),
  nextReservationId: z.int().positive(),
});
