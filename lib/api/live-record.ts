import { z } from 'zod';
import { type FieldKind, type FieldName, RECORD_FIELDS, type WireName } from '#lib/model/record-fields.ts';

const SCHEMAS = {
  reference: z.string(),
  kind: z.enum(['drone', 'adsb_aircraft']),
  instant: z.string(),
  expiry: z.string().optional(),
  coordinate: z.number(),
  measure: z.number().nullable(),
  label: z.string().nullable(),
  flag: z.boolean(),
} as const satisfies Record<FieldKind, z.ZodType>;

type LiveShape = { [Name in FieldName as WireName<Name>]: (typeof SCHEMAS)[(typeof RECORD_FIELDS)[Name]['is']] };

/** A position as `/api/live` gives it: the contract's field names, null for "not reported". */
export const liveRecordSchema = z.object(
  Object.fromEntries(Object.values(RECORD_FIELDS).map(({ wire, is }) => [wire, SCHEMAS[is]])) as LiveShape,
);

export type LiveRecord = z.infer<typeof liveRecordSchema>;
