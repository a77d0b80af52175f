const PREFIX = '[A-Za-z0-9_.][A-Za-z0-9_.-]{0,31}';
const WHOLE_PREFIX = new RegExp(`^${PREFIX}$`);

export function isReferencePrefix(text: string): boolean {
  return WHOLE_PREFIX.test(text);
}

/**
 * `<PFX>-[AD]-[0-9A-F]{16}`, aircraft or drone (Position: public_track_id; Query parameters: cursor). The contract
 * leaves the prefix open.
 * @param prefix `undefined` accepts any
 */
export function publicReferencePattern(prefix: string | undefined): RegExp {
  const prefixPattern = prefix === undefined ? PREFIX : prefix.replaceAll(/\W/g, '\\$&');
  return new RegExp(`^${prefixPattern}-[AD]-[0-9A-F]{16}$`);
}
