import { type FieldProblems, fieldProblems } from '#lib/client/request/refusal-message.ts';

const FORM_FIELDS = ['name', 'shape', 'vertical', 'hours', 'rules', 'permits', 'history_requests_a_day'] as const;

/** The problem of a rule or permit contains its number. */
export type ZoneProblem = FieldProblems<(typeof FORM_FIELDS)[number]>;

export function zoneProblem(error: unknown): ZoneProblem {
  return fieldProblems(error, FORM_FIELDS);
}
