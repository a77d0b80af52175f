const PREFIX = '[A-Za-z0-9_.][A-Za-z0-9_.-]{0,31}';
const WHOLE_PREFIX = new RegExp(`^${PREFIX}$`);

/** Whether `<PFX>` has the form that references may begin with. */
export function isReferencePrefix(text: string): boolean {
  return WHOLE_PREFIX.test(text);
}

/**
 * Track references and cursors share one form: `<PFX>-[AD]-[0-9A-F]{16}`, `A` for aircraft, `D` for drones
 * (Position: public_track_id; Query parameters: cursor). The contract does not specify the prefix; ours has letters, digits, `_`, `.` and `-`,
 * since references reach screens, file names and spreadsheets.
 * @param prefix `undefined` accepts any prefix of that form
 */
export function publicReferencePattern(prefix: string | undefined): RegExp {
  const prefixPattern = prefix === undefined ? PREFIX : RegExp.escape(prefix);
  return new RegExp(`^${prefixPattern}-[AD]-[0-9A-F]{16}$`);
}
