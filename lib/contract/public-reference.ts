/**
 * Track references and cursors share one form: `<PFX>-[AD]-[0-9A-F]{16}`, `A` for aircraft, `D` for drones
 * (Position: public_track_id; Query parameters: cursor). The document does not specify the prefix.
 * @param prefix `undefined` accepts any prefix of at most 32 characters
 */
export function publicReferencePattern(prefix: string | undefined): RegExp {
  const prefixPattern = prefix === undefined ? '[^\\s-][^\\s]{0,31}' : RegExp.escape(prefix);
  return new RegExp(`^${prefixPattern}-[AD]-[0-9A-F]{16}$`);
}
