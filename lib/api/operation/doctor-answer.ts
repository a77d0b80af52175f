import * as z from 'zod/mini';
import { instantText } from '../../time/instant-schema.ts';

/** In the order of an answer. */
export const DOCTOR_CHECKS = [
  // The settings, and the files that they name.
  'settings',
  // DATA_DIR: its owner and rights.
  'folder',
  'disk',
  // Whether it can be used; of PostgreSQL also its version, rights and standbys.
  'database',
  'schema',
  'backup',
  // Whether Lookout answers, and the ports that it listens on.
  'server',
  'upstream',
  'clock',
  'receivers',
  // Of PUBLIC_URL.
  'certificate',
  'versions',
  // The way from a browser to Lookout, as this request shows it.
  'proxy',
] as const;

const findingSchema = z.object({
  check: z.enum(DOCTOR_CHECKS),
  /** `unknown`: it cannot be examined from here, or not without a request to the upstream. */
  state: z.enum(['ok', 'wrong', 'unknown']),
  found: z.string(),
  /** The correction; null where `found` has it, or there is nothing to do. */
  remedy: z.nullable(z.string()),
});

/** `GET /api/admin/doctor` */
export const doctorAnswerSchema = z.object({
  /** The server's time. */
  as_of: instantText,
  /** One or more of each check. */
  findings: z.array(findingSchema),
});

export type DoctorCheck = (typeof DOCTOR_CHECKS)[number];
export type Finding = z.infer<typeof findingSchema>;
export type DoctorAnswer = z.infer<typeof doctorAnswerSchema>;

/** `Certificate` */
export function checkTitle(check: DoctorCheck): string {
  return `${check.charAt(0).toUpperCase()}${check.slice(1)}`;
}

/** `Everything is well.`, or `2 things to correct, 1 not known.` */
export function doctorSummary(findings: readonly Pick<Finding, 'state'>[]): string {
  const count = (state: Finding['state']) => findings.filter((each) => each.state === state).length;
  const [wrong, unknown] = [count('wrong'), count('unknown')];
  const well = wrong === 0 ? 'Everything is well' : `${wrong} ${wrong === 1 ? 'thing' : 'things'} to correct`;
  return `${well}${unknown === 0 ? '' : `, ${unknown} not known`}.`;
}
