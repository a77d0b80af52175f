import * as z from 'zod/mini';

/** Work of a server without a request. */
export const SUPERVISED_PARTS = [
  // Turns alarms into notices, and sends those of each destination.
  'delivery',
  'heartbeat',
  // Publishes the states of zones by MQTT.
  'zone_states',
  // Reads the zones that are stored.
  'zones',
  // Evaluates what was read for the zones.
  'watch',
  // Reads from history what was not watched.
  'gaps',
  // Plans and starts refreshes of areas.
  'live',
  'demand_profile',
  // Takes or keeps the writer's lease.
  'writer',
  // Exchanges demand, plan and frames with the other servers.
  'servers',
  // Stores parts of the past, and exchanges them with the other servers.
  'history',
  'overview',
  // The part that follows changes of operators.
  'operators',
  'sessions',
  'audit',
  // Keeps the ledger of the allowance.
  'allowance',
  // Records which operator spent requests.
  'spending',
  'read_tokens',
  'presence',
  // Deletes what is older than ALARM_DAYS.
  'cleaning',
] as const;
export type SupervisedPartName = (typeof SUPERVISED_PARTS)[number];

export const PART_FAILURES = [
  // A table or column is missing, damaged, or of another version.
  'database_damaged',
  'database_denied',
  'database_full',
  'database_busy',
  // The log has the error.
  'defect',
] as const;
export type PartFailureReason = (typeof PART_FAILURES)[number];

const missingSchema = z.enum([
  // The server stops.
  'leaving',
  // A newer Lookout has migrated the database, or its tables were changed: replace this server, or see its log.
  'schema',
  // DATA_DIR cannot be written: the disk may be full.
  'storage',
  // The upstream refused it, or its file cannot be read.
  'key',
  // No connection since the start.
  'upstream',
  // `failing` names the parts.
  'part',
]);

/**
 * The body of `GET /readyz`.
 * @public docs/api.md is made from it
 */
export const readyAnswerSchema = z.object({
  /** This server can serve operators. */
  ready: z.boolean(),
  /** Causes, if it is not ready. */
  missing: z.array(missingSchema),
  /** Parts of this server that fail, or failed within the last 30 s, each once. */
  failing: z.array(z.object({ part: z.enum(SUPERVISED_PARTS), reason: z.enum(PART_FAILURES) })),
});

export type MissingForReady = z.infer<typeof missingSchema>;
export type ReadyAnswer = z.infer<typeof readyAnswerSchema>;
